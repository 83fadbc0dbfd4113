package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/server/text/content"
)

// textWithAliases parses a text and sets aliases of its blocks, given by block number.
func textWithAliases(t *testing.T, markdown string, previous content.Text, names map[string]int) content.Text {
	t.Helper()
	text, err := content.Parse("page", []byte(markdown), previous)
	if err != nil {
		t.Fatal(err)
	}
	blockOf := map[string]string{}
	for name, i := range names {
		blockOf[name] = text.Blocks[i].ID
	}
	text.Blocks = text.Blocks.WithAliases(blockOf, nil)
	return text
}

func TestMergeKeepsAliases(t *testing.T) {
	t.Parallel()
	const text = "# Head\n\nfirst words here\n\nsecond words there\n"
	type names = map[string]int
	base := textWithAliases(t, text, content.Text{}, names{"a": 0, "b": 1})
	tests := map[string]struct {
		oursText, theirsText string
		ours, theirs         names
		want                 names // block of the merged text
	}{
		"added on both sides": {
			text, text, names{"a": 0, "b": 1, "c": 1}, names{"a": 0, "b": 1, "d": 2}, names{"a": 0, "b": 1, "c": 1, "d": 2},
		},
		"removed":                   {text, text, names{"a": 0}, names{"a": 0, "b": 1, "d": 1}, names{"a": 0, "d": 1}},
		"moved":                     {text, text, names{"a": 0, "b": 1}, names{"a": 2, "b": 1}, names{"a": 2, "b": 1}},
		"moved to different blocks": {text, text, names{"a": 2, "b": 1}, names{"a": 1, "b": 1}, names{"a": 1, "b": 1}},
		"added to edited texts": {
			"# Head\n\nfirst words now\n\nsecond words there\n", "new\n\n" + text,
			names{"a": 0, "b": 1},
			names{"a": 1, "b": 2, "n": 0},
			names{"n": 0, "a": 1, "b": 2},
		},
		"aliases of a moved block": {
			"# Head\n\nsecond words there\n", text + "\nthird\n", names{"a": 0}, names{"a": 0, "b": 1, "c": 3}, names{"a": 0, "c": 2},
		},
		"aliases of an edited block": {
			"# Head\n\nsecond words there\n", "# Head\n\nfirst words changed\n\nsecond words there\n",
			names{"a": 0},
			names{"a": 0, "b": 1},
			names{"a": 0, "b": 1},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, theirs := textWithAliases(t, test.oursText, base, test.ours), textWithAliases(t, test.theirsText, base, test.theirs)
			for _, sides := range [][2]content.Text{{ours, theirs}, {theirs, ours}} {
				merged, _ := Text("page", base, sides[0], sides[1])
				got := names{}
				for i, block := range merged.Blocks {
					for _, name := range block.Aliases {
						got[name] = i
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("aliases of %q (-want +got):\n%s", merged.Markdown, diff)
				}
			}
		})
	}
}

// TestMergeKeepsAliasPositions checks that an alias that refers to a position within a block follows its words in the merged
// text, whichever side edited the block, and takes the position of the side that changed it.
func TestMergeKeepsAliasPositions(t *testing.T) {
	t.Parallel()
	text := func(markdown string, previous content.Text, spots map[string]string) content.Text {
		read, err := content.Parse("page", []byte(markdown), previous)
		if err != nil {
			t.Fatal(err)
		}
		var aliases []content.Alias
		for name, words := range spots {
			aliases = append(aliases, content.Alias{Name: name, Position: content.TextPosition{Text: words}})
		}
		return read.WithAliases(aliases)
	}
	const words = "Say one thing here. Say two things there.\n"
	base := text(words, content.Text{}, map[string]string{
		"kept": "two things there.", "moved": "one thing here. Say two", "gone": "thing here. Say two thin",
	})
	ours := text("Say one thing here. Say two things there. And more of it.\n", base, map[string]string{
		"kept": "two things there. And mor", "moved": "one thing here. Say two", "gone": "thing here. Say two thin",
	})
	theirs := text("Please say one thing here. Say two things there.\n", base, map[string]string{
		"kept": "two things there.", "moved": "things there.", "new": "here. Say two things the",
	})
	for _, sides := range [][2]content.Text{{ours, theirs}, {theirs, ours}} {
		merged, conflicts := Text("page", base, sides[0], sides[1])
		got := map[string]string{}
		for name, at := range merged.Offsets(merged.Blocks[0]) {
			got[name] = string(merged.Markdown[at : at+5])
		}
		if diff := cmp.Diff(map[string]string{"kept": "two t", "moved": "thing", "new": "here."}, got); diff != "" || len(conflicts) > 0 {
			t.Errorf("in %q, %v (-want +got):\n%s", merged.Markdown, conflicts, diff)
		}
	}
}
