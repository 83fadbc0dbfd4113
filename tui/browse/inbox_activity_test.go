package browse_test

import (
	"testing"

	"docspace.dev/wsd/tui/tuitest"
)

// TestActivity checks that the activity tab lists all change requests by latest event, with a preview of the events.
func TestActivity(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
	s.Keys("alt+4")
	s.Want(t, "[alt+4 Activity]", "LAST 24 HOURS 4", "20m   open     #14", "2d    merged   #5", "EARLIER 1", "1 of 8",
		"Grace replied on Quick start")
	s.Keys("j", "enter")
	s.Want(t, "Changed pages (3)", "![alt+4 Activity]")
	s.Keys("esc")
	s.Want(t, "▌ 1h    open     #27")
	s.Press("alt+1")
	s.Drain()
	s.Want(t, "[alt+1 Inbox]", "[Needs you]")
}
