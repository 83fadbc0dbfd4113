package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
)

// parseRuns parses text runs: [-removed-], {+added+}, and [~removed~] and {~added~} for formatting-only changes.
func parseRuns(drawn string) []api.TextRun {
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

func TestInlineDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, runs, want string }{
		{"nothing", "one two", "one two"},
		{"a word", "the light is [-blue-]{+green+}.\n\n", "the light is [-blue-]{+green+}."},
		{"rewrapped", "one[~ ~]{~\n~}two[~\n~]{~ ~}three", "one two three"},
		{"more at the end", "one{+ two+}{~\n~}", "one {+two+}"},
		{"less at the end", "one[- two-]\n", "one [-two-]"},
		{"white space", "one[-\n\n-]{+ +}two", "one[-↵↵-]{+·+}two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inlineDiff(textSegments(parseRuns(c.runs)), Brackets).String(); strings.ReplaceAll(got, "\n", " ") != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestDiffLines(t *testing.T) {
	t.Parallel()
	signs := map[operation]string{same: " ", removed: "-", added: "+"}
	for _, c := range []struct{ name, runs, want string }{
		{"a word", "a\nb [-c-]{+d+}\ne", " a|-b c|+b d| e"},
		{"more", "a\n{+b\n+}c", " a|+b| c"},
		{"less", "a\n[-b\n-]c", " a|-b| c"},
		{"two", "a[-1-]{+2+}\nb[-1-]{+2+}\nc", "-a1|-b1|+a2|+b2| c"},
		{"at the end", "a{+\nb+}", " a|+b"},
		{"between, beginning with the break", "a{+\nb+}\nc", " a|+b| c"},
		{"less, beginning with the break", "a[-\nb-]\nc", " a|-b| c"},
		{"realigned", "| a[~ ~]{~  ~}|", " | a  |"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range diffLines(textSegments(parseRuns(c.runs))) {
				got = append(got, signs[p.op]+p.text())
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("got %s, want %s", strings.Join(got, "|"), c.want)
			}
		})
	}
}

func TestDiffLinesKeepBothTexts(t *testing.T) {
	t.Parallel()
	texts := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "a\n", "\nb"}), 0, 12)
	rapid.Check(t, func(t *rapid.T) {
		var cut []segment
		var left, right strings.Builder
		for _, part := range texts.Draw(t, "pieces") {
			op := rapid.SampledFrom([]operation{same, removed, added}).Draw(t, "op")
			cut = appendSegment(cut, segment{op, part})
			if op != added {
				left.WriteString(part)
			}
			if op != removed {
				right.WriteString(part)
			}
		}
		var old, now []string
		for _, l := range diffLines(cut) {
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

// TestUnifiedMarksWordsWithBackgrounds checks that backgrounds replace the bracket signs, and that a line wrap within added
// words is not a separate change.
func TestUnifiedMarksWordsWithBackgrounds(t *testing.T) {
	t.Parallel()
	c := newBlockChange("paragraph", api.BlockEdited, "It lasts [-two weeks-]{+three\nweeks or more+}, in frost too.")
	var got strings.Builder
	for _, span := range c.Draw(View{Width: 80, Marks: Grounds}).Lines[0] {
		switch span.Style().Ground {
		case AddedWord:
			got.WriteString("<+" + span.Text() + ">")
		case RemovedWord:
			got.WriteString("<-" + span.Text() + ">")
		default:
			got.WriteString(span.Text())
		}
	}
	if want := "~ It lasts <-two weeks>→<+three weeks or more>, in frost too."; got.String() != want {
		t.Errorf("%s, want %s", got.String(), want)
	}
}

func TestNewProposedChanges(t *testing.T) {
	t.Parallel()
	page := func(id string) *api.ChangedPage { return &api.ChangedPage{ID: id, Title: id} }
	text := func(s string) []byte { return []byte(`"` + s + `"`) }
	p := NewProposedChanges(api.SemanticChanges{More: 2, Changes: []api.SemanticChange{
		{Type: api.PageEdited, Page: page("a"), Attributes: map[string]api.AttributeChange{"title": {Before: text("One")}, "document": {}}},
		{Type: api.PageMoved, Page: page("b"), Parent: &api.ParentChange{Before: page("x")}, Previous: &api.ParentChange{After: page("z")}},
		{
			Type: api.PageEdited, Page: page("b"), Attributes: map[string]api.AttributeChange{
				"hidden": {After: []byte("true")}, "slug": {Before: text("two")},
			},
		},
		{Type: api.PageMoved, Page: page("c"), Parent: &api.ParentChange{}},
		{Type: api.PageDeleted, Page: page("d")},
		{Type: api.PageCreated, Page: page("e")},
		{Type: api.FileCreated, File: &api.ChangedFile{Name: "f"}},
		{
			Type: api.VariablesEdited, Variables: map[string]api.VariableChange{
				"v": {Before: new("1"), After: new("2")}, "w": {After: new("3")},
			},
		},
	}})
	var got []string
	for _, c := range p.Pages {
		got = append(got, c.Sign()+" "+c.Page.ID+" "+c.Description())
		for _, detail := range c.Details() {
			got = append(got, "  "+detail)
		}
	}
	for _, r := range p.Rest {
		got = append(got, r.Text)
	}
	want := []string{
		"~ a edited, renamed", "  title: “One” → none", "~ b moved, hidden from the navigation, address",
		"  moved from “x”, first to the top level, after “z”", "  hidden from the navigation: none → yes", "  address: “two” → none",
		"~ c moved", "  moved from the top level to the top level", "- d deleted", "+ e new",
		"+ file f", "~ variable v: 2, was 1", "+ variable w: 3",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPassagesCoverWholePage(t *testing.T) {
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

// TestLineSpansEmphasizeDifferences checks that a line that exists on one side only has no emphasized part.
func TestLineSpansEmphasizeDifferences(t *testing.T) {
	t.Parallel()
	cut := diffLines(textSegments(parseRuns("| Rain | ±[-5-]{+4+} % |\n{+| Wind | ±1 % |\n+}| Sun |")))
	var got []string
	for _, line := range cut {
		var b strings.Builder
		for _, span := range lineSpans(line, Brackets) {
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

func trimmedText(lines []Line) string {
	var out []string
	for _, line := range lines {
		out = append(out, strings.TrimRight(line.String(), " "))
	}
	return strings.Join(out, "\n")
}

// newBlockChange returns a block change of a kind with the runs in drawn.
func newBlockChange(kind string, change api.BlockChange, drawn string) BlockChange {
	return Blocks(api.DocumentDiff{Blocks: []api.BlockDiff{{Change: change, ID: "b", Kind: kind, Runs: parseRuns(drawn)}}})[0]
}

// TestUnifiedKeepsStructure checks that nested blocks and tables keep their structure, and that changes of white space are
// described.
func TestUnifiedKeepsStructure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, kind, runs, want string }{
		{"nested list", "item", "1. First\n   - inner one\n   - inner two{+, edited+}\n     goes on\n   - inner three\n", `
  1. First
     - inner one
~    - inner two{+, edited+} goes on
     - inner three`},
		{"a nested item more", "item", "- First\n{+  - new+}{+\n+}  - old\n", `
  - First
+   - new
    - old`},
		{"paragraphs in a quote", "quote", "> One [-two-]{+2+}\n> three.\n>\n> Four.", `
~ > One [-two-]{+2+}
  > three.
  >
  > Four.`},
		{"code in an item", "item", "- Run\n  ~~~\n  make [-x-]{+y+}\n  done\n  ~~~", `
  - Run
    ~~~
~   make [-x-]{+y+}
    done
    ~~~`},
		{"prose", "paragraph", "One [-two-]{+2+}\nthree.", "~ One [-two-]{+2+} three."},
		{"table", "table", "| Part | Range |\n|---|---|\n| Rain gauge | ±[-5-]{+4+} % |\n| Wind | ±1 % |", `
  Part       │ Range
  ───────────┼──────
- Rain gauge │ ±5 %
+ Rain gauge │ ±4 %
  Wind       │ ±1 %`},
		{"a row with other spaces", "table", "| Part | Range |\n|---|---|\n[-| Rain  | 4 |-]{+| Rain | 4 |+}\n| Wind | [-1-]{+2+} |", `
  Part │ Range
  ─────┼──────
  Rain │ 4
- Wind │ 1
+ Wind │ 2`},
		{"trailing space", "code", "~~~sh[- -]\nls\n~~~", "- ~~~sh·  had 1 space at the end\n+ ~~~sh\n  ls\n  ~~~"},
		{
			"tab for spaces", "code", "~~~\n[-  -]{+\t+}ls\n~~~", "  ~~~\n- ··ls  had 2 spaces at the start\n" +
				"+ →ls  has 1 tab at the start\n  ~~~",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"),
				trimmedText(newBlockChange(c.kind, api.BlockEdited, c.runs).Draw(View{Width: 60}).Lines)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDescribeAttribute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ before, after, want string }{
		{"", "true", "none → yes"},
		{`"old"`, `""`, "“old” → none"},
		{`{"title":true,"outline":true}`, `{"title":true,"outline":false}`, "outline yes → no"},
		{`{"kind":"page","page":"p_1"}`, `{"kind":"page","page":"p_2"}`, "a page → another"},
		{`{"kind":"page","page":"p_1"}`, `{"kind":"url","url":"https://example.com"}`, "a page → https://example.com"},
		{"", `{"ref":{"kind":"file","file":"f_1"},"yPos":0}`, "ref none → a file, yPos none → 0"},
		{`["a"]`, `["a","b"]`, "“a” → “a”, “b”"},
	} {
		if got := describeAttribute(api.AttributeChange{Before: []byte(c.before), After: []byte(c.after)}); got != c.want {
			t.Errorf("%s to %s: %s, want %s", c.before, c.after, got, c.want)
		}
	}
}

// TestDiffListsSettings checks that Diff lists changes outside of texts, because a reviewer must not approve a hidden page
// unknowingly.
func TestDiffListsSettings(t *testing.T) {
	t.Parallel()
	page := &api.ChangedPage{ID: "p_1", Title: "Lists", Path: "lists", Type: api.PageDocument}
	got := Diff(api.ContentDiff{Changes: []api.SemanticChange{
		{Type: api.PageEdited, Page: page, Attributes: map[string]api.AttributeChange{"hidden": {After: []byte("true")}}},
	}}, 60, Brackets)
	if want := "~ Lists  lists  hidden from the navigation\n    hidden from the navigation: none → yes"; trimmedText(got) != want {
		t.Errorf("got\n%s\nwant\n%s", trimmedText(got), want)
	}
}

func TestUnifiedRendersLinksInTables(t *testing.T) {
	t.Parallel()
	b := Blocks(api.DocumentDiff{Blocks: []api.BlockDiff{{Change: api.BlockEdited, ID: "b", Kind: "table", Runs: []api.TextRun{
		{Change: api.TextSame, Text: "| Part | See |\n|---|---|\n| Rain | "},
		{Change: api.TextRemoved, Text: "one"},
		{Change: api.TextAdded, Text: "[the list](parts.md) `[x](y)`"},
		{Change: api.TextSame, Text: " |\n| Wind | ![cups](wind.png \"Wind\") |"},
	}}}})[0]
	want := `  Part │ See
  ─────┼─────────────────────────────
- Rain │ one
+ Rain │ the list (parts.md) ` + "`[x](y)`" + `
  Wind │ cups (wind.png "Wind")`
	if diff := cmp.Diff(want, trimmedText(b.Draw(View{Width: 60}).Lines)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBlocksOrderRemovedFirst(t *testing.T) {
	t.Parallel()
	var d api.DocumentDiff
	for _, b := range []string{"added 1", "removed 2", "same 3", "removed 4", "added 5", "removed 6", "moved 7", "added 8"} {
		change, id, _ := strings.Cut(b, " ")
		d.Blocks = append(d.Blocks, api.BlockDiff{Change: api.BlockChange(change), ID: id})
	}
	got := ""
	for _, b := range Blocks(d) {
		got += b.ID()
	}
	if got != "21346578" {
		t.Errorf("the order is %s", got)
	}
}
