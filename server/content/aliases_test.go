package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestAliasesBelongToTheBlockOfTheirLine(t *testing.T) {
	t.Parallel()
	text := parse(t, "# A\n\none\ntwo\n\n- x\n  y\n- z\n", Text{}).WithAliases([]Alias{
		{"late", 99}, {"two", 3}, {"a", 0}, {"twice", 6}, {"twice", 3}, {"", 0}, {"with space", 0}, {"with\ttab", 0}, {"z", 7}, {strings.Repeat("x", 201), 0},
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

// TestAliasesFollowTheirBlocks holds that no edit that keeps a block loses its aliases, and that none comes from nowhere.
func TestAliasesFollowTheirBlocks(t *testing.T) {
	t.Parallel()
	words := rapid.SampledFrom([]string{"# Head", "one two three", "four five six seven", "- item", "- other item", "```\ncode\n```", "| a |\n|---|\n| b |"})
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
		text.Blocks = text.Blocks.WithAliases(blockOf)
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

func TestHeadingID(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ markdown, title, anchor string }{
		"id":               {"# One two {#three}\n", "One two", "three"},
		"closed":           {"# One ## {#three}\n", "One ##", "three"},
		"closed behind":    {"# One {#three} ##\n", "One", "three"},
		"not at the end":   {"# One {#three} two\n", "One {#three} two", "one-three-two"},
		"no id":            {"# One {three}\n", "One {three}", "one-three"},
		"part of a word":   {"# One{#three}\n", "One{#three}", "onethree"},
		"id and element":   {"# One <a id=\"two\"></a> {#three}\n", "One", "two"},
		"underlined":       {"One two {#three}\n===\n", "One two", "three"},
		"underlined below": {"One\ntwo  {#three} \n---\n\nText.\n", "One two", "three"},
		"underlined alone": {"{#three}\n---\n", "", "three"},
		"a line above":     {"One {#three}\ntwo\n---\n", "One {#three} two", "one-three-two"},
		"without words":    {"# {#three}\n", "", "three"},
		"in another case":  {"# One {#Three.x}\n", "One", "Three.x"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outline := Outlined([]byte(test.markdown))
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
