package tui

import (
	"slices"
	"testing"
)

// The preview of a space shows its pages, change requests and links, and the sites are listed below the spaces.
func TestSpacePreview(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	for _, c := range slices.Clone(s.fake.comments) {
		c.ID, c.Target.ChangeRequest = "space_"+c.ID, ""
		s.fake.comments = append(s.fake.comments, c)
	}
	s.open(120, 40)
	s.keys("alt+2", "j")
	s.want(t, "▌   🌦  Skylark Handbook", "4 pages · 3 open change requests", "Open change requests  b all", "#2   Firmware 2.4", "#27", "Quick start", "#2 #27      5d  ●2", "What changed this week", "2h     #2 Firmware 2.4 · Grace", "Links  ✓ 1  ✗ 1 broken", "Handbook · docs.tidemark.example", "not published")
	s.keys(":", `"broken links`, "enter")
	s.want(t, "✗ p_quick → gone.md", "page not found", "same as: wsctl spaces list-links s_1 --status broken")
	s.keys("enter")
	s.want(t, "Plug the gateway in")
	s.keys("esc", "esc", "G", "k", "enter")
	if s.browsed != "https://docs.tidemark.example" {
		t.Error(s.browsed)
	}
	s.keys("j", "enter")
	s.want(t, "it is not published")
}

// A part of the preview that fails to load is omitted without an error.
func TestSpacePreviewOmitsFailedParts(t *testing.T) {
	t.Parallel()
	s := newTestScreen(inboxOptions)
	for _, operation := range []string{"queued", "space-links", "sites", "history", "comments"} {
		s.fake.fail[operation] = errUnreachable
	}
	s.open(120, 40)
	s.keys("alt+2")
	s.want(t, "4 pages", "Quick start", "!0 open", "!Links", "!Sites", "!What changed")
}
