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
	s := start(reviewOptions, 120, 40)
	was := s.kinds()
	s.keys(":", `"firmware`, "enter")
	s.want(t, "you are there already")
	if diff := cmp.Diff(was, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s = newPreparedScreen(Options{Space: "s_1"}, 120, 40, func(s *testScreen) { s.fake.selfLinks = true })
	s.keys("j", "enter")
	was = s.kinds()
	for _, keys := range [][]string{{"enter"}, {":", `"links of the`, "enter", "/", `"→ p_quick`, "enter", "enter"}} { // from the block and from the list
		s.keys(keys...)
		s.want(t, "› Quick start", "!links ›")
		if diff := cmp.Diff(was, s.kinds()); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// Opening another change request starts a new path.
func TestOtherChangeRequestStartsNewPath(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys("enter", "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request", "changes of a page"}, s.kinds()); diff != "" {
		t.Fatal(diff)
	}
	s.keys(":", `"wind arm`, "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s.keys(":", `"quick start`, "enter", ":", `"firmware`, "enter") // also from a page opened in between
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]")
}

// PageEditor of all spaces are found from every screen. If no title matches, the texts are searched.
func TestPaletteFindsPagesOfAllSpaces(t *testing.T) {
	t.Parallel()
	s := start(inboxOptions, 120, 40)
	s.keys(":", `"quick start`)
	s.want(t, "Quick start", "page Team Guide", "!nothing is called that")
	s.keys("enter")
	s.want(t, "› Quick start")
	s.keys(":", `"no such thing`)
	s.want(t, "nothing is called that; tab searches all texts for it")
	s.keys("tab")
	s.want(t, "/ no such thing", "› search")
	s.keys("esc")
	s.press(":")
	s.press(`"no such`)
	s.want(t, "looking for places …", "!nothing is called that")
	s.drain()
}

// A palette that is closed early sends no further requests.
func TestClosedPaletteSendsNoRequests(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{"esc": false, `"quick`: true} {
		s := start(inboxOptions, 120, 40)
		s.fake.calls = nil
		s.press(":")
		s.press(keys)
		s.drain()
		if got := slices.Contains(s.fake.calls, "pages"); got != want {
			t.Errorf("%s: it asks for pages: %t", keys, got)
		}
	}
}

// Reviewers who have to review again are offered first, with the reason, and can be asked together. Those with a
// valid approval come last.
func TestStaleReviewersAreOfferedFirst(t *testing.T) {
	t.Parallel()
	ruth, piet := newUser("u_8", "Ruth M."), newUser("u_9", "Piet")
	with := func(all ...api.Review) *testScreen {
		s := newPreparedScreen(inboxOptions, 160, 50, func(s *testScreen) {
			ownChangeRequest(s)
			s.fake.reviews = all
			s.fake.permitted = []api.User{userGrace, ruth, piet, userLin}
		})
		s.keys("enter", "i")
		return s
	}
	s := with(verdictBy(userGrace, api.ReviewApproved, false), verdictBy(userLin, api.ReviewApproved, true), verdictBy(piet, api.ReviewChangesRequested, false))
	s.want(
		t, "1 Piet and Lin (all who have to look again)", "2 Piet (requested changes)", "3 Lin (approved before the last changes)", "4 Ruth M.",
		"5 Grace (approved)",
	)
	s.keys("1")
	if diff := cmp.Diff([]string{"ask u_9", "ask u_3"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s = with(verdictBy(userLin, api.ReviewApproved, true))
	s.want(t, "1 Lin (approved before the last changes)", "!all who have")
}

func TestBlameStartsAtBlock(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 120, 40)
	s.keys("j", "enter", "j", "j", "j", "j")
	block := s.page().Base().About().Block
	s.fake.blamed = []string{"", block}
	s.keys(":", `"who wrote`, "enter")
	s.want(t, "▌ somebody, long ago", "row 2 of 2")
	if block == "" {
		t.Error("the cursor was on no block")
	}
}

// After the last change comes the first again, with a message that names the key to continue.
func TestNextChangeWrapsAround(t *testing.T) {
	t.Parallel()
	s := start(reviewOptions, 120, 40)
	s.keys("enter")
	s.screen() // lays out the rows
	_, all := s.page().Base().List.Count(func(r components.Row) bool { return r.Change })
	for range all {
		s.want(t, "!around to")
		s.keys("]")
	}
	s.keys("]")
	s.want(t, "around to the first change; J goes to the next page")
	s.keys("[")
	s.want(t, "around to the last change", "!goes to the page before")
	s.keys("J", "]", "[")
	s.want(t, "this is the only change", "; K goes to the page before")
}

// Events with the same text are distinguished by time.
func TestEqualEventsShowTime(t *testing.T) {
	t.Parallel()
	s := newPreparedScreen(reviewOptions, 200, 70, func(s *testScreen) {
		s.fake.addEvent("e_5", api.TimelineDescribed, "")
		s.fake.addEvent("e_6", api.TimelineDescribed, "")
		s.fake.queue.events[len(s.fake.queue.events)-1].At = api.At(clock.Add(-3 * time.Second))
	})
	s.want(t, "or description · 12:00:00", "or description · 11:59:57")
}

func TestNewsKeepsSubject(t *testing.T) {
	t.Parallel()
	s, pass := newTickingScreen(reviewOptions)
	s.keys("enter")
	pass(5)
	for _, cursor := range []string{"e_5", "e_6", "e_7"} {
		s.fake.addEvent(cursor, api.TimelineEdited, "A page whose title is longer than there is room for here")
	}
	pass(10)
	first, _, _ := strings.Cut(s.screen(), "\n")
	if !strings.Contains(first, "Grace edited it + 2 more · R shows") || !strings.Contains(first, "#2 Firmware 2.4") || !strings.Contains(first, "› Quick start (1 of 3)") {
		t.Error(first)
	}
}
