package tui

import (
	"slices"
	"testing"
)

// Beside a space stands what it holds: pages, the requests that touch them, its links; below the spaces, the sites.
func TestWhatASpaceHolds(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	for _, c := range slices.Clone(s.fake.comments) {
		c.ID, c.Target.ChangeRequest = "space_"+c.ID, ""
		s.fake.comments = append(s.fake.comments, c)
	}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
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

// What beside the pages fails is left out; what is shown says nothing of it.
func TestASpaceWhoseRequestsCannotBeAsked(t *testing.T) {
	t.Parallel()
	s := newStage(atInbox)
	for _, operation := range []string{"queued", "space-links", "sites", "history", "comments"} {
		s.fake.fail[operation] = errOffline
	}
	s.waiting = append(s.waiting, s.model.Init())
	s.tell(sized(120, 40))
	s.settle()
	s.keys("alt+2")
	s.want(t, "4 pages", "Quick start", "!0 open", "!Links", "!Sites", "!What changed")
}
