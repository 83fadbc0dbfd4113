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

// The columns of changed pages keep their position: first the change is left out, then the title is cut.
func TestPageColumnsKeepPosition(t *testing.T) {
	t.Parallel()
	change := api.SemanticChange{
		Type: api.PageEdited, Page: &api.ChangedPage{
			ID: "p", Title: "Meetings and their notes",
		}, Attributes: map[string]api.AttributeChange{"document": {}, "title": {}},
	}
	page := NewProposedChanges(api.SemanticChanges{Changes: []api.SemanticChange{change}}).Pages[0]
	read, unread := Line{Plain("✓ ")}, Line{Plain("◌ ")}
	few := PageFacts{Words: &api.WordCount{Added: 1, Removed: 1}, Threads: 1, Read: read}
	many := PageFacts{Words: &api.WordCount{Added: 1234, Removed: 123456}, Threads: 12, Read: unread}
	for _, c := range []struct {
		width int
		facts PageFacts
		want  string
	}{
		{70, few, "✓ ~ Meetings and their notes · edited, renamed        +1    −1      ●1"},
		{70, many, "◌ ~ Meetings and their notes · edited, renamed     +1234 −123k     ●12"},
		{60, few, "✓ ~ Meetings and their notes                +1    −1      ●1"},
		{60, PageFacts{}, "~ Meetings and their notes"},
		{44, few, "✓ ~ Meetings and their …    +1    −1      ●1"},
		{44, many, "◌ ~ Meetings and their … +1234 −123k     ●12"},
		{44, PageFacts{Threads: 3}, "~ Meetings and their no…                  ●3"},
		{30, few, "✓ ~ Meetings and the…       ●1"},
	} {
		if got := strings.TrimRight(PageRow(page, 0, c.facts, c.width).String(), " "); got != c.want {
			t.Errorf("in %d: %q, want %q", c.width, got, c.want)
		}
	}
	for width, want := range map[int]string{
		60: "Changed pages (3)  read 0 of 4 changes         words threads",
		50: "Changed pages (3)  read 0/4          words threads",
		40: "Changed pages (3)          words threads",
		35: "Changed pages (3)  read 0/4 threads",
		30: "Changed pages (3)      threads",
		20: "Changed pag… threads",
	} {
		if got := PagesHead(Line{Plain("Changed pages (3)")}, "read 0 of 4 changes", "read 0/4", width).String(); got != want {
			t.Errorf("in %d: %q, want %q", width, got, want)
		}
	}
}
