package render

import (
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
)

func TestNewsFitsWidth(t *testing.T) {
	t.Parallel()
	imke := newUser("i", "Imke")
	events := []api.TimelineEvent{
		{
			Kind: api.TimelineEdited, By: imke,
		}, {Kind: api.TimelineReplied, By: imke}, {Kind: api.TimelineReplied, By: imke, PageTitle: "Power and battery"},
	}
	for width, want := range map[int]string{
		80: "Imke replied on Power and battery + 1 reply, 1 edit", 45: "Imke replied on Power and battery + 2 more",
		30: "Imke replied + 2 more", 15: "Imke + 2 more", 5: "3 new",
	} {
		if got := NewsLine(events, "t", width); got != want {
			t.Errorf("in %d: %q, want %q", width, got, want)
		}
	}
}

func TestPageCutsTitleLast(t *testing.T) {
	t.Parallel()
	change := api.SemanticChange{
		Type: api.PageEdited, Page: &api.ChangedPage{
			ID: "p", Title: "Meetings and their notes",
		}, Attributes: map[string]api.AttributeChange{"document": {}, "title": {}},
	}
	all := NewProposedChanges(api.SemanticChanges{Changes: []api.SemanticChange{change}})
	f := PageFacts{Words: &api.WordCount{Added: 1, Removed: 1}, Threads: 1}
	for width, want := range map[int]string{
		70: "~ Meetings and their notes · edited, renamed +1 −1 ●1", 53: "~ Meetings and their notes · edited, renamed +1 −1 ●1",
		46: "~ Meetings and their notes +1 −1 ●1", 35: "~ Meetings and their notes +1 −1 ●1", 30: "~ Meetings and their… +1 −1 ●1",
	} {
		if got := PageRow(all.Pages[0], 0, f, width).String(); strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("in %d: %q, want %q", width, got, want)
		}
	}
}
