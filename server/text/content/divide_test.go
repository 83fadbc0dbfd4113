package content_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/server/text/content"
)

// parseFrom parses markdown as a later version of the text from, and fails the test if that is not possible.
func parseFrom(t rapid.TB, markdown string, from content.Text) content.Text {
	t.Helper()
	text, err := content.Parse("p", []byte(markdown), from)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestMatchingCut checks that a text is cut at the position that corresponds to the cut of its other version, regardless of
// edits to the blocks on either side.
func TestMatchingCut(t *testing.T) {
	t.Parallel()
	const whole = "# One\n\nAlpha says it.\n\nBeta says more.\n\n# Two\n\nGamma adds this.\n\nDelta adds that.\n"
	for _, test := range []struct{ name, own, want string }{
		{"the same", whole, "# Two\n\nGamma adds this.\n\nDelta adds that.\n"},
		{"blocks are gone on both sides", "# One\n\nBeta says more.\n\n# Two\n\nDelta adds that.\n", "# Two\n\nDelta adds that.\n"},
		{"the first block after the cut is deleted", "# One\n\nAlpha says it.\n\nGamma adds this.\n", "Gamma adds this.\n"},
		{
			"new blocks stay with what is before them", "# One\n\nBeta says more.\n\nNew here.\n\n# Two\n\nNew there.\n\n" +
				"Delta adds that.\n", "# Two\n\nNew there.\n\nDelta adds that.\n",
		},
		{
			"one block has moved to the other side", "Delta adds that.\n\n# One\n\nAlpha says it.\n\nBeta says more.\n\n# Two\n\n" +
				"Gamma adds this.\n", "# Two\n\nGamma adds this.\n",
		},
		{"everything after the cut is deleted", "# One\n\nAlpha says it.\n", ""},
		{"all before it is gone", "Gamma adds this.\n\nDelta adds that.\n", "Gamma adds this.\n\nDelta adds that.\n"},
		{"nothing is left", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			other := parseFrom(t, whole, content.Text{})
			own := parseFrom(t, test.own, other)
			if got := string(own.Markdown[own.MatchingCut(other, strings.Index(whole, "# Two")):]); got != test.want {
				t.Errorf("cut off: %q", got)
			}
		})
	}
}

// TestMatchingCutWithinBlock checks that a cut within a block is between its lines.
func TestMatchingCutWithinBlock(t *testing.T) {
	t.Parallel()
	const table = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |\n| 7 | 8 |\n"
	other := parseFrom(t, "Text.\n\n"+table, content.Text{})
	own := parseFrom(t, "Text.\n\nMore.\n\n"+strings.Replace(table, "| 1 | 2 |\n", "", 1)+"| 9 | 10 |\n", other)
	at := own.MatchingCut(other, strings.Index(string(other.Markdown), "| 5"))
	if got := string(own.Markdown[at:]); got != "| 5 | 6 |\n| 7 | 8 |\n| 9 | 10 |\n" {
		t.Errorf("cut off: %q", got)
	}
	first, err := own.Slice("p", 0, at)
	if err != nil {
		t.Fatal(err)
	}
	if last := first.Blocks[len(first.Blocks)-1]; last.ID != own.Blocks[len(own.Blocks)-1].ID {
		t.Errorf("the table is %s now", last.ID)
	}
}

// TestSlicesCoverText checks that the slices of any text together have its bytes and its blocks.
func TestSlicesCoverText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blocks := rapid.SliceOfN(rapid.SampledFrom([]string{
			"# A\n\n", "Words of it.\n\n", "Other words.\n\n", "- item\n\n", "| a |\n|---|\n| 1 |\n\n", "```\ncode\n```\n\n",
		}), 1, 20)
		text := parseFrom(t, strings.Join(blocks.Draw(t, "text"), ""), content.Text{})
		later := content.ParseUnlimited("p", []byte(strings.Join(blocks.Draw(t, "later"), "")), text)
		at := text.MatchingCut(later, rapid.SampledFrom(later.Blocks).Draw(t, "at").Start)
		var ids []string
		var joined bytes.Buffer
		for _, span := range [][2]int{{0, at}, {at, len(text.Markdown)}} {
			piece, err := text.Slice("other", span[0], span[1])
			if err != nil {
				t.Fatal(err)
			}
			joined.Write(piece.Markdown)
			for _, block := range piece.Blocks {
				ids = append(ids, block.ID)
			}
		}
		if !bytes.Equal(joined.Bytes(), text.Markdown) {
			t.Fatalf("joined %q", joined.String())
		}
		for i, block := range text.Blocks {
			if len(ids) != len(text.Blocks) || ids[i] != block.ID {
				t.Fatalf("blocks %q", ids)
			}
		}
	})
}
