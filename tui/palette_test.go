package tui_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

// TestPaletteWithoutMatch checks that unknown words show a message, and that ⏎ keeps them for correction.
func TestPaletteWithoutMatch(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.ReviewOptions, 80, 24)
	s.Keys(":", `"withdraw`)
	s.Want(t, ":withdraw", "nothing is called that")
	s.Keys("enter")
	s.Want(t, ":withdraw", "nothing is called that")
	s.Keys("backspace", "esc")
	s.Want(t, "!nothing is called that")
}

func TestPaletteOpensAnyPage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ letters, want string }{
		"a space":    {"teamgd", "s_3"},
		"a page":     {"wlcm", "Welcome"},
		"a request":  {"#2firm", "Changed pages"},
		"a person":   {"grace", "by Grace"},
		"an action":  {"chgreqofspace", "[OPEN]"},
		"many words": {"quick start page", "Plug the gateway in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
			s.Keys(":", `"`+c.letters, "enter")
			s.Want(t, c.want)
		})
	}
}

// TestInboxPaletteFindsNumbers checks that the palette of the inbox contains the change requests of all spaces.
func TestInboxPaletteFindsNumbers(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Organization: "o_1"}, 100, 40)
	s.Keys(":", `"2`)
	s.Want(t, "▌ #2 ", "#27 ")
	s.Keys("enter")
	s.Want(t, "Changed pages")
}

// TestLateDestinationsAreIgnored checks that destinations loaded for a closed palette are not added to another one.
func TestLateDestinationsAreIgnored(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
	s.Press(":")
	late := s.Queued
	s.Queued = nil
	s.Press("esc")
	s.Press(".")
	shown := s.View()
	s.Queued = late
	s.Drain()
	if diff := cmp.Diff(shown, s.View()); diff != "" {
		t.Error(diff)
	}
}

// TestSpacePaletteFindsAllChangeRequests checks that the palette of a page contains the change requests of all spaces once,
// with their space, and that words of a subject match better than those of a kind.
func TestSpacePaletteFindsAllChangeRequests(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Organization: "o_1", Space: "s_1"}, 120, 40)
	s.Keys(":", `"New hires`)
	s.Want(t, "▌ #9 New hires: the first week", "change request Team Guide")
	s.Keys("esc", ":", `"#2 firm`)
	if n := strings.Count(s.View(), "#2 Firmware"); n != 1 {
		t.Errorf("it is offered %d times in\n%s", n, s.View())
	}
}

// TestPaletteFindsPagesOfAllSpaces checks that pages of all spaces are found from every screen, and that the texts are searched
// if no title matches.
func TestPaletteFindsPagesOfAllSpaces(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tuitest.InboxOptions, 120, 40)
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

// TestClosedPaletteSendsNoRequests checks that a palette that is closed early sends no further requests.
func TestClosedPaletteSendsNoRequests(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]bool{"esc": false, `"quick`: true} {
		s := tuitest.Start(tuitest.InboxOptions, 120, 40)
		s.Server.Calls = nil
		s.Press(":")
		s.Press(keys)
		s.Drain()
		if got := slices.Contains(s.Server.Calls, "pages"); got != want {
			t.Errorf("%s: it asks for pages: %t", keys, got)
		}
	}
}
