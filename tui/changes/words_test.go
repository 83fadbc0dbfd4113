package changes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSuggestedWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, before, after, want string }{
		{"a word", "three weeks of frost", "four weeks of frost", "suggests: [-three-]{+four+} weeks of frost"},
		{"words that follow one another", "wait until it is green now", "stop when it is green now", "suggests: [-wait until-]{+stop when+} it is green now"},
		{"more", "three weeks", "three weeks, also at −10 °C", "suggests: three weeks{+, also at −10 °C+}"},
		{"all but a few", "measures every 8 seconds; before, it was every 16.", "Words that were typed before the kill.", "suggests: [-measures every 8 seconds; before, it was every 16-]{+Words that were typed before the kill+}."},
		{"nothing left", "three weeks", "", "suggests to take out: [-three weeks-]"},
		{"signs", "**bold** words", "*bold* words", "suggests: [-*-]*bold*[-*-] words"},
	} {
		var got []string
		for _, line := range Suggested(c.before, c.after, 200, Brackets) {
			got = append(got, line.String())
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// What is compared word by word is both texts, to the byte, whatever they hold.
func TestNothingIsLostBetweenTheWords(t *testing.T) {
	t.Parallel()
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "  ", "\n", "**", "é", "宽", "\xff", "\r\n", "_x", "|"}), 0, 30).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		before, after := texts.Draw(t, "before"), texts.Draw(t, "after")
		var was, is strings.Builder
		for _, p := range words(before, after) {
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
