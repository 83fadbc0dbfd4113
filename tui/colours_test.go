package tui_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"docspace.dev/wsd/tui/render"
	"docspace.dev/wsd/tui/tuitest"
)

var (
	sgrPattern    = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	colourPattern = regexp.MustCompile(`(38|48);2;(\d+);(\d+);(\d+)`)
)

// nameColours replaces the escape sequences of a screen by readable colour names.
func nameColours(screen string) string {
	attributes := map[string]string{"1": "bold", "3": "italic", "4": "underline", "7": "reverse", "9": "strike"}
	return sgrPattern.ReplaceAllStringFunc(screen, func(found string) string {
		parameters := strings.TrimSuffix(strings.TrimPrefix(found, "\x1b["), "m")
		if parameters == "0" {
			return "‹›"
		}
		parameters = colourPattern.ReplaceAllStringFunc(parameters, func(colour string) string {
			var where, r, g, b int
			_, _ = fmt.Sscanf(colour, "%d;2;%d;%d;%d", &where, &r, &g, &b) // guaranteed by the pattern
			return map[int]string{38: "", 48: "on "}[where] + fmt.Sprintf("#%02x%02x%02x", r, g, b)
		})
		var words []string
		for p := range strings.SplitSeq(parameters, ";") {
			if name, ok := attributes[p]; ok {
				p = name
			}
			words = append(words, p)
		}
		return "‹" + strings.Join(words, " ") + "›"
	})
}

func checkColours(t *testing.T, name, palette string, theme render.Theme) {
	t.Helper()
	t.Run(name+"-"+palette, func(t *testing.T) {
		t.Parallel()
		o := scenes[name].options
		o.Theme = theme
		s := play(name, o, 80, 24)
		tuitest.Golden(t, "colours/"+name+"-"+palette+".txt", nameColours(s.View()))
	})
}

// TestScreensInColour compares screens with golden files: on dark and light backgrounds with true colours and with 256, and one
// screen of each kind with 16 colours and without colours.
func TestScreensInColour(t *testing.T) {
	t.Parallel()
	for name := range scenes {
		checkColours(t, name, "dark", render.NewTheme(render.Dark, termenv.TrueColor))
		checkColours(t, name, "light", render.NewTheme(render.Light, termenv.TrueColor))
	}
	for name := range scenes {
		checkColours(t, name, "dark-256", render.NewTheme(render.Dark, termenv.ANSI256))
		checkColours(t, name, "light-256", render.NewTheme(render.Light, termenv.ANSI256))
	}
	for _, name := range []string{"inbox", "request", "change", "requests"} {
		checkColours(t, name, "16", render.NewTheme(render.Sixteen, termenv.ANSI))
		checkColours(t, name, "mono", render.NewTheme(render.Mono, termenv.Ascii))
	}
}
