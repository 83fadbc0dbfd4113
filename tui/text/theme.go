package text

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"
)

// Theme paints lines for a terminal. It never asks the terminal anything: the background is given.
type Theme struct {
	styles [toneCount]lipgloss.Style
}

// palette gives each tone its colour on a light and on a dark background, out of the 256.
var palette = [toneCount]lipgloss.AdaptiveColor{
	Dim:     {Light: "243", Dark: "245"},
	Heading: {Light: "25", Dark: "117"},
	Link:    {Light: "26", Dark: "75"},
	Code:    {Light: "94", Dark: "180"},
	Quote:   {Light: "240", Dark: "250"},
	Added:   {Light: "22", Dark: "114"},
	Removed: {Light: "124", Dark: "210"},
	Accent:  {Light: "90", Dark: "183"},
	Warning: {Light: "130", Dark: "221"},
	Failure: {Light: "160", Dark: "203"},
}

// NewTheme returns a theme for what out can show: full colours on a terminal, none in a file or with NO_COLOR.
func NewTheme(out io.Writer, dark bool) Theme {
	return newTheme(lipgloss.NewRenderer(out), dark)
}

// ColorTheme returns a theme with colours, whatever out is.
func ColorTheme(out io.Writer, dark bool) Theme {
	r := lipgloss.NewRenderer(out)
	r.SetColorProfile(termenv.ANSI256)
	return newTheme(r, dark)
}

func newTheme(r *lipgloss.Renderer, dark bool) Theme {
	r.SetHasDarkBackground(dark)
	var t Theme
	for tone := range t.styles {
		t.styles[tone] = r.NewStyle()
		if Tone(tone) != Normal {
			t.styles[tone] = t.styles[tone].Foreground(palette[tone])
		}
	}
	return t
}

// Paint returns the line with the escape sequences of its styles.
func (t Theme) Paint(l Line) string {
	var b strings.Builder
	for _, s := range l {
		switch {
		case s.text == "":
		case s.style == Style{}:
			b.WriteString(s.text)
		default:
			b.WriteString(t.style(s.style).Render(s.text))
		}
	}
	return b.String()
}

func (t Theme) style(s Style) lipgloss.Style {
	tone := s.Tone
	if tone < 0 || tone >= toneCount {
		tone = Normal
	}
	return t.styles[tone].Bold(s.Bold).Italic(s.Italic).Underline(s.Underline).Strikethrough(s.Strike).Reverse(s.Reverse)
}
