package browse_test

import (
	"slices"
	"testing"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func TestSelectionIsKeptByID(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Organization: "o_1"}, 80, 24)
	s.Keys("alt+2", "G", "k", "k")
	s.Want(t, "▌ 📘 Team Guide")
	s.Keys("g", "z", "R") // the collection above is folded, which moves the rows
	s.Keys("G", "k", "k", "k", "j")
	s.Want(t, "▌ 📘 Team Guide", "!Skylark")
	s.Keys("g", "z", "G", "k", "k")
	s.Send(tuitest.WindowSize(60, 10))
	s.Want(t, "▌ 📘 Team Guide")
}

// TestSpacePreview checks that the preview of a space shows its pages, change requests and links, and that the sites are listed
// below the spaces.
func TestSpacePreview(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	for _, c := range slices.Clone(s.Server.CommentList) {
		c.ID, c.Target.ChangeRequest = "space_"+c.ID, ""
		s.Server.CommentList = append(s.Server.CommentList, c)
	}
	s.Open(120, 40)
	s.Keys("alt+2", "j")
	s.Want(t, "▌   🌦  Skylark Handbook", "4 pages · 3 open change requests", "Open change requests  b all", "#2   Firmware 2.4", "#27",
		"Quick start", "#2 #27      5d      ●2", "What changed this week", "2h     #2 Firmware 2.4 · Grace",
		"Links  ✓ 1 valid  ✗ 1 broken  . lists them",
		"Handbook · docs.tidemark.example", "not published")
	s.Keys(":", `"broken links`, "enter")
	s.Want(t, "✗ p_quick → gone.md", "page not found", "same as: wsctl spaces list-links s_1 --status broken")
	s.Keys("enter")
	s.Want(t, "Plug the gateway in")
	s.Keys("esc", "esc", "G", "k", "enter")
	if s.Browsed != "https://docs.tidemark.example" {
		t.Error(s.Browsed)
	}
	s.Keys("j", "enter")
	s.Want(t, "it is not published")
}

// TestSpacePreviewOmitsFailedParts checks that a part of the preview that fails to load is omitted without an error.
func TestSpacePreviewOmitsFailedParts(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tuitest.InboxOptions)
	for _, operation := range []string{"queued", "space-links", "sites", "history", "comments"} {
		s.Server.Fail[operation] = tuitest.ErrUnreachable
	}
	s.Open(120, 40)
	s.Keys("alt+2")
	s.Want(t, "4 pages", "Quick start", "!0 open", "!Links", "!Sites", "!What changed")
}
