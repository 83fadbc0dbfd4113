package tui_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/drafts"
	"docspace.dev/wsd/tui/tuitest"
)

func TestEscapeNeverQuits(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("enter", "esc", "esc", "esc", "esc", "esc", "esc")
	s.Want(t, "Tidemark Instruments", "this is the top")
	if s.Quit {
		t.Error("esc quit")
	}
	s.Keys("q")
	if !s.Quit {
		t.Error("q did not quit")
	}
}

// TestBreadcrumbIsSameFromLinkAndList checks that the path is the same from a link and from the list of spaces.
func TestBreadcrumbIsSameFromLinkAndList(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Organization: "o_1"}, 120, 24)
	s.Keys("alt+2", "/", `"skylark`, "enter", "b")
	s.Want(t, "Spaces › Skylark Handbook › change requests")
	s = tuitest.Start(tuitest.ReviewOptions, 160, 24)
	s.Want(t, "wsctl › Skylark Handbook › change requests › #2")
}

func TestVisitsAreRecorded(t *testing.T) {
	t.Parallel()
	v := &tuitest.Visits{}
	o := tui.Options{Organization: "o_1", Visits: v}
	s := tuitest.Start(o, 100, 40)
	s.Keys("alt+2", "/", `"skylark`, "enter", "enter", "j", "enter")
	want := []drafts.Visit{{Space: "s_1", Page: "p_quick", Title: "Quick start"}}
	if diff := cmp.Diff(want, v.List, cmpopts.IgnoreFields(drafts.Visit{}, "VisitedAt")); diff != "" {
		t.Error(diff)
	}
	s.Keys("esc", "esc", "esc", "R")
	s.Want(t, "Recently opened", "Skylark Handbook · just now")
	s.Keys("G", "enter")
	s.Want(t, "Plug the gateway in")
}

// TestPageIsNotPushedTwice checks that opening a page that is in the stack, by name or by a link to itself, returns to it.
func TestPageIsNotPushedTwice(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	was := s.Kinds()
	s.Keys(":", `"firmware`, "enter")
	s.Want(t, "you are there already")
	if diff := cmp.Diff(was, s.Kinds()); diff != "" {
		t.Error(diff)
	}
	s = tuitest.StartPrepared(tui.Options{Space: "s_1"}, 120, 40, func(s *tuitest.Screen) { s.Server.SelfLinks = true })
	s.Keys("j", "enter")
	was = s.Kinds()
	// from the block and from the list
	for _, keys := range [][]string{{"enter"}, {":", `"links of the`, "enter", "/", `"→ p_quick`, "enter", "enter"}} {
		s.Keys(keys...)
		s.Want(t, "› Quick start", "!links ›")
		if diff := cmp.Diff(was, s.Kinds()); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// TestOtherChangeRequestStartsNewPath checks that opening another change request starts a new path.
func TestOtherChangeRequestStartsNewPath(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("enter", "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request", "changes of a page"}, s.Kinds()); diff != "" {
		t.Fatal(diff)
	}
	s.Keys(":", `"wind arm`, "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.Kinds()); diff != "" {
		t.Error(diff)
	}
	s.Keys(":", `"quick start`, "enter", ":", `"firmware`, "enter") // also from a page opened in between
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.Kinds()); diff != "" {
		t.Error(diff)
	}
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]")
}

// TestEscapeInInbox checks that esc in the inbox stays there if the user is in one organization, and otherwise leads to the
// list of organizations.
func TestEscapeInInbox(t *testing.T) {
	t.Parallel()
	s := tuitest.StartPrepared(tui.Options{}, 120, 40, func(s *tuitest.Screen) { s.Server.OneOrganization = true })
	s.Want(t, "[alt+1 Inbox]")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "this is the top; q quits")
	s.Keys("alt+2", "esc", "esc")
	s.Want(t, "[alt+1 Inbox]", "this is the top; q quits")
	for _, o := range []tui.Options{{}, {Organization: "o_1"}} {
		s = tuitest.Start(o, 120, 40)
		s.Keys("alt+1", "enter", "esc")
		for range 3 {
			s.Keys("esc")
		}
		s.Want(t, "Tidemark Instruments", "Other people", "!Inbox")
	}
	s = tuitest.StartPrepared(tui.Options{Organization: "o_1"}, 120, 40, func(s *tuitest.Screen) { s.Server.OneOrganization = true })
	s.Keys("j")
	before := s.Page()
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "row 2 of", "this is the top; q quits")
	if s.Page() != before {
		t.Error("the inbox is another one")
	}
}
