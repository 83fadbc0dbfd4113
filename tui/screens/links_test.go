package screens_test

import (
	"testing"

	"docspace.dev/wsd/tui"
	"docspace.dev/wsd/tui/tuitest"
)

func TestFollowLinks(t *testing.T) {
	t.Parallel()
	s := tuitest.Start(tui.Options{Space: "s_1"}, 100, 40)
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
