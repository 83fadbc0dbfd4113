package browse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func TestSearchHitInTableShowsCells(t *testing.T) {
	t.Parallel()
	s := tuitest.NewScreen(tui.Options{Organization: "o_1"})
	s.Server.Texts[""]["p_quick"] = "| Light | Meaning |\n| --- | :-: |\n| green | ready |\n"
	s.Open(120, 40)
	s.Keys("alt+3", `"green`)
	s.Want(t, "Beginning · Light │ Meaning │ green │ ready", "!---", "!|")
}

// TestIncrementalSearch checks that the search starts with the words of the page search in the current space and continues in
// all spaces, and that a hit opens at its position.
func TestIncrementalSearch(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
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

// TestFastTypingCoalescesSearches checks that no request is sent while another is pending, and that only the last search term
// is sent afterwards.
func TestFastTypingCoalescesSearches(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
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
