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
	s := start(Options{Space: "s_1"}, 100, 40)
	s.keys("/", `"gate`, "tab")
	s.want(t, "/ gate█", "esc back", "!q quit", "in Skylark Handbook · tab: in all spaces", "p_quick", "Plug the gateway in")
	s.keys(`"way`, "tab")
	s.want(t, "in all spaces · tab: in Skylark Handbook", "/ gateway█")
	if diff := cmp.Diff([]string{"s_1/gate", "s_1/gatew", "s_1/gateway", "/gateway"}, s.fake.searched); diff != "" {
		t.Error(diff)
	}
	s.keys("enter")
	s.want(t, "▌ Plug the gateway in")
	s.keys("esc", "backspace", `"q`)
	s.want(t, "No page has “gatewaq”.")
	if s.quit {
		t.Error("a letter quit")
	}
}

// While a request is pending, no other one is sent, except for the last search term.
func TestFastTypingCoalescesSearches(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 100, 40)
	s.keys("/", "tab")
	for _, letter := range []string{"w", "e", "l", "c"} {
		s.press(letter)
	}
	s.drain()
	if diff := cmp.Diff([]string{"s_1/w", "s_1/welc"}, s.fake.searched); diff != "" {
		t.Error(diff)
	}
	s.want(t, "p_welcome")
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
			s := start(Options{Space: "s_1"}, 100, 40)
			s.keys(":", `"`+c.letters, "enter")
			s.want(t, c.want)
		})
	}
}

// The palette of the inbox contains the change requests of all spaces.
func TestInboxPaletteFindsNumbers(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1"}, 100, 40)
	s.keys(":", `"2`)
	s.want(t, "▌               #2 ", "#27 ")
	s.keys("enter")
	s.want(t, "Changed pages")
}

// Destinations loaded for a closed palette are not added to another one.
func TestLateDestinationsAreIgnored(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 100, 40)
	s.press(":")
	late := s.waiting
	s.waiting = nil
	s.press("esc")
	s.press(".")
	shown := s.screen()
	s.waiting = late
	s.drain()
	if diff := cmp.Diff(shown, s.screen()); diff != "" {
		t.Error(diff)
	}
}

func TestFollowLinks(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 100, 40)
	s.fake.texts[""]["p_welcome"] = "See [quick](quick.md) and <https://x.example>.\n"
	s.keys("enter", "enter")
	s.want(t, "Follow one of 2 links", "p_quick", "https://x.example")
	s.keys("2")
	if s.browsed != "https://x.example" {
		t.Errorf("opened %q", s.browsed)
	}
	s.keys("enter", "1")
	s.want(t, "Plug the gateway in")
	s.keys(":", `"links of the`, "enter")
	s.want(t, "✗ gone.md", "page_not_found", "→ p_welcome", "← p_welcome", "leads here")
	s.keys("G", "enter")
	s.want(t, "See quick (quick.md)")
}

func TestHistoryAndBlame(t *testing.T) {
	t.Parallel()
	s := start(Options{Space: "s_1"}, 100, 40)
	s.keys("H", "enter")
	s.want(t, "#2 Firmware 2.4: faster readings")
	s.keys("esc", "esc", "j", "enter", "H")
	s.want(t, "row 1 of 2", "rev   who    when               request          what", "r7    Grace  2h    4 May 2026   #2 Firmware 2.4  merge", "r1    Ada    4d    30 Apr 2026  —                initial")
	s.keys("j", "enter")
	s.want(t, "as it was in revision 1, by Ada", "As it was in r_1.")
	s.keys("esc", "esc", ":", `"who wrote`, "enter")
	s.want(t, "Grace", "Press the button", "#2", "somebody, long ago")
	s.keys("enter")
	s.want(t, "Changed pages")
}

func TestVisitsAreRecorded(t *testing.T) {
	t.Parallel()
	v := &visits{}
	o := Options{Organization: "o_1", Visits: v}
	s := start(o, 100, 40)
	s.keys("alt+2", "/", `"skylark`, "enter", "enter", "j", "enter")
	want := []drafts.Visit{{Space: "s_1", Page: "p_quick", Title: "Quick start", At: clock}}
	if diff := cmp.Diff(want, v.all); diff != "" {
		t.Error(diff)
	}
	s.keys("esc", "esc", "esc", "R")
	s.want(t, "Recently opened", "Skylark Handbook · just now")
	s.keys("G", "enter")
	s.want(t, "Plug the gateway in")
}

// The palette of a page contains the change requests of all spaces once, with their space. Words of a subject match
// better than those of a kind.
func TestSpacePaletteFindsAllChangeRequests(t *testing.T) {
	t.Parallel()
	s := start(Options{Organization: "o_1", Space: "s_1"}, 120, 40)
	s.keys(":", `"New hires`)
	s.want(t, "▌               #9 New hires: the first week", "change request Team Guide")
	s.keys("esc", ":", `"#2 firm`)
	if n := strings.Count(s.screen(), "#2 Firmware"); n != 1 {
		t.Errorf("it is offered %d times in\n%s", n, s.screen())
	}
}
