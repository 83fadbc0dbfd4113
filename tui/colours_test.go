package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"docspace.dev/wsd/tui/render"
)

var (
	sequence = regexp.MustCompile("\x1b\\[([0-9;]*)m")
	exact    = regexp.MustCompile(`(38|48);2;(\d+);(\d+);(\d+)`)
)

// inWords writes the escape sequences of a screen so that people can read what has which colour.
func inWords(screen string) string {
	attributes := map[string]string{"1": "bold", "3": "italic", "4": "underline", "7": "reverse", "9": "strike"}
	return sequence.ReplaceAllStringFunc(screen, func(found string) string {
		parameters := strings.TrimSuffix(strings.TrimPrefix(found, "\x1b["), "m")
		if parameters == "0" {
			return "‹›"
		}
		parameters = exact.ReplaceAllStringFunc(parameters, func(colour string) string {
			var where, r, g, b int
			_, _ = fmt.Sscanf(colour, "%d;2;%d;%d;%d", &where, &r, &g, &b) // as the pattern says
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

// What has which colour, on a dark and on a light background; and a screen of each kind with 16 colours and with none.
func TestPagesInColour(t *testing.T) {
	t.Parallel()
	for name := range scenes {
		coloured(t, name, "dark", render.NewTheme(render.Dark, termenv.TrueColor))
		coloured(t, name, "light", render.NewTheme(render.Light, termenv.TrueColor))
	}
	for _, name := range []string{"inbox", "request", "change", "requests"} {
		coloured(t, name, "16", render.NewTheme(render.Sixteen, termenv.ANSI))
		coloured(t, name, "mono", render.NewTheme(render.Mono, termenv.Ascii))
	}
}

func coloured(t *testing.T, name, palette string, theme render.Theme) {
	t.Helper()
	t.Run(name+"-"+palette, func(t *testing.T) {
		t.Parallel()
		o := scenes[name].options
		o.Theme = theme
		s := played(name, o, 80, 24)
		golden(t, "colours/"+name+"-"+palette+".txt", inWords(s.screen()))
	})
}
