package render

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSuggestionDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{"a word", "three weeks of frost", "four weeks of frost", "suggests: [-three-]{+four+} weeks of frost"},
		{
			"words that follow one another", "wait until it is green now", "stop when it is green now",
			"suggests: [-wait until-]{+stop when+} it is green now",
		},
		{"more", "three weeks", "three weeks, also at −10 °C", "suggests: three weeks{+, also at −10 °C+}"},
		{
			"all but a few", "measures every 8 seconds; before, it was every 16.", "Words that were typed before the kill.",
			"suggests: [-measures every 8 seconds; before, it was every 16-]{+Words that were typed before the kill+}.",
		},
		{"nothing left", "three weeks", "", "suggests to take out: [-three weeks-]"},
		{"signs", "**bold** words", "*bold* words", "suggests: [-*-]*bold*[-*-] words"},
	} {
		var got []string
		for _, line := range SuggestionDiff(c.before, c.after, 200, Brackets) {
			got = append(got, line.String())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestDiffWordsKeepsBothTexts(t *testing.T) {
	t.Parallel()
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"a", "b", " ", "  ", "\n", "**", "é", "宽", "\xff", "\r\n", "_x", "|",
		}), 0, 30).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		var was, is strings.Builder
		for _, p := range diffWords(before, after) {
			if p.op != added {
				was.WriteString(p.text)
			}
			if p.op != removed {
				is.WriteString(p.text)
			}
		}
		if was.String() != before || is.String() != after {
			t.Fatalf("%q and %q became %q and %q", before, after, was.String(), is.String())
		}
	})
}

// TestInlineDiffHidesLinkTargets checks that links are rendered as their text, with the target only if it changed.
func TestInlineDiffHidesLinkTargets(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{
			"the link stays", "Old words, see [Quick start](/pages/p_1).", "New words, see [Quick start](/pages/p_1).",
			"[-Old-]{+New+} words, see Quick start.",
		},
		{
			"its words change", "See [Quick start](/pages/p_1) first.", "See [Slow start](/pages/p_1) first.",
			"See [-Quick-]{+Slow+} start first.",
		},
		{
			"its address changes", "See [start](/pages/p_1) first.", "See [start](/pages/p_2) first.",
			"See start (/pages/[-p_1-]{+p_2+}) first.",
		},
		{"it comes", "See it.", "See it, and [start](/pages/p_1).", "See it{+, and start (/pages/p_1)+}."},
		{"words become one", "See start first.", "See [start](/p) first.", "See [-start-]{+start (/p)+} first."},
		{"another place", "[a](/p) and b.", "a and [b](/p).", "a {+and b+} (/p) [-and b-]."},
		{"emphasis stays", "Do **not** press it.", "Do **not** touch it.", "Do not [-press-]{+touch+} it."},
		{"emphasis comes with words", "Do press it.", "Do **not** press it.", "Do {+not+} press it."},
		{"emphasis comes", "Do not press it.", "Do **not** press it.", "Do [-not-]{+**not**+} press it."},
		{
			"code stays as it is", "Say `[a](b)` or `**x**` now.", "Say `[a](b)` or `**x**` then.",
			"Say `[a](b)` or `**x**` [-now-]{+then+}.",
		},
		{
			"names with signs", "Set max_read_age and 2 * 3 * 4.", "Set max_read_age or 2 * 3 * 4.", "Set max_read_age [-and-]{+or+} 2 * " +
				"3 * 4.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inlineDiff(diffWords(c.before, c.after), Brackets).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestInlineDiffPlacesArrows checks that an arrow separates words that would read as one, and is omitted before punctuation.
func TestInlineDiffPlacesArrows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{"a word for a word", "every 16 seconds", "every 8 seconds", "every 16→8 seconds"},
		{"words go, a sentence comes", "It is firm but not angry.", "It is firm. Stop there.", "It is firm but not angry. Stop there."},
		{"words go", "It is firm but not angry.", "It is firm.", "It is firm but not angry."},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := inlineDiff(diffWords(c.before, c.after), Grounds).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestChangedTableHidesLinkTargets checks that links in tables are rendered as their text, with the target only if it changed.
func TestChangedTableHidesLinkTargets(t *testing.T) {
	t.Parallel()
	const head = "| Sign | See |\n| --- | --- |\n"
	for _, c := range []struct{ name, before, after, want string }{
		{"the link stays", "| red | [start](/pages/p_1) |", "| blue | [start](/pages/p_1) |", "- red  │ start\n+ blue │ start"},
		{
			"its address changes", "| red | [start](/pages/p_1) |", "| red | [start](/pages/p_2) |",
			"- red  │ start (/pages/p_1)\n+ red  │ start (/pages/p_2)",
		},
		{"a bold word stays", "| **red** | one |", "| **red** | two |", "- red  │ one\n+ red  │ two"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, line := range drawChangedTable(diffLines(diffWords(head+c.before, head+c.after)), 60, Brackets,
				&panner{position: Fit})[2:] {
				got = append(got, strings.TrimSpace(line.String()))
			}
			if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestFirstDifferingLine checks that the first differing line of a table is a row, also if only one version is drawn.
func TestFirstDifferingLine(t *testing.T) {
	t.Parallel()
	const head, first, second = "| Place | Life |\n| --- | --- |\n", "| North | 4 years |\n", "| South | 6 years |\n"
	for _, c := range []struct {
		name, before, after string
		was, is             int
	}{
		{"a row changes", head + first + second, head + first + "| South | 16 years or more |\n", 3, 3},
		{"a row comes", head + first, head + first + second, 2, 3},
		{"a row goes", head + first + second, head + second, 2, 2},
		{"the last row goes", head + first + second, head + first, 3, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			was, is := Passage{kind: "table", Text: c.before}, Passage{kind: "table", Text: c.after}
			b := BlockChange{op: edited, Old: was, New: is}
			if at := b.DrawVersion(true, View{Width: 60, At: Fit}).First; at != c.was {
				t.Errorf("before, it is at %d, not at %d", at, c.was)
			}
			if at := b.DrawVersion(false, View{Width: 60, At: Fit}).First; at != c.is {
				t.Errorf("after, it is at %d, not at %d", at, c.is)
			}
		})
	}
}
