package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui/drafts"
)

// The search starts with the words of the page search in the current space and continues in all spaces. A hit opens
// at its position.
func TestIncrementalSearch(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 40)
	s.Keys("/", `"gate`, "tab")
	s.Want(t, "/ gate█", "esc back", "!q quit", "in Skylark Handbook · tab: in all spaces", "p_quick", "Plug the gateway in")
	s.Keys(`"way`, "tab")
	s.Want(t, "in all spaces · tab: in Skylark Handbook", "/ gateway█")
	if diff := cmp.Diff([]string{"s_1/gate", "s_1/gatew", "s_1/gateway", "/gateway"}, s.Server.Searched); diff != "" {
		t.Error(diff)
	}
	s.Keys("enter")
	s.Want(t, "▌ Plug the gateway in")
	s.Keys("esc", "backspace", `"q`)
	s.Want(t, "No page has “gatewaq”.")
	if s.Quit {
		t.Error("a letter quit")
	}
}

// While a request is pending, no other one is sent, except for the last search term.
func TestFastTypingCoalescesSearches(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 40)
	s.Keys("/", "tab")
	for _, letter := range []string{"w", "e", "l", "c"} {
		s.Press(letter)
	}
	s.Drain()
	if diff := cmp.Diff([]string{"s_1/w", "s_1/welc"}, s.Server.Searched); diff != "" {
		t.Error(diff)
	}
	s.Want(t, "p_welcome")
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
			s := Start(Options{Space: "s_1"}, 100, 40)
			s.Keys(":", `"`+c.letters, "enter")
			s.Want(t, c.want)
		})
	}
}

// The palette of the inbox contains the change requests of all spaces.
func TestInboxPaletteFindsNumbers(t *testing.T) {
	t.Parallel()
	s := Start(Options{Organization: "o_1"}, 100, 40)
	s.Keys(":", `"2`)
	s.Want(t, "▌               #2 ", "#27 ")
	s.Keys("enter")
	s.Want(t, "Changed pages")
}

// Destinations loaded for a closed palette are not added to another one.
func TestLateDestinationsAreIgnored(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 40)
	s.Press(":")
	late := s.Waiting
	s.Waiting = nil
	s.Press("esc")
	s.Press(".")
	shown := s.View()
	s.Waiting = late
	s.Drain()
	if diff := cmp.Diff(shown, s.View()); diff != "" {
		t.Error(diff)
	}
}

func TestFollowLinks(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 40)
	s.Server.Texts[""]["p_welcome"] = "See [quick](quick.md) and <https://x.example>.\n"
	s.Keys("enter", "enter")
	s.Want(t, "Follow one of 2 links", "p_quick", "https://x.example")
	s.Keys("2")
	if s.Browsed != "https://x.example" {
		t.Errorf("opened %q", s.Browsed)
	}
	s.Keys("enter", "1")
	s.Want(t, "Plug the gateway in")
	s.Keys(":", `"links of the`, "enter")
	s.Want(t, "✗ gone.md", "page_not_found", "→ p_welcome", "← p_welcome", "leads here")
	s.Keys("G", "enter")
	s.Want(t, "See quick (quick.md)")
}

func TestHistoryAndBlame(t *testing.T) {
	t.Parallel()
	s := Start(Options{Space: "s_1"}, 100, 40)
	s.Keys("H", "enter")
	s.Want(t, "#2 Firmware 2.4: faster readings")
	s.Keys("esc", "esc", "j", "enter", "H")
	s.Want(t, "row 1 of 2", "rev   who    when               request          what", "r7    Grace  2h    4 May 2026   #2 Firmware 2.4  merge", "r1    Ada    4d    30 Apr 2026  —                initial")
	s.Keys("j", "enter")
	s.Want(t, "as it was in revision 1, by Ada", "As it was in r_1.")
	s.Keys("esc", "esc", ":", `"who wrote`, "enter")
	s.Want(t, "Grace", "Press the button", "#2", "somebody, long ago")
	s.Keys("enter")
	s.Want(t, "Changed pages")
}

func TestVisitsAreRecorded(t *testing.T) {
	t.Parallel()
	v := &Visits{}
	o := Options{Organization: "o_1", Visits: v}
	s := Start(o, 100, 40)
	s.Keys("alt+2", "/", `"skylark`, "enter", "enter", "j", "enter")
	want := []drafts.Visit{{Space: "s_1", Page: "p_quick", Title: "Quick start", At: Clock}}
	if diff := cmp.Diff(want, v.List); diff != "" {
		t.Error(diff)
	}
	s.Keys("esc", "esc", "esc", "R")
	s.Want(t, "Recently opened", "Skylark Handbook · just now")
	s.Keys("G", "enter")
	s.Want(t, "Plug the gateway in")
}

// The palette of a page contains the change requests of all spaces once, with their space. Words of a subject match
// better than those of a kind.
func TestSpacePaletteFindsAllChangeRequests(t *testing.T) {
	t.Parallel()
	s := Start(Options{Organization: "o_1", Space: "s_1"}, 120, 40)
	s.Keys(":", `"New hires`)
	s.Want(t, "▌               #9 New hires: the first week", "change request Team Guide")
	s.Keys("esc", ":", `"#2 firm`)
	if n := strings.Count(s.View(), "#2 Firmware"); n != 1 {
		t.Errorf("it is offered %d times in\n%s", n, s.View())
	}
}
