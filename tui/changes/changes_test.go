package changes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

// runs reads what went from [-so-], what came from {+so+} and what is formatting only from [~so~]{~so~}.
func runs(drawn string) []api.TextRun {
	var out []api.TextRun
	for drawn != "" {
		at := strings.IndexAny(drawn, "[{")
		if at != 0 {
			text, rest := drawn, ""
			if at > 0 {
				text, rest = drawn[:at], drawn[at:]
			}
			out, drawn = append(out, api.TextRun{Change: api.TextSame, Text: text}), rest
			continue
		}
		change := map[byte]api.TextChange{'[': api.TextRemoved, '{': api.TextAdded}[drawn[0]]
		end := strings.IndexAny(drawn, "]}")
		out = append(out, api.TextRun{Change: change, Text: drawn[2 : end-1], Formatting: drawn[1] == '~'})
		drawn = drawn[end+1:]
	}
	return out
}

func TestWordsThatChanged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, runs, want string }{
		{"nothing", "one two", "one two"},
		{"a word", "the light is [-blue-]{+green+}.\n\n", "the light is [-blue-]{+green+}."},
		{"wrapped anew", "one[~ ~]{~\n~}two[~\n~]{~ ~}three", "one two three"},
		{"more at the end", "one{+ two+}{~\n~}", "one {+two+}"},
		{"less at the end", "one[- two-]\n", "one [-two-]"},
		{"white space", "one[-\n\n-]{+ +}two", "one[-  -]{+ +}two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inlineDiff(pieces(runs(c.runs))).String(); strings.ReplaceAll(got, "\n", " ") != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestLinesThatChanged(t *testing.T) {
	t.Parallel()
	signs := map[operation]string{same: " ", removed: "-", added: "+"}
	for _, c := range []struct{ name, runs, want string }{
		{"a word", "a\nb [-c-]{+d+}\ne", " a|-b c|+b d| e"},
		{"more", "a\n{+b\n+}c", " a|+b| c"},
		{"less", "a\n[-b\n-]c", " a|-b| c"},
		{"two", "a[-1-]{+2+}\nb[-1-]{+2+}\nc", "-a1|-b1|+a2|+b2| c"},
		{"at the end", "a{+\nb+}", "-a|+a|+b"},
		{"aligned anew", "| a[~ ~]{~  ~}|", " | a  |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range lines(pieces(runs(c.runs))) {
				got = append(got, signs[p.op]+p.text())
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, "|"), c.want)
			}
		})
	}
}

// Both texts can be read off the lines.
func TestLinesLoseNothing(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "a\n", "\nb"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		var cut []piece
		var left, right strings.Builder
		for _, part := range texts.Draw(t, "pieces") {
			op := rapid.SampledFrom([]operation{same, removed, added}).Draw(t, "op")
			cut = joinPiece(cut, piece{op, part})
			if op != added {
				left.WriteString(part)
			}
			if op != removed {
				right.WriteString(part)
			}
		}
		var old, now []string
		for _, l := range lines(cut) {
			if l.op != added {
				old = append(old, l.text())
			}
			if l.op != removed {
				now = append(now, l.text())
			}
		}
		if got, want := strings.Join(old, "\n"), left.String(); strings.Trim(got, "\n") != strings.Trim(want, "\n") {
			t.Errorf("old is %q, not %q", got, want)
		}
		if got, want := strings.Join(now, "\n"), right.String(); strings.Trim(got, "\n") != strings.Trim(want, "\n") {
			t.Errorf("new is %q, not %q", got, want)
		}
	})
}

func TestPagesThatChanged(t *testing.T) {
	t.Parallel()
	page := func(id string) *api.ChangedPage { return &api.ChangedPage{ID: id, Title: id} }
	text := func(s string) []byte { return []byte(`"` + s + `"`) }
	p := ProposedBy(api.SemanticChanges{More: 2, Changes: []api.SemanticChange{
		{Type: api.PageEdited, Page: page("a"), Attributes: map[string]api.AttributeChange{"title": {Before: text("One")}, "document": {}}},
		{Type: api.PageMoved, Page: page("b"), Parent: &api.ParentChange{Before: page("x")}},
		{Type: api.PageEdited, Page: page("b"), Attributes: map[string]api.AttributeChange{"hidden": {}, "slug": {Before: text("two")}}},
		{Type: api.PageMoved, Page: page("c"), Parent: &api.ParentChange{}},
		{Type: api.PageDeleted, Page: page("d")},
		{Type: api.PageCreated, Page: page("e")},
		{Type: api.FileCreated, File: &api.ChangedFile{Name: "f"}},
		{Type: api.VariablesEdited, Variables: map[string]api.VariableChange{"v": {Before: new("1"), After: new("2")}, "w": {After: new("3")}}},
	}})
	var got []string
	for _, c := range p.Pages {
		got = append(got, c.Sign()+" "+c.Page.ID+" "+c.What())
	}
	got = append(got, p.Rest...)
	want := []string{
		"~ a edited, was “One”", "~ b was at two, moved from “x”, settings", "~ c moved", "- d deleted", "+ e new",
		"+ file f", "~ variable v: 2, was 1", "+ variable w: 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPassagesHideNothing(t *testing.T) {
	t.Parallel()
	source := "intro\n\none\n\ntwo\n\nend"
	p := api.RevisionPage{ID: "p", Markdown: &source, Blocks: []api.Block{
		{ID: "a", Start: 7, End: 12}, {ID: "wrong", Start: 3, End: 99}, {ID: "b", Start: 12, End: 17},
	}}
	var got []string
	for _, b := range Passages(p) {
		got = append(got, b.ID+":"+b.Text)
	}
	if diff := cmp.Diff([]string{":intro", "a:one", "b:two", ":end"}, got); diff != "" {
		t.Error(diff)
	}
}

// In a line that changed, what differs stands out; a line that is there on one side only stands for itself.
func TestWhatDiffersInALineStandsOut(t *testing.T) {
	t.Parallel()
	cut := lines(pieces(runs("| Rain | ±[-5-]{+4+} % |\n{+| Wind | ±1 % |\n+}| Sun |")))
	var got []string
	for _, line := range cut {
		var b strings.Builder
		for _, span := range lineSpans(line) {
			if span.Style().Bold {
				b.WriteString("*" + span.Text() + "*")
			} else {
				b.WriteString(span.Text())
			}
		}
		got = append(got, b.String())
	}
	want := []string{"| Rain | ±*5* % |", "| Rain | ±*4* % |", "| Wind | ±1 % |", "| Sun |"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
