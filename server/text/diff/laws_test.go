package diff

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
)

// textParts are the pieces of random texts: frequent words, punctuation, and all syntax at the start of a line.
var textParts = rapid.SampledFrom([]string{
	"a", "b", "one", "two", "longer", "x1", "é", "电", ".", ", ", " ", " ", " ", "\n", "\n", "\n\n", "\n\n", "  \n", "\r\n", "\t",
	"\u00a0", "\\",
	"- ", "\n- ", "\n1. ", "\n2. ", "\n10) ", "\n   ", "\n    ", "\n> ", "\n\n> ", "\n# ", "\n***\n", "\n```\n", "\n~~~ x\n", "`", "*",
	"**", "|", "\n| a | b |\n|---|---|\n", "\n| ",
	"\n{% hint %}\n", "\n{% endhint %}\n", "<br>", "\n===\n", "[a]: b", "---\n", "\ufeff",
})

func drawText(t *rapid.T, name string, previous content.Text) content.Text {
	parts := rapid.SliceOfN(textParts, 0, 40).Draw(t, name)
	if len(previous.Markdown) > 0 && rapid.Bool().Draw(t, "edit") {
		from := rapid.IntRange(0, len(previous.Markdown)).Draw(t, "from")
		to := rapid.IntRange(from, min(from+20, len(previous.Markdown))).Draw(t, "to")
		markdown := string(previous.Markdown[:from]) + strings.Join(parts[:min(len(parts), 6)], "") + string(previous.Markdown[to:])
		if content.Check([]byte(markdown)) == nil {
			return parse(t, markdown, previous)
		}
	}
	return parse(t, strings.Join(parts, ""), previous)
}

// TestDiffContainsBothTexts checks that a diff contains both texts byte for byte: applied to either text it gives the other.
func TestDiffContainsBothTexts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawText(t, "old", content.Text{})
		now := drawText(t, "new", old)
		diff := Text(context.Background(), old, now)
		if got := apply(t, diff, old.Markdown); got != string(now.Markdown) {
			t.Errorf("%q became %q, not %q:\n%s", old.Markdown, got, now.Markdown, formatBlocks(diff))
		}
	})
}

// apply returns the new text that a diff describes: it takes unchanged text from the old text, and only added text from the
// diff.
func apply(t *rapid.T, diff []api.BlockDiff, old []byte) string {
	var out strings.Builder
	seen := 0
	for _, d := range diff {
		at := 0
		if d.Before != nil {
			at = d.Before.Start
			seen += d.Before.End - d.Before.Start
		}
		start := out.Len()
		for _, run := range d.Runs {
			if run.Text == "" {
				t.Errorf("an empty run in %s", formatRuns(d.Runs))
			}
			if run.Change == api.TextAdded {
				out.WriteString(run.Text)
				continue
			}
			if here := string(old[at : at+len(run.Text)]); here != run.Text {
				t.Errorf("at %d of the old text is %q, not %q", at, here, run.Text)
			}
			at += len(run.Text)
			if run.Change == api.TextSame {
				out.WriteString(run.Text)
			}
		}
		if d.Before != nil && at != d.Before.End {
			t.Errorf("block %s ends at %d, not at %d", d.ID, at, d.Before.End)
		}
		if d.After != nil && (start != d.After.Start || out.Len() != d.After.End) {
			t.Errorf("block %s is not at %v of the new text", d.ID, *d.After)
		}
	}
	if seen != len(old) {
		t.Errorf("%d bytes of the old text are in the diff, not %d", seen, len(old))
	}
	return out.String()
}

func TestEqualTextsHaveNoChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawText(t, "old", content.Text{})
		for _, d := range Text(context.Background(), old, old) {
			if d.Change != api.BlockSame || d.Formatting || len(d.Runs) != 1 || d.Runs[0].Change != api.TextSame {
				t.Errorf("%s", formatBlocks([]api.BlockDiff{d}))
			}
		}
		if got := Unified(context.Background(), "a", "a", old.Markdown, old.Markdown); got != "" {
			t.Errorf("%q", got)
		}
	})
}

// TestSwappedTextsSwapChanges checks that swapping the texts swaps added and removed, and nothing else.
func TestSwappedTextsSwapChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawText(t, "old", content.Text{})
		now := drawText(t, "new", old)
		there, back := byID(Text(context.Background(), old, now), false), byID(Text(context.Background(), now, old), true)
		if diff := cmp.Diff(there, back); diff != "" {
			t.Error(diff)
		}
	})
}

// byID returns the runs of a diff by block, with added and removed swapped if swapped is set.
func byID(diff []api.BlockDiff, swapped bool) map[string][]string {
	all := map[string][]string{}
	opposite := map[string]string{"added": "removed", "removed": "added", "split": "joined", "joined": "split"}
	name := func(change string) string {
		if other := opposite[change]; other != "" && swapped {
			return other
		}
		return change
	}
	for _, d := range diff {
		var runs []string
		for _, run := range d.Runs {
			mark := ""
			if run.Formatting {
				mark = " formatting"
			}
			runs = append(runs, name(string(run.Change))+mark+" "+run.Text)
		}
		for i := 1; i < len(runs); i++ { // removed runs precede added ones
			if strings.HasPrefix(runs[i], "removed") && strings.HasPrefix(runs[i-1], "added") &&
				d.Runs[i].Formatting == d.Runs[i-1].Formatting {
				runs[i-1], runs[i] = runs[i], runs[i-1]
			}
		}
		all[d.ID] = append([]string{name(string(d.Change))}, runs...)
	}
	return all
}

// TestFormattingKeepsWords checks that formatting runs differ only in white space, so that the words are the same.
func TestFormattingKeepsWords(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		old := drawText(t, "old", content.Text{})
		now := drawText(t, "new", old)
		for _, d := range Text(context.Background(), old, now) {
			if !d.Formatting || d.Kind == content.KindTable || d.Kind == content.KindItem {
				continue
			}
			before, after := bytesAt(old, d.Before), bytesAt(now, d.After)
			strip := func(s string) []string { return strings.Fields(strings.ReplaceAll(s, ">", " ")) }
			if !slices.Equal(strip(before), strip(after)) {
				t.Errorf("%q and %q are not the same words", before, after)
			}
		}
	})
}

// TestRunsKeepGraphemes checks that no run begins or ends within a user-perceived character.
func TestRunsKeepGraphemes(t *testing.T) {
	t.Parallel()
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"👍", "🏽", "🏿", "e", "\u0301", "🇩", "🇪", "👨\u200d👩\u200d👧", "❤", "\ufe0f", "ᄒ", "ᅡ", "ᆫ", " ", "  ", "\t", "\n", "\r\n", "\n> ", "|",
		"- ", "word", "漢", "字",
	}), 0, 14)
	rapid.Check(t, func(t *rapid.T) {
		old := parse(t, "> a "+strings.Join(pieces.Draw(t, "old"), ""), content.Text{})
		now := parse(t, "> a "+strings.Join(pieces.Draw(t, "new"), ""), old)
		for _, block := range Text(t.Context(), old, now) {
			for _, without := range []api.TextChange{api.TextAdded, api.TextRemoved} {
				var text strings.Builder
				cuts := []int{}
				for _, run := range block.Runs {
					if run.Change != without {
						text.WriteString(run.Text)
						cuts = append(cuts, text.Len())
					}
				}
				ends, at := map[int]bool{}, 0
				for cluster := graphemes.FromString(text.String()); cluster.Next(); {
					at += len(cluster.Value())
					ends[at] = true
				}
				for _, cut := range cuts {
					if !ends[cut] {
						t.Fatalf("%q is cut at %d: %+v", text.String(), cut, block.Runs)
					}
				}
			}
		}
	})
}
