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

// kinds are those of the pages on the way.
func (s *stage) kinds() (all []string) {
	for _, p := range s.model.pages {
		all = append(all, p.Kind())
	}
	return all
}

// Where one is already is not gone to again, by its name or by a link to itself.
func TestAPageIsNotShownAboveItself(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
	was := s.kinds()
	s.keys(":", `"firmware`, "enter")
	s.want(t, "you are there already")
	if diff := cmp.Diff(was, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s = opens(Options{Space: "s_1"}, 120, 40, func(s *stage) { s.fake.toItself = true })
	s.keys("j", "enter")
	was = s.kinds()
	for _, keys := range [][]string{{"enter"}, {":", `"links of the`, "enter", "/", `"→ p_quick`, "enter", "enter"}} { // of the block, and of the list
		s.keys(keys...)
		s.want(t, "› Quick start", "!links ›")
		if diff := cmp.Diff(was, s.kinds()); diff != "" {
			t.Errorf("%v: %s", keys, diff)
		}
	}
}

// A jump to another change request begins a way of its own.
func TestAJumpToAnotherRequestBeginsAnew(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 120, 40)
	s.keys("enter", "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request", "changes of a page"}, s.kinds()); diff != "" {
		t.Fatal(diff)
	}
	s.keys(":", `"wind arm`, "enter")
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s.keys(":", `"quick start`, "enter", ":", `"firmware`, "enter") // also from a page that was gone to between
	if diff := cmp.Diff([]string{"organizations", "inbox", "change request"}, s.kinds()); diff != "" {
		t.Error(diff)
	}
	s.keys("esc")
	s.want(t, "[alt+1 Inbox]")
}

// Pages of all spaces are found from every screen; what is not found is looked for in the texts.
func TestThePaletteFindsPagesFromEverywhere(t *testing.T) {
	t.Parallel()
	s := start(atInbox, 120, 40)
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
	s.settle()
}

// A palette that is closed before its places are known asks for no more of them.
func TestAClosedPaletteAsksForNothing(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{"esc": false, `"quick`: true} {
		s := start(atInbox, 120, 40)
		s.fake.calls = nil
		s.press(":")
		s.press(keys)
		s.settle()
		if got := slices.Contains(s.fake.calls, "pages"); got != want {
			t.Errorf("%s: it asks for pages: %t", keys, got)
		}
	}
}

// Who has to look again is offered first, with why, and all of them at once; whose approval counts comes last.
func TestWhoHasToLookAgainIsAskedFirst(t *testing.T) {
	t.Parallel()
	ruth, piet := user("u_8", "Ruth M."), user("u_9", "Piet")
	with := func(all ...api.Review) *stage {
		s := opens(atInbox, 160, 50, func(s *stage) {
			mine(s)
			s.fake.reviews = all
			s.fake.permitted = []api.User{grace, ruth, piet, lin}
		})
		s.keys("enter", "i")
		return s
	}
	s := with(verdictBy(grace, api.ReviewApproved, false), verdictBy(lin, api.ReviewApproved, true), verdictBy(piet, api.ReviewChangesRequested, false))
	s.want(
		t, "1 Piet and Lin (all who have to look again)", "2 Piet (requested changes)", "3 Lin (approved before the last changes)", "4 Ruth M.",
		"5 Grace (approved)",
	)
	s.keys("1")
	if diff := cmp.Diff([]string{"ask u_9", "ask u_3"}, s.fake.writes); diff != "" {
		t.Error(diff)
	}
	s = with(verdictBy(lin, api.ReviewApproved, true))
	s.want(t, "1 Lin (approved before the last changes)", "!all who have")
}

// Who wrote what begins at the block that was under the cursor.
func TestBlameBeginsAtTheBlock(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 120, 40)
	s.keys("j", "enter", "j", "j", "j", "j")
	block := s.model.top().Base().About().Block
	s.fake.blamed = []string{"", block}
	s.keys(":", `"who wrote`, "enter")
	s.want(t, "▌ somebody, long ago", "row 2 of 2")
	if block == "" {
		t.Error("the cursor was on no block")
	}
}

// Going on from the last change says that it is the first again, and which key leads on.
func TestGoingAroundTheChangesIsSaid(t *testing.T) {
	t.Parallel()
	s := start(review, 120, 40)
	s.keys("enter")
	s.screen() // lays out the rows
	_, all := s.model.top().Base().List.Count(func(r components.Row) bool { return r.Change })
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

// What reads alike is told apart by the time of day.
func TestEventsThatReadAlikeHaveATime(t *testing.T) {
	t.Parallel()
	s := opens(review, 200, 70, func(s *stage) {
		s.fake.happens("e_5", api.TimelineDescribed, "")
		s.fake.happens("e_6", api.TimelineDescribed, "")
		s.fake.queue.events[len(s.fake.queue.events)-1].At = api.At(clock.Add(-3 * time.Second))
	})
	s.want(t, "or description · 12:00:00", "or description · 11:59:57")
}

// What a request is called stays in the first line, whatever the news.
func TestTheNewsLeavesTheNameOfTheRequest(t *testing.T) {
	t.Parallel()
	s, pass := ticking(review)
	s.keys("enter")
	pass(5)
	for _, cursor := range []string{"e_5", "e_6", "e_7"} {
		s.fake.happens(cursor, api.TimelineEdited, "A page whose title is longer than there is room for here")
	}
	pass(10)
	first, _, _ := strings.Cut(s.screen(), "\n")
	if !strings.Contains(first, "Grace edited it + 2 more · R shows") || !strings.Contains(first, "#2 Firmware 2.4") || !strings.Contains(first, "› Quick start (1 of 3)") {
		t.Error(first)
	}
}
