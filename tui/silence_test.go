package tui_test

import (
	"testing"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// hang opens a page whose requests get no response, and lets seconds pass.
func hang(s *tuitest.Screen, seconds ...int) {
	for _, n := range seconds {
		for range n {
			s.Pass(1)
			s.Send(tui.TickMsg{})
		}
	}
}

// A read without a response is reported after 1 s, counted after 3 s and can be repeated after 10 s.
func TestMissingResponseIsReported(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 100, 30)
	s.Pass(10)
	s.Send(tui.TickMsg{})
	s.Drain()
	s.Want(t, "● live")
	s.Pass(1)
	s.Press("enter") // opens a request
	for len(s.Kinds()) < 3 {
		s.Run(0)
	}
	s.Want(t, "Loading …", "● live", "!no answer")
	hang(s, 1)
	s.Want(t, "The server: no answer yet. Esc goes back.", "● live")
	hang(s, 2)
	s.Want(t, "The server: no answer for 3 s. Esc goes back.", "● live", "!R asks again")
	hang(s, 7)
	s.Want(t, "The server: no answer for 10 s.", "R asks again, esc goes back.", "○ silent since 12:00:", "!● live")
	calls := len(s.Server.Calls)
	hang(s, 20)
	if n := len(s.Server.Calls) - calls; n > 0 {
		t.Errorf("%d calls are made while others wait", n)
	}
	s.Press("R")
	s.Want(t, "Loading …")
	s.Drain()
	s.Want(t, "Firmware 2.4", "● live", "!silent")
}
