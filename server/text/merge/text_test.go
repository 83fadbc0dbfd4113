package merge

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/server/text/content"
)

// parse parses or fails the test.
func parse(t testing.TB, markdown string, previous content.Text) content.Text {
	t.Helper()
	text, err := content.Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatalf("Parse(%.40q): %v", markdown, err)
	}
	return text
}

// summary formats a conflict in one line, without ids and proposal.
func summary(c Conflict) string {
	value := func(p *string) string {
		if p == nil {
			return "-"
		}
		return fmt.Sprintf("%q", *p)
	}
	return fmt.Sprintf("%s %s %s %s", c.Kind, value(c.Base), value(c.Ours), value(c.Theirs))
}

func summaries(conflicts []Conflict) []string {
	var list []string
	for _, c := range conflicts {
		list = append(list, summary(c))
	}
	return list
}

func TestText(t *testing.T) {
	t.Parallel()
	type test struct {
		base, ours, theirs string
		want               string // for clean merges
		conflicts          []string
	}
	tests := map[string]test{
		"different paragraphs": {"a\n\nb\n\nc\n", "A\n\nb\n\nc\n", "a\n\nb\n\nC\n", "A\n\nb\n\nC\n", nil},
		"adjacent paragraphs":  {"a\n\nb\n", "A\n\nb\n", "a\n\nB\n", "A\n\nB\n", nil},
		"adjacent sentences": {
			"One is here. Two is there.", "One was here. Two is there.", "One is here. Two was there.",
			"One was here. Two was there.", nil,
		},
		"adjacent sentences without spaces": {"一です。二です。", "一だ。二です。", "一です。二だ。", "一だ。二だ。", nil},
		"sentences across lines": {
			"One is\nhere. Two is\nthere. Three.\n", "One was\nhere. Two is\nthere. Three.\n", "One is\nhere. Two is\nthere. Four.\n",
			"One was\nhere. Two is\nthere. Four.\n", nil,
		},
		"same sentence": {
			"One is here. Two.", "One was here. Two.", "One is there. Two.", "",
			[]string{`text "One is here." "One was here." "One is there."`},
		},
		"two sentences of a block": {
			"One is here. Two. Three is here.", "One was here. Two. Three was here.", "One is there. Two. Three is there.", "",
			[]string{`text "One is here." "One was here." "One is there."`, `text "Three is here." "Three was here." "Three is there."`},
		},
		"same edit":                 {"One is here. Two.", "One was here. Two.", "One was here. Three.", "One was here. Three.", nil},
		"append sentence and edit":  {"One. Two.", "One. Two. Three.", "One. 2.", "One. 2. Three.", nil},
		"insert sentence and edit":  {"One. Two.", "One. And. Two.", "Uno. Two.", "Uno. And. Two.", nil},
		"delete and edit sentences": {"One. Two. Three.", "One. Three.", "Uno. Two. Three.", "Uno. Three.", nil},
		"delete and edit the same sentence": {
			"One. Two. Three.", "One. Three.", "One. 2. Three.", "",
			[]string{`text "Two." - "2."`},
		},
		"both append a sentence": {
			"One.", "One. Two.", "One. Three.", "", []string{`text - "Two." "Three."`},
		},
		"distant code lines":  {"```\na\nb\nc\n```\n", "```\nA\nb\nc\n```\n", "```\na\nb\nC\n```\n", "```\nA\nb\nC\n```\n", nil},
		"adjacent code lines": {"```\na\nb\n```\n", "```\nA\nb\n```\n", "```\na\nB\n```\n", "", []string{`text "a\nb" "A\nb" "a\nB"`}},
		"table rows": {
			"| h |\n|---|\n| a |\n| b |\n| c |\n", "| h |\n|---|\n| A |\n| b |\n| c |\n", "| h |\n|---|\n| a |\n| b |\n| c |\n| d |\n",
			"| h |\n|---|\n| A |\n| b |\n| c |\n| d |\n", nil,
		},
		"front matter lines": {
			"---\na: 1\nb: 1\nc: 1\n---\nx\n", "---\na: 2\nb: 1\nc: 1\n---\nx\n", "---\na: 1\nb: 1\nc: 2\n---\nx\n",
			"---\na: 2\nb: 1\nc: 2\n---\nx\n", nil,
		},
		"list items":                  {"- a\n- b\n- c\n", "- a\n- new\n- b\n- c\n", "- a\n- b\n- C\n", "- a\n- new\n- b\n- C\n", nil},
		"insert at two positions":     {"a\n\nb\n", "new\n\na\n\nb\n", "a\n\nb\n\nmore\n", "new\n\na\n\nb\n\nmore\n", nil},
		"insert next to an edit":      {"a\n\nb\n", "a\n\nnew\n\nb\n", "a\n\nB\n", "a\n\nnew\n\nB\n", nil},
		"insert next to deletion":     {"a\n\nb\n\nc\n", "a\n\nnew\n\nb\n\nc\n", "a\n\nc\n", "a\n\nnew\n\nc\n", nil},
		"same insertion":              {"a\n", "a\n\nnew\n", "a\n\nnew\n", "a\n\nnew\n", nil},
		"same insertion and an edit":  {"a\n\nb\n", "a\n\nnew\n\nb\n", "a\n\nnew\n\nB\n", "a\n\nnew\n\nB\n", nil},
		"insert at the same position": {"a\n", "a\n\none\n", "a\n\ntwo\n", "", []string{`inserted - "one" "two"`}},
		"insert at the top":           {"a\n", "one\n\na\n", "two\n\na\n", "", []string{`inserted - "one" "two"`}},
		"insert into an empty page":   {"", "one\n", "two\n", "", []string{`inserted - "one" "two"`}},
		"delete different blocks":     {"a\n\nb\n\nc\n", "b\n\nc\n", "a\n\nb\n", "b\n", nil},
		"delete the same block":       {"a\n\nb\n\nc\n", "a\n\nc\n", "a\n\nc\n\nd\n", "a\n\nc\n\nd\n", nil},
		"delete and edit": {
			"a\n\nb is long\n\nc\n", "a\n\nc\n", "a\n\nb is very long\n\nc\n", "", []string{`deleted "b is long" - "b is very long"`},
		},
		"delete everything, edit the last block":   {"a\n\nb\n", "", "a\n\nB\n", "", []string{`deleted "b" - "B"`}},
		"delete everything, delete the last block": {"a\n\nb\n", "", "a\n", "", nil},
		"replace adjacent blocks":                  {"a\n\nb\n\nc\n", "# A\n\nb\n\nc\n", "a\n\n# B\n\nc\n", "# A\n\n# B\n\nc\n", nil},
		"move and edit": {
			"one\n\ntwo\n\nthree is long\n", "three is long\n\none\n\ntwo\n", "one\n\ntwo\n\nthree is very long\n",
			"three is very long\n\none\n\ntwo\n", nil,
		},
		"same move":                    {"a\n\nb\n\nc\n", "c\n\na\n\nb\n", "c\n\na\n\nb\n\nd\n", "c\n\na\n\nb\n\nd\n", nil},
		"move and delete":              {"a\n\nb\n\nc\n", "c\n\na\n\nb\n", "a\n\nb\n", "", []string{`deleted "c" "c" -`}},
		"append without final newline": {"a", "a\n\nb", "A", "A\n\nb", nil},
		"delete last, append":          {"a\n\nb", "a\n", "a\n\nb\n\nc", "a\n\nc", nil},
		"CRLF":                         {"a\r\n\r\nb\r\n", "A\r\n\r\nb\r\n", "a\r\n\r\nb\r\n\r\nc\r\n", "A\r\n\r\nb\r\n\r\nc\r\n", nil},
		"one side rewraps":             {"a b\nc. d.\n\nx", "a\nb c. d.\n\nx", "a b\nc. d.\n\nX", "a\nb c. d.\n\nX", nil},
		"join and edit next block":     {"a a.\n\nb b.\n\nc c.", "a a. b b.\n\nc c.", "a a.\n\nb b.\n\nc d.", "a a. b b.\n\nc d.", nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := parse(t, test.base, content.Text{})
			ours, theirs := parse(t, test.ours, base), parse(t, test.theirs, base)
			merged, conflicts := Text("page", base, ours, theirs)
			if diff := cmp.Diff(test.conflicts, summaries(conflicts)); diff != "" {
				t.Fatalf("conflicts (-want +got):\n%s", diff)
			}
			if len(conflicts) == 0 && string(merged.Markdown) != test.want {
				t.Errorf("merged %q, want %q", merged.Markdown, test.want)
			}
			resolveAll(t, base, ours, theirs, conflicts)
		})
	}
}

// resolveAll resolves every conflict with each of its values: no conflict may be left, and the chosen texts must be
// in the result.
func resolveAll(t testing.TB, base, ours, theirs content.Text, conflicts []Conflict) {
	t.Helper()
	for i, pick := range []func(Conflict) *string{
		func(c Conflict) *string { return c.Base }, func(c Conflict) *string { return c.Ours },
		func(c Conflict) *string { return c.Theirs }, func(c Conflict) *string { return c.Proposed },
		func(Conflict) *string { return new("chosen words") },
	} {
		answers := Resolutions{}
		for _, c := range conflicts {
			answers[c.ID] = pick(c)
		}
		merged, left := ResolveText(context.Background(), "page", base, ours, theirs, answers)
		if len(left) > 0 {
			t.Fatalf("answer %d leaves %v", i, summaries(left))
		}
		for _, c := range conflicts {
			if value := text(pick(c)); c.Kind != KindMoved && !strings.Contains(string(merged.Markdown), value) {
				t.Fatalf("answer %d: %q is not in %q", i, value, merged.Markdown)
			}
		}
	}
}

func TestMergedBlocksKeepTheirIDs(t *testing.T) {
	t.Parallel()
	base := parse(t, "one\n\ntwo is long\n\nthree\n", content.Text{})
	ours := parse(t, "new here\n\none\n\ntwo is long\n\nthree\n", base)
	theirs := parse(t, "three\n\none\n\ntwo is very long\n", base)
	merged, conflicts := Text("page", base, ours, theirs)
	if len(conflicts) > 0 {
		// The new block and the moved one are at the same position.
		if len(conflicts) != 1 || conflicts[0].Kind != KindInserted {
			t.Fatalf("conflicts %v", summaries(conflicts))
		}
	}
	for _, source := range []content.Text{base, ours} {
		for _, block := range source.Blocks {
			found, ok := merged.Blocks.Find(block.ID)
			if !ok {
				t.Errorf("block %q lost its id", source.Bytes(block))
			} else if want := string(source.Bytes(block))[:3]; string(merged.Bytes(found))[:3] != want {
				t.Errorf("id of %q names %q", source.Bytes(block), merged.Bytes(found))
			}
		}
	}
}

func TestMergeReportsBlockMovedTwice(t *testing.T) {
	t.Parallel()
	base := parse(t, "a\n\nb\n\nc\n\nd\n", content.Text{})
	ours, theirs := parse(t, "d\n\na\n\nb\n\nc\n", base), parse(t, "a\n\nd\n\nb\n\nc\n", base)
	_, conflicts := Text("page", base, ours, theirs)
	id := func(i int) string { return base.Blocks[i].ID }
	want := []string{fmt.Sprintf("moved %q %q %q", id(2), "", id(0))}
	if diff := cmp.Diff(want, summaries(conflicts)); diff != "" {
		t.Fatalf("conflicts (-want +got):\n%s", diff)
	}
	for _, side := range []content.Text{ours, theirs} {
		answer := conflicts[0].Ours
		if side.Blocks[0].ID == id(0) {
			answer = conflicts[0].Theirs
		}
		merged, left := ResolveText(context.Background(), "page", base, ours, theirs, Resolutions{conflicts[0].ID: answer})
		if len(left) > 0 || string(merged.Markdown) != string(side.Markdown) {
			t.Errorf("answer %q gives %q, %v", *answer, merged.Markdown, left)
		}
	}
}

func TestTooLargeMergeIsWholePageConflict(t *testing.T) {
	t.Parallel()
	half := strings.Repeat("x", content.MaxTextBytes/2)
	base := parse(t, "a\n\nb\n", content.Text{})
	ours, theirs := parse(t, half+"\n\na\n\nb\n", base), parse(t, "a\n\nb\n\n"+half+"\n", base)
	merged, conflicts := Text("page", base, ours, theirs)
	if len(conflicts) != 1 || conflicts[0].Kind != KindText || conflicts[0].Block != "" {
		t.Fatalf("%d conflicts, want one over the page", len(conflicts))
	}
	if string(merged.Markdown) != string(ours.Markdown) {
		t.Error("the proposal is not ours")
	}
}

func BenchmarkText(b *testing.B) {
	var base strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&base, "word%d", i)
		switch {
		case i%100 == 99:
			base.WriteString(".\n\n")
		case i%10 == 9:
			base.WriteString(". ")
		default:
			base.WriteString(" ")
		}
	}
	baseText := parse(b, base.String(), content.Text{})
	edit := func(from, step int) content.Text {
		text := base.String()
		for i := from; i < 10_000; i += step {
			text = strings.Replace(text, fmt.Sprintf("word%d", i), "edited", 1)
		}
		return parse(b, text, baseText)
	}
	ours, theirs := edit(5, 100), edit(25, 100)
	for b.Loop() {
		if _, conflicts := Text("page", baseText, ours, theirs); len(conflicts) > 0 {
			b.Fatal(summaries(conflicts))
		}
	}
}
