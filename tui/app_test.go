package tui_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func TestLateResponseIsIgnored(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Keys("b")
	s.Press("tab") // drafts: requested, no response yet
	late := s.Queued[0]
	s.Queued = nil
	s.Server.Status = api.StatusDraft
	answer := late()
	s.Press("tab") // merged: the tab whose response is expected
	s.Drain()
	s.Want(t, "[MERGED]", "There is no merged change request")
	shown := s.View()
	s.Send(answer)
	if diff := cmp.Diff(shown, s.View()); diff != "" {
		t.Errorf("the late answer changed the screen:\n%s", diff)
	}
}

func TestQuitWaitsForJournal(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys("c", `"first`)
	s.Press(`" second`)
	s.Press(`" third`)
	s.Press("ctrl+c")
	if s.Quit {
		t.Fatal("it quit before the text was in the journal")
	}
	s.Drain()
	if got := tuitest.OneDraft(t, s).Text; got != "first second third" || !s.Quit {
		t.Errorf("quit %v, the journal has %q", s.Quit, got)
	}
}

func TestAgesAreRefreshed(t *testing.T) {
	t.Parallel()
	now := tuitest.Clock
	o := tuitest.ReviewOptions
	o.Now = func() time.Time { return now }
	s := tuitest.Start(o, 100, 40)
	s.Want(t, "last change 2h ago")
	now = now.Add(time.Hour)
	s.Send(tui.TimeMsg{})
	s.Want(t, "last change 3h ago")
}

func TestContentStaysWhenServerIsUnreachable(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 80, 24)
	s.Server.Fail["*"] = tuitest.ErrUnreachable
	s.Keys("R")
	s.Want(t, "Quick start", "offline, as of just now")
	delete(s.Server.Fail, "*")
	s.Keys("R")
	s.Want(t, "Quick start", "!offline")
}

func TestServerTextIsSanitized(t *testing.T) {
	t.Parallel()
	evil := "\x1b]0;owned\x07\x1b[2J\u202eevil\u0085"
	for _, o := range []tui.Options{{}, {Organization: "o_1"}, {Space: "s_1"}, tuitest.ReviewOptions} {
		s := tuitest.NewScreen(o)
		s.Server.Fail["page"] = api.Errorf(422, api.ReasonInvalid, "%s", evil).WithHint("%s", evil)
		s.Server.CommentList[2].Body.Markdown = evil
		s.Server.CommentList[2].PostedBy.DisplayName = evil
		s.Server.Trees["cr_2"][1].Title = evil
		s.Open(200, 50)
		for _, key := range []string{"", "enter", "C"} {
			if key != "" {
				s.Keys(key)
			}
			if strings.ContainsAny(s.View(), "\x1b\x07\u202e\u0085") {
				t.Errorf("%+v %q: %q", o, key, s.View())
			}
		}
	}
}

func TestRevokedToken(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Space: "s_1"})
	s.Server.Fail["pages"] = api.Errorf(401, api.ReasonUnauthenticated, "A valid token is needed: Authorization: Bearer wsd_...")
	s.Open(80, 24)
	s.Want(t, "wsctl login", "drafts are kept", "!Bearer")
}

// TestScreenEndsWhenTokenIsRevoked checks that a screen that nobody touches ends within 15 seconds after the server refuses its token,
// and not when the server is away.
func TestScreenEndsWhenTokenIsRevoked(t *testing.T) {
	t.Parallel()
	s, pass := tuitest.StartTicking(tuitest.InboxOptions)
	pass(20)
	s.Server.Fail["*"] = api.Errorf(503, api.ReasonUnavailable, "The server is away.")
	pass(5)
	delete(s.Server.Fail, "*")
	pass(30)
	if s.Quit || s.Model.Refused() != nil {
		t.Fatalf("it ended with %v", s.Model.Refused())
	}
	s.Server.Fail["*"] = api.Errorf(401, api.ReasonUnauthenticated, "A valid token is needed.")
	pass(15)
	if !s.Quit || s.Model.Refused() == nil {
		t.Error("it goes on")
	}
}

// TestFirstPaintNeedsNoResponse checks that the first screen is drawn before any response of the server.
func TestFirstPaintNeedsNoResponse(t *testing.T) {
	t.Parallel()
	for _, o := range []tui.Options{{}, tuitest.InboxOptions, tuitest.ReviewOptions} {
		s := tuitest.NewScreen(o)
		s.Queued = append(s.Queued, s.Model.Init())
		s.Send(tuitest.WindowSize(80, 24))
		s.Want(t, "Loading …", "q quit")
	}
}
