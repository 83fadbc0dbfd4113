package render

import (
	"strings"

	"github.com/muesli/termenv"
)

// Theme paints lines for a terminal. It never queries the terminal: palette and colour depth are given.
type Theme struct {
	palette    Palette
	tones      [toneCount]string
	grounds    [groundCount]string
	chipColour string
}

// NewTheme returns a theme for a palette and a colour depth. The zero Theme paints without escape sequences.
func NewTheme(palette Palette, depth termenv.Profile) Theme {
	t := Theme{palette: palette, chipColour: chipColour.parameters(palette, depth, false)}
	for i := range t.tones {
		t.tones[i] = tones[i].parameters(palette, depth, false)
	}
	for i := range t.grounds {
		t.grounds[i] = grounds[i].parameters(palette, depth, true)
	}
	return t
}

// HasGrounds reports whether the theme has background colours. Without them, changed words need signs.
func (t Theme) HasGrounds() bool { return t.palette.HasGrounds() }

// Paint returns the line with the escape sequences of its styles.
func (t Theme) Paint(l Line) string {
	var b strings.Builder
	open := ""
	for _, s := range l {
		if s.text == "" {
			continue
		}
		parameters := t.parameters(s.style)
		if parameters != open {
			if open != "" {
				b.WriteString("\x1b[0m")
			}
			if parameters != "" {
				b.WriteString("\x1b[" + parameters + "m")
			}
			open = parameters
		}
		b.WriteString(t.spanText(s))
	}
	if open != "" {
		b.WriteString("\x1b[0m")
	}
	return b.String()
}

// parameters returns the SGR parameters of a style.
func (t Theme) parameters(s Style) string {
	if t.palette == NoStyle || s == (Style{}) {
		return ""
	}
	if s.Tone < 0 || s.Tone >= toneCount {
		s.Tone = Normal
	}
	if s.Ground < 0 || s.Ground >= groundCount {
		s.Ground = NoGround
	}
	tone, ground := t.tones[s.Tone], t.grounds[s.Ground]
	switch {
	case s.Ground >= ChipGood:
		tone = t.chipColour
	case t.palette == Sixteen && ground != "" && s.Ground != Anchor: // the ground also sets the text colour
		tone = ""
	case t.palette < Dark:
	case s.Ground == AddedWord || s.Ground == RemovedWord || s.Ground == Anchor: // these backgrounds leave no contrast for tones
		tone = ""
	case tone != "" && !strings.Contains(ground, "48;"): // the ground is a text colour
		ground = ""
	}
	var set []string
	for _, a := range []struct {
		on   bool
		code string
	}{{s.Bold, "1"}, {s.Italic, "3"}, {s.Underline, "4"}, {s.Reverse, "7"}, {s.Strike, "9"}} {
		if a.on && !strings.Contains(";"+ground+";", ";"+a.code+";") {
			set = append(set, a.code)
		}
	}
	return joinParameters(strings.Join(set, ";"), tone, ground)
}

// spanText returns the text of a span. Chips without a background colour get brackets instead of spaces.
func (t Theme) spanText(s Span) string {
	inner, chip := strings.CutPrefix(s.text, " ")
	inner, whole := strings.CutSuffix(inner, " ")
	if s.style.Ground < ChipGood || t.palette >= Dark || !chip || !whole {
		return s.text
	}
	return "[" + inner + "]"
}

// Chip returns a short word on a ground, such as the status of a change request.
func Chip(ground Ground, word string) Span {
	return NewSpan(Style{Ground: ground}, " "+strings.ToUpper(word)+" ")
}
