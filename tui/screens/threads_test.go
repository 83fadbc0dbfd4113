package screens

import (
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/components"
	"docspace.dev/wsd/tui/page"
	"docspace.dev/wsd/tui/remote"
)

func TestThreadsFollowTheirBlock(t *testing.T) {
	t.Parallel()
	about := func(id string, a api.CommentAnchor) commentThread {
		return commentThread{Comment: api.Comment{
			CommentFields: api.CommentFields{ID: id, Body: api.CommentText{Markdown: id + " says this"}},
			Target: api.CommentTarget{
				Page: &api.CommentPage{ID: "p"}, Node: &api.CommentNode{ID: "b_old", Preview: "Preview"}, Anchor: &a,
			},
		}}
	}
	ts := newThreadsPart(&page.Frame{Session: &page.Session{Connection: &remote.Connection{Now: time.Now}}}, remote.Target{}, "p")
	ts.remote.Latest = []commentThread{
		about("edited", api.CommentAnchor{State: api.AnchorFuzzy, Page: "p", Node: "b_new", Quote: "Wait for the light."}),
		about("moved", api.CommentAnchor{State: api.AnchorMoved, Page: "elsewhere", Node: "b_new", Quote: "Press the button."}),
		about("gone", api.CommentAnchor{State: api.AnchorOrphaned, Quote: "Call the service."}),
	}
	lines := func(rows []components.Row) string {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(r.Line.String() + "\n")
		}
		return b.String()
	}
	here := lines(ts.blockThreadRows(ts.blockThreads("b_new"), "", 80))
	if !strings.Contains(here, "edited says this") || !strings.Contains(here, "the text was edited since") ||
		strings.Contains(here, "moved says") {
		t.Errorf("at the block:\n%s", here)
	}
	if len(ts.blockThreads("b_old")) > 0 {
		t.Error("a thread stands where its text was")
	}
	rest := lines(ts.remainingRows(map[string]bool{"b_new": true}, 80))
	for _, want := range []string{
		"“Press the button.”", "the text is on another page", "“Call the service.”", "the text is gone", "gone says this",
	} {
		if !strings.Contains(rest, want) {
			t.Errorf("no %q in\n%s", want, rest)
		}
	}
}
