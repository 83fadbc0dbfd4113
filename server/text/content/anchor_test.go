package content

import (
	"strings"
	"testing"
)

// TestLocate checks the locations of anchors in small texts; TestAnchorsFollowEdits checks those in real pages.
func TestLocate(t *testing.T) {
	t.Parallel()
	const intro = "This page says how the pump is started, and what to do when it does not.\n\n"
	const body = "Open the valve first. Wait for the pressure to rise above four bar. Then press the green button.\n\n"
	const last = "Call the service if nothing moves within a minute.\n\n"
	const note = "Note:\n\n"
	tests := map[string]struct {
		before, quote, after string
		block                int
		state                State
		want                 string // the text at the location
	}{
		"untouched":            {intro + body, "", intro + body, 1, Exact, strings.TrimSpace(body)},
		"another block edited": {intro + body, "", "Changed.\n\n" + body, 1, Exact, strings.TrimSpace(body)},
		"moved":                {intro + body + last, "", body + last + intro, 0, Exact, strings.TrimSpace(intro)},
		"sentence in place": {
			intro + body, "Wait for the pressure to rise above four bar.", intro + strings.Replace(body, "green", "red",
				1), 1, Shifted, "Wait for the pressure to rise above four bar.",
		},
		"sentence rewrapped": {
			intro + body, "Wait for the pressure to rise above four bar.", intro + strings.Replace(body, "to rise", "to\nrise",
				1), 1, Shifted, "Wait for the pressure to\nrise above four bar.",
		},
		"word replaced": {
			intro + body, "", intro + strings.Replace(body, "green", "red", 1), 1, Fuzzy, strings.TrimSpace(strings.Replace(body,
				"green", "red", 1)),
		},
		"joined blocks": {intro + last, "", strings.TrimSpace(intro) + " " + last, 1, Shifted, strings.TrimSpace(last)},
		"block split after the sentence": {
			intro + body, "Wait for the pressure to rise above four bar.", intro + strings.Replace(body, "first. ", "first.\n\n",
				1), 1, Shifted, "Wait for the pressure to rise above four bar.",
		},
		"rewritten": {
			intro + body, "", intro + "Nobody may enter this room without a helmet and two witnesses.\n\n", 1, Orphaned, "",
		},
		"sentence deleted": {
			intro + body, "Wait for the pressure to rise above four bar.", intro +
				strings.Replace(body, "Wait for the pressure to rise above four bar. ", "", 1), 1, Orphaned, "",
		},
		"deleted":                 {intro + body + last, "", intro + last, 1, Orphaned, ""},
		"duplicate deleted":       {note + intro + note + body, "", intro + note + body, 0, Orphaned, ""},
		"other duplicate deleted": {note + intro + note + body, "", intro + note + body, 2, Exact, "Note:"},
		"page emptied":            {intro, "", "", 0, Orphaned, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			then := parse(t, test.before, Text{})
			now := parse(t, test.after, then)
			a, found := NewAnchor(then, then.Blocks[test.block], test.quote)
			if found != 1 {
				t.Fatalf("the quote stands there %d times", found)
			}
			got := a.Locate(&Versions{Page: "page", Then: then, Now: now})
			if text := string(now.Markdown[got.Start:got.End]); got.State != test.state || text != test.want {
				t.Errorf("%s at %q, want %s at %q", got.State, text, test.state, test.want)
			}
		})
	}
}

// TestLocateElsewhere checks that a quote that moved to another page is found there, unless it occurs twice.
func TestLocateElsewhere(t *testing.T) {
	t.Parallel()
	const rest = "What stays on the page is of no interest here.\n\n"
	const gone = "Every comment on this sentence wants to go along to the page that it went to.\n\n"
	then := parse(t, rest+gone, Text{})
	own := &Versions{Page: "page", Then: then, Now: parse(t, rest, then)}
	a, _ := NewAnchor(then, then.Blocks[1], "")
	on := func(texts ...string) (pages []*Versions) {
		for _, text := range texts {
			pages = append(pages, &Versions{Page: "other", Then: parse(t, "# Other\n", Text{}), Now: parse(t, text, Text{})})
		}
		return pages
	}
	tests := map[string]struct {
		pages []*Versions
		want  State
		score int
	}{
		"on no page":              {nil, Orphaned, 0},
		"on another page":         {on("# Other\n\n" + gone), Moved, 100},
		"edited on another page":  {on("# Other\n\n" + strings.Replace(gone, "wants", "has", 1)), Moved, 93},
		"twice on other pages":    {on("# Other\n\n"+gone, gone), Orphaned, 0},
		"already on another page": {[]*Versions{{Page: "other", Then: then, Now: then}}, Orphaned, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := *own
			got := a.LocateElsewhere(a.Locate(&v), &v, test.pages)
			if got.State != test.want || got.Score != test.score {
				t.Errorf("%+v, want %s %d", got, test.want, test.score)
			}
		})
	}
}

func TestNewAnchor(t *testing.T) {
	t.Parallel()
	text := parse(t, "# Title\n\nOne two three. One two four.\n\nThe end of the page.\n", Text{})
	a, found := NewAnchor(text, text.Blocks[1], "One two\n four.")
	want := Anchor{
		Block: text.Blocks[1].ID, Start: 15, Quote: "One two four.", Before: "# Title One two three.", After: "The end of the page.",
	}
	if found != 1 || a != want {
		t.Errorf("%d %+v, want %+v", found, a, want)
	}
	for quote, want := range map[string]int{"One two": 2, "five": 0, "One tw": 0} {
		if _, found := NewAnchor(text, text.Blocks[1], quote); found != want {
			t.Errorf("%q stands there %d times, want %d", quote, found, want)
		}
	}
}
