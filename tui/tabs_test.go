package tui_test

import (
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

func TestOrganizationTabs(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("alt+2")
	s.Want(t, "[alt+2 Spaces]", "Skylark Handbook")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]", "ASKED FOR YOUR REVIEW")
	s.Keys("alt+3", `"light`)
	s.Want(t, "light")
	s.Keys("esc")
	s.Want(t, "[alt+1 Inbox]")
	if n := len(s.Model.Pages()); n != 2 {
		t.Errorf("%d pages are open", n)
	}
}

// TestTabWaitsForWrite checks that a tab cannot be selected while a write is pending.
func TestTabWaitsForWrite(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 120, 40)
	s.Keys("m")
	s.Press(`"yes`)
	s.Press("enter")
	for !s.Page().(interface{ Pending() bool }).Pending() {
		s.Run(0)
	}
	s.Press("alt+1")
	s.Want(t, "#2 Firmware")
	s.Drain()
	s.Want(t, "#2 Firmware", "merged into the space")
}

// TestTabsShowKeys checks that the tabs show their keys, and that a digit explains which key to press.
func TestTabsShowKeys(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Want(t, "[alt+1 Inbox]  alt+2 Spaces ")
	s.Keys("2")
	s.Want(t, "alt+2 goes to Spaces")
	s.Keys("7")
	s.Want(t, "digits choose where choices are offered", "!alt+7")
	s.Send(tuitest.WindowSize(50, 20))
	s.Keys("j")
	s.Want(t, "[Inbox]  Spaces ")
	s.Send(tuitest.WindowSize(60, 20))
	s.Want(t, "[alt+1 Inbox]  2 Spaces ")
}

// TestTabKeepsCursor checks that a tab keeps its page, and that the inbox is not part of its path.
func TestTabKeepsCursor(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("alt+2", "j", "j")
	at, _ := s.Page().Base().List.Position()
	s.Keys("alt+1", "alt+2")
	if now, _ := s.Page().Base().List.Position(); now != at {
		t.Errorf("the cursor is at %d, not %d", now, at)
	}
	s.Keys("k", "enter")
	s.Want(t, "Spaces › ", "!Inbox › ")
}
