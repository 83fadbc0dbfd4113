package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
)

// Opening a page that is in the stack, by name or by a link to itself, returns to it.
func TestPageIsNotPushedTwice(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	was := s.Kinds()
	s.Keys(":", `"firmware`, "enter")
	s.Want(t, "you are there already")
	if diff := cmp.Diff(was, s.Kinds()); diff != "" {
		t.Error(diff)
	}
	s = StartPrepared(Options{Space: "s_1"}, 120, 40, func(s *Screen) { s.Server.SelfLinks = true })
	s.Keys("j", "enter")
	was = s.Kinds()
	for _, keys := range [][]string{{"enter"}, {":", `"links of the`, "enter", "/", `"→ p_quick`, "enter", "enter"}} { // from the block and from the list
		s.Keys(keys...)
		s.Want(t, "› Quick start", "!links ›")
		if diff := cmp.Diff(was, s.Kinds()); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// Opening another change request starts a new path.
func TestOtherChangeRequestStartsNewPath(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
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

// PageEditor of all spaces are found from every screen. If no title matches, the texts are searched.
func TestPaletteFindsPagesOfAllSpaces(t *testing.T) {
	t.Parallel()
	s := Start(InboxOptions, 120, 40)
	s.Keys(":", `"quick start`)
	s.Want(t, "Quick start", "page Team Guide", "!nothing is called that")
	s.Keys("enter")
	s.Want(t, "› Quick start")
	s.Keys(":", `"no such thing`)
	s.Want(t, "nothing is called that; tab searches all texts for it")
	s.Keys("tab")
	s.Want(t, "/ no such thing", "› search")
	s.Keys("esc")
	s.Press(":")
	s.Press(`"no such`)
	s.Want(t, "looking for places …", "!nothing is called that")
	s.Drain()
}

// A palette that is closed early sends no further requests.
func TestClosedPaletteSendsNoRequests(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{"esc": false, `"quick`: true} {
		s := Start(InboxOptions, 120, 40)
		s.Server.Calls = nil
		s.Press(":")
		s.Press(keys)
		s.Drain()
		if got := slices.Contains(s.Server.Calls, "pages"); got != want {
			t.Errorf("%s: it asks for pages: %t", keys, got)
		}
	}
}

// Reviewers who have to review again are offered first, with the reason, and can be asked together. Those with a
// valid approval come last.
func TestStaleReviewersAreOfferedFirst(t *testing.T) {
	t.Parallel()
	ruth, piet := NewUser("u_8", "Ruth M."), NewUser("u_9", "Piet")
	with := func(all ...api.Review) *Screen {
		s := StartPrepared(InboxOptions, 160, 50, func(s *Screen) {
			OwnChangeRequest(s)
			s.Server.ReviewList = all
			s.Server.PermittedUsers = []api.User{UserGrace, ruth, piet, UserLin}
		})
		s.Keys("enter", "i")
		return s
	}
	s := with(VerdictBy(UserGrace, api.ReviewApproved, false), VerdictBy(UserLin, api.ReviewApproved, true), VerdictBy(piet, api.ReviewChangesRequested, false))
	s.Want(
		t, "1 Piet and Lin (all who have to look again)", "2 Piet (requested changes)", "3 Lin (approved before the last changes)", "4 Ruth M.",
		"5 Grace (approved)",
	)
	s.Keys("1")
	if diff := cmp.Diff([]string{"ask u_9", "ask u_3"}, s.Server.Writes); diff != "" {
		t.Error(diff)
	}
	s = with(VerdictBy(UserLin, api.ReviewApproved, true))
	s.Want(t, "1 Lin (approved before the last changes)", "!all who have")
}

func TestBlameStartsAtBlock(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 120, 40)
	s.Keys("j", "enter", "j", "j", "j", "j")
	block := s.Page().Base().About().Block
	s.Server.Blamed = []string{"", block}
	s.Keys(":", `"who wrote`, "enter")
	s.Want(t, "▌ somebody, long ago", "row 2 of 2")
	if block == "" {
		t.Error("the cursor was on no block")
	}
}

// After the last change comes the first again, with a message that names the key to continue.
func TestNextChangeWrapsAround(t *testing.T) {
	t.Parallel()
	s := Start(ReviewOptions, 120, 40)
	s.Keys("enter")
	s.View() // lays out the rows
	_, all := s.Page().Base().List.Count(func(r components.Row) bool { return r.Change })
	for range all {
		s.Want(t, "!around to")
		s.Keys("]")
	}
	s.Keys("]")
	s.Want(t, "around to the first change; J goes to the next page")
	s.Keys("[")
	s.Want(t, "around to the last change", "!goes to the page before")
	s.Keys("J", "]", "[")
	s.Want(t, "this is the only change", "; K goes to the page before")
}

// Events with the same text are distinguished by time.
func TestEqualEventsShowTime(t *testing.T) {
	t.Parallel()
	s := StartPrepared(ReviewOptions, 200, 70, func(s *Screen) {
		s.Server.AddEvent("e_5", api.TimelineDescribed, "")
		s.Server.AddEvent("e_6", api.TimelineDescribed, "")
		s.Server.Queue.Events[len(s.Server.Queue.Events)-1].At = api.At(Clock.Add(-3 * time.Second))
	})
	s.Want(t, "or description · 12:00:00", "or description · 11:59:57")
}

func TestNewsKeepsSubject(t *testing.T) {
	t.Parallel()
	s, pass := StartTicking(ReviewOptions)
	s.Keys("enter")
	pass(5)
	for _, cursor := range []string{"e_5", "e_6", "e_7"} {
		s.Server.AddEvent(cursor, api.TimelineEdited, "A page whose title is longer than there is room for here")
	}
	pass(10)
	first, _, _ := strings.Cut(s.View(), "\n")
	if !strings.Contains(first, "Grace edited it + 2 more · R shows") || !strings.Contains(first, "#2 Firmware 2.4") || !strings.Contains(first, "› Quick start (1 of 3)") {
		t.Error(first)
	}
}
