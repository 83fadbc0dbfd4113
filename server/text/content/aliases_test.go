package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAliasesBelongToBlockOfTheirLine(t *testing.T) {
	t.Parallel()
	text := parse(t, "# A\n\none\ntwo\n\n- x\n  y\n- z\n", Text{}).WithAliases([]Alias{
		{Name: "late", Line: 99},
		{Name: "two", Line: 3},
		{Name: "a", Line: 0},
		{Name: "twice", Line: 6},
		{Name: "twice", Line: 3},
		{Name: "", Line: 0},
		{Name: "with space", Line: 0},
		{Name: "with\ttab", Line: 0},
		{Name: "z", Line: 7},
		{
			Name: strings.Repeat("x", 201), Line: 0,
		},
	})
	want := map[string]string{"a": "# A", "two": "one\ntwo", "twice": "one\ntwo", "z": "- z", "late": "- z", "with space": "# A"}
	got := map[string]string{}
	for name, id := range text.Blocks.Aliases() {
		block, _ := text.Blocks.Find(id)
		got[name] = strings.TrimSpace(string(text.Bytes(block)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(text.WithAliases(nil).Blocks.Aliases()) != 0 {
		t.Error("aliases of before stayed")
	}
}

// TestAliasesFollowTheirBlocks checks that a block that survives an edit keeps its aliases, and that no alias is
// added.
func TestAliasesFollowTheirBlocks(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{
		"# Head", "one two three", "four five six seven", "- item", "- other item", "```\ncode\n```", "| a |\n|---|\n| b |",
	})
	pieces := rapid.SliceOfN(words, 1, 8)
	rapid.Check(t, func(t *rapid.T) {
		text, err := Parse("page", []byte(strings.Join(pieces.Draw(t, "before"), "\n\n")), Text{})
		if err != nil {
			t.Fatal(err)
		}
		blockOf := map[string]string{}
		for i, block := range text.Blocks {
			blockOf[string(rune('a'+i))] = block.ID
		}
		text.Blocks = text.Blocks.WithAliases(blockOf, nil)
		next, err := Parse("page", []byte(strings.Join(pieces.Draw(t, "after"), "\n\n")), text)
		if err != nil {
			t.Fatal(err)
		}
		for name, id := range blockOf {
			if _, lives := next.Blocks.Find(id); !lives {
				delete(blockOf, name)
			}
		}
		if diff := cmp.Diff(blockOf, next.Blocks.Aliases()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAddHeadingID(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ markdown, title, anchor string }{
		"id at the end":                     {"# One two {#three}\n", "One two", "three"},
		"id after closing marks":            {"# One ## {#three}\n", "One ##", "three"},
		"id before closing marks":           {"# One {#three} ##\n", "One", "three"},
		"id in the middle":                  {"# One {#three} two\n", "One {#three} two", "one-three-two"},
		"id without a hash sign":            {"# One {three}\n", "One {three}", "one-three"},
		"id without a preceding space":      {"# One{#three}\n", "One{#three}", "onethree"},
		"id and element":                    {"# One <a id=\"two\"></a> {#three}\n", "One", "two"},
		"single-line setext heading":        {"One two {#three}\n===\n", "One two", "three"},
		"multi-line setext heading":         {"One\ntwo  {#three} \n---\n\nText.\n", "One two", "three"},
		"setext heading without a title":    {"{#three}\n---\n", "", "three"},
		"id in the first line of a heading": {"One {#three}\ntwo\n---\n", "One {#three} two", "one-three-two"},
		"id without a title":                {"# {#three}\n", "", "three"},
		"id in mixed case":                  {"# One {#Three.x}\n", "One", "Three.x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outline := ParseOutline([]byte(test.markdown))
			section := outline.Sections[0]
			if section.Title != test.title || section.Anchor != test.anchor {
				t.Errorf("heading %q #%s, want %q #%s", section.Title, section.Anchor, test.title, test.anchor)
			}
			if got := Title([]byte(test.markdown)); got != test.title {
				t.Errorf("title %q, want %q", got, test.title)
			}
		})
	}
}

// TestAliasPositionsFollowWords checks that an alias with a position follows its words through edits around them. If they are
// deleted, it refers to the beginning of the block.
func TestAliasPositionsFollowWords(t *testing.T) {
	t.Parallel()
	const list = "- one\n\n  - inner [link](/pages/p_1) one\n- two words\n- two words\n\nText beyond it.\n"
	text := parse(t, list, Text{}).WithAliases([]Alias{
		{Name: "first", Line: 0, Position: TextPosition{Text: "one"}},
		{Name: "inner", Line: 2, Position: TextPosition{Text: "one"}},
		{Name: "link", Line: 2, Position: TextPosition{Text: "link"}},
		{Name: "line", Line: 2},
		{Name: "beyond", Line: 6, Position: TextPosition{Text: "beyond it."}},
	})
	leads := func(text Text) map[string]string {
		found := map[string]string{}
		for _, block := range text.Blocks {
			for name, at := range text.Offsets(block) {
				found[name] = string(text.Markdown[at:min(at+6, len(text.Markdown))])
			}
		}
		return found
	}
	if diff := cmp.Diff(map[string]string{"inner": "one\n- ", "link": "link](", "line": "inner ", "beyond": "beyond"},
		leads(text)); diff != "" {
		t.Error(diff)
	}
	edited := parse(t, "- one and more\n\n  - inner, too: [link](/pages/p_2) one\n  - another\n- two words\n- two words\n\n"+
		"Text, not far beyond it.\n", text)
	if diff := cmp.Diff(map[string]string{"inner": "one\n  ", "link": "link](", "beyond": "beyond"}, leads(edited)); diff != "" {
		t.Error(diff)
	}
	gone := parse(t, "- one\n\n  - nothing\n- two words\n- two words\n\nText.\n", edited)
	if got := leads(gone); len(got) != 1 || len(gone.Blocks.Aliases()) != len(text.Blocks.Aliases()) {
		t.Errorf("without the words: %v, %v", got, gone.Blocks.Aliases())
	}
}
