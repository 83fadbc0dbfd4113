package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
	"pgregory.net/rapid"
)

func TestCutPadAndColumns(t *testing.T) {
	t.Parallel()
	line := Line{Plain("ab"), In(Dim, "电池c")}
	for _, c := range []struct{ name, got, want string }{
		{"fits", line.Cut(7).String(), "ab电池c"},
		{"cut", line.Cut(6).String(), "ab电…"},
		{"cut within a wide one", line.Cut(4).String(), "ab…"},
		{"cut to nothing", line.Cut(0).String(), ""},
		{"cut at the left", line.CutLeft(4).String(), "…池c"},
		{"padded", line.Pad(9).String(), "ab电池c  "},
		{"columns", Columns(Line{Plain("left")}, Line{Plain("right")}, 12).String(), "left   right"},
		{"no room for the right", Columns(Line{Plain("left")}, Line{Plain("right")}, 7).String(), "left"},
		{"marked", Line{Plain("One one")}.Mark("ONE").String(), "One one"},
		{"one line", Plain("a\nb\tc").Text(), "a b    c"},
		{"clean", Plain("a\x1b[2J\x07\u202eb").Text(), "ab"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestWrapKeepsEveryWordAndTheWidth(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "word", "incomprehensibilities", "电池", "🛠️", "é"}), 0, 20)
	rapid.Check(t, func(t *rapid.T) {
		list := words.Draw(t, "words")
		width := rapid.IntRange(1, 40).Draw(t, "width")
		indent := Line{Plain(strings.Repeat(" ", rapid.IntRange(0, 4).Draw(t, "indent")))}
		var got strings.Builder
		for _, l := range Wrap(Line{Plain(strings.Join(list, " "))}, width, indent) {
			if l.Width() > width {
				t.Errorf("%d cells in %d: %q", l.Width(), width, l)
			}
			got.WriteString(l.String())
		}
		flat := func(s string) string { return strings.ReplaceAll(s, " ", "") }
		if want := strings.Join(list, ""); width > 1 && flat(got.String()) != want {
			t.Errorf("%q, want %q", flat(got.String()), want)
		}
	})
}

func TestAThemeHasColoursForLightAndForDark(t *testing.T) {
	t.Parallel()
	painted := map[bool]string{}
	for _, dark := range []bool{true, false} {
		r := lipgloss.NewRenderer(&bytes.Buffer{})
		r.SetColorProfile(termenv.ANSI256)
		painted[dark] = newTheme(r, dark).Paint(Line{In(Added, "new"), Plain(" plain")})
	}
	if painted[true] == painted[false] || !strings.Contains(painted[true], "\x1b[") || !strings.HasSuffix(painted[true], " plain") {
		t.Errorf("painted %q and %q", painted[true], painted[false])
	}
	if got := NewTheme(&bytes.Buffer{}, true).Paint(Line{In(Added, "new")}); got != "new" {
		t.Errorf("without a terminal: %q", got)
	}
}
