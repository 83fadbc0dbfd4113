package render

import (
	"slices"
	"strings"
	"testing"

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
		{"right does not fit", Columns(Line{Plain("left")}, Line{Plain("right")}, 7).String(), "left"},
		{"marked", Line{Plain("One one")}.Mark("ONE").String(), "One one"},
		{"one line", Plain("a\nb\tc").Text(), "a b    c"},
		{"clean", Plain("a\x1b[2J\x07\u202eb").Text(), "ab"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestWrapKeepsWordsWithinWidth(t *testing.T) {
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

func TestThemeColoursForDarkAndLight(t *testing.T) {
	t.Parallel()
	dark := NewTheme(Dark, termenv.ANSI256).Paint(Line{In(Added, "new"), Plain(" plain")})
	light := NewTheme(Light, termenv.ANSI256).Paint(Line{In(Added, "new"), Plain(" plain")})
	if dark == light || !strings.Contains(dark, "\x1b[") || !strings.HasSuffix(dark, " plain") {
		t.Errorf("painted %q and %q", dark, light)
	}
	if got := (Theme{}).Paint(Line{In(Added, "new"), NewSpan(Style{Bold: true, Ground: AddedWord}, "x")}); got != "newx" {
		t.Errorf("bare: %q", got)
	}
}

// TestPalettes checks that every palette distinguishes what a reviewer must notice, with attributes where it has no background.
func TestPalettes(t *testing.T) {
	t.Parallel()
	line := Line{
		NewSpan(Style{Ground: AddedWord}, "a"), NewSpan(Style{Ground: RemovedWord}, "r"), NewSpan(Style{Tone: Accent, Ground: Selected},
			"s"), Chip(ChipGood, "open"),
	}
	for _, c := range []struct {
		name    string
		palette Palette
		depth   termenv.Profile
		want    string
	}{
		{
			"dark", Dark, termenv.TrueColor,
			"ESC[48;2;25;89;52;1ma ESC[48;2;125;43;47;9mr ESC[38;2;201;166;255;48;2;43;50;69ms ESC[38;2;22;24;29;48;2;126;231;135;1m " +
				"OPEN ",
		},
		{
			"light", Light, termenv.ANSI256,
			"ESC[38;5;22;48;5;194;1ma ESC[38;5;88;48;5;224;9mr ESC[38;5;55;48;5;254ms ESC[38;5;231;48;5;29;1m OPEN ",
		},
		{"16", Sixteen, termenv.ANSI, "ESC[30;42ma ESC[30;41mr ESC[7ms[OPEN]"},
		{"mono", Mono, termenv.Ascii, "ESC[1ma ESC[9mr ESC[1ms ESC[7m[OPEN]"},
		{"bare", NoStyle, termenv.Ascii, "ars[OPEN]"},
	} {
		got := strings.ReplaceAll(strings.TrimSuffix(NewTheme(c.palette, c.depth).Paint(line), "\x1b[0m"), "\x1b[0m\x1b", " ESC")
		got = strings.ReplaceAll(got, "\x1b", "ESC")
		if strings.ReplaceAll(got, "ESC[0m", " ") != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestBackgroundsAreDistinct checks that added and removed text, the selected row and the phrase of a thread are
// distinguishable in all palettes with colours.
func TestBackgroundsAreDistinct(t *testing.T) {
	t.Parallel()
	for _, palette := range []Palette{Dark, Light} {
		for _, depth := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256} {
			theme, seen := NewTheme(palette, depth), map[string]Ground{}
			for _, g := range []Ground{Selected, AddedLine, AddedWord, RemovedLine, RemovedWord, Anchor, Thread, Draft} {
				colour := strings.TrimSuffix(strings.TrimSuffix(theme.grounds[g], ";1"), ";9") // attributes for bold and strikethrough
				if other, taken := seen[colour]; taken || colour == "" {
					t.Errorf("palette %v, depth %v: ground %v is %q, as %v", palette, depth, g, colour, other)
				}
				seen[colour] = g
			}
		}
	}
}

func TestPaletteFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, term, colorterm, none string
		dark                        bool
		want                        Palette
		depth                       termenv.Profile
	}{
		{"auto", "xterm-256color", "", "", true, Dark, termenv.ANSI256},
		{"auto", "xterm-256color", "truecolor", "", false, Light, termenv.TrueColor},
		{"auto", "screen", "", "", true, Sixteen, termenv.ANSI},
		{"auto", "linux", "", "", false, Sixteen, termenv.ANSI},
		{"auto", "xterm-kitty", "", "", true, Dark, termenv.TrueColor},
		{"auto", "alacritty", "", "", true, Dark, termenv.TrueColor},
		{"auto", "wezterm", "", "", true, Dark, termenv.TrueColor},
		{"auto", "foot-extra", "", "", true, Dark, termenv.TrueColor},
		{"auto", "xterm-ghostty", "", "", true, Dark, termenv.TrueColor},
		{"auto", "iTerm2.app", "", "", true, Dark, termenv.TrueColor},
		{"auto", "st-256color", "", "", true, Dark, termenv.TrueColor},
		{"auto", "tmux-direct", "", "", true, Dark, termenv.TrueColor},
		{"auto", "xterm-direct256", "", "", true, Dark, termenv.TrueColor},
		{"auto", "tmux-256color", "", "", true, Dark, termenv.ANSI256},
		{"auto", "curious-256color", "", "", true, Dark, termenv.ANSI256},
		{"auto", "xterm-256color", "24bit", "", true, Dark, termenv.TrueColor},
		{"auto", "xterm-256color", "truecolor", "1", true, Mono, termenv.Ascii},
		{"dark", "xterm-256color", "", "1", false, Dark, termenv.ANSI256},
		{"light", "xterm-256color", "", "", true, Light, termenv.ANSI256},
		{"16", "xterm-256color", "truecolor", "", true, Sixteen, termenv.ANSI},
		{"mono", "xterm-256color", "truecolor", "", true, Mono, termenv.Ascii},
		{"256", "xterm-256color", "truecolor", "", true, Dark, termenv.ANSI256},
		{"256", "screen", "", "1", false, Light, termenv.ANSI256},
		{"truecolor", "screen", "", "", true, Dark, termenv.TrueColor},
	} {
		env := map[string]string{"TERM": c.term, "COLORTERM": c.colorterm, "NO_COLOR": c.none}
		if !c.dark {
			env["COLORFGBG"] = "0;15"
		}
		getenv := func(name string) string { return env[name] }
		display := DisplayOf(getenv)
		if got, depth := PaletteFor(getenv, c.name, display); got != c.want || depth != c.depth {
			t.Errorf("%+v: %v, %v", c, got, depth)
		}
	}
}

func TestMarkPhraseAcrossLinesAndEmphasis(t *testing.T) {
	t.Parallel()
	gone := NewSpan(Style{Ground: RemovedWord}, "two weeks")
	for _, c := range []struct {
		name   string
		lines  []Line
		phrase string
		want   string
	}{
		{"within", []Line{{Plain("at least three weeks.")}}, "three weeks", "at least <three weeks>."},
		{"across lines", []Line{{Plain("at least three")}, {Plain("weeks.")}}, "three weeks", "at least <three>/<weeks>."},
		{
			"through emphasis", []Line{
				{Plain("at "), NewSpan(Style{Bold: true}, "three"), Plain(" weeks")},
			}, "at **three** weeks", "at three weeks",
		},
		{"past what went", []Line{{Plain("at least "), gone, Plain("three weeks.")}}, "least three", "at <least> two weeks<three> weeks."},
		{"two spans", []Line{{NewSpan(Style{Ground: AddedWord}, "5"), Plain(" years, 5 years")}}, "5 years", "<5>< years>, 5 years"},
		{
			"what came", []Line{
				{Plain("for "), NewSpan(Style{Ground: AddedWord}, "5 years"), Plain(" or more")},
			}, "5 years", "for <5 years> or more",
		},
		{"a link", []Line{{Plain("see Quick start first")}}, "[Quick start](/pages/p_1) first", "see <Quick start first>"},
		{
			"a link with its address", []Line{
				{Plain("see Quick start (/pages/p_1) first")},
			}, "[Quick start](/pages/p_1) first", "see <Quick start (/pages/p_1) first>",
		},
		{"not there", []Line{{Plain("at least")}}, "most", "at least"},
		{"all of it", []Line{{Plain("all of it")}}, "all of it", "all of it"},
		{"wide", []Line{{Plain("电池电量很重要")}}, "电量", "电池<电量>很重要"},
	} {
		var drawn []string
		for _, line := range MarkPhrase(c.lines, c.phrase, Anchor, 0) {
			var b strings.Builder
			for _, s := range line {
				if s.Style().Ground == Anchor || s.Style() == (Style{Ground: AddedWord, Underline: true}) {
					b.WriteString("<" + s.Text() + ">")
				} else {
					b.WriteString(s.Text())
				}
			}
			drawn = append(drawn, b.String())
		}
		if got := strings.Join(drawn, "/"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestWrapBreaksLongWords checks that a word longer than the line is broken after a separator if it contains one.
func TestWrapBreaksLongWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words string
		width int
		want  []string
	}{
		{"see (station/firmware-updates.md)", 21, []string{"see", "(station/", "firmware-updates.md)"}},
		{"(firmware-updates.md)", 14, []string{"(firmware-", "updates.md)"}},
		{"(station/power/cells.md)", 16, []string{"(station/power/", "cells.md)"}},
		{"one/two three", 9, []string{"one/two", "three"}},
		{"[-unbreakable-]", 8, []string{"[-unbrea", "kable-]"}},
		{"unbreakable", 4, []string{"unbr", "eaka", "ble"}},
	} {
		var got []string
		for _, line := range Wrap(Line{Plain(c.words)}, c.width, nil) {
			got = append(got, line.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q became %q, want %q", c.words, got, c.want)
		}
	}
}
