package render

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/muesli/termenv"
)

// minContrast is the contrast of text that WCAG 2 requires (AA).
const minContrast = 4.5

// TestContrast checks that letters have enough contrast with the background on which they are drawn, for all palettes with
// known colours.
func TestContrast(t *testing.T) {
	t.Parallel()
	defaults := map[Palette][2]rgb{Dark: {{0xd0, 0xd0, 0xd0}, {0x1c, 0x1c, 0x1c}}, Light: {{0x24, 0x29, 0x2f}, {0xff, 0xff, 0xff}}}
	for palette, terminal := range defaults {
		for _, depth := range []termenv.Profile{termenv.TrueColor, termenv.ANSI256} {
			theme := NewTheme(palette, depth)
			for ground := range groundCount {
				for tone := range toneCount {
					if tone == Faint { // rules, not letters
						continue
					}
					parameters := theme.parameters(Style{Tone: tone, Ground: ground, Bold: true})
					text, behind := terminal[0], terminal[1]
					if c, ok := colourOf(parameters, "38"); ok {
						text = c
					}
					if c, ok := colourOf(parameters, "48"); ok {
						behind = c
					}
					if got := contrast(text, behind); got < minContrast {
						t.Errorf("palette %v, depth %v, tone %v, ground %v: contrast %.2f of %q", palette, depth, tone, ground, got,
							parameters)
					}
				}
			}
		}
	}
}

type rgb [3]float64

// colourOf returns the text colour (38) or the background colour (48) of SGR parameters.
func colourOf(parameters, kind string) (rgb, bool) {
	list := strings.Split(parameters, ";")
	for i := 0; i+2 < len(list); i++ {
		if list[i] != "38" && list[i] != "48" {
			continue
		}
		size := map[string]int{"5": 1, "2": 3}[list[i+1]]
		if list[i] != kind {
			i += 1 + size
			continue
		}
		numbers := make([]float64, size)
		for n := range numbers {
			numbers[n], _ = strconv.ParseFloat(list[i+2+n], 64) // the theme writes numbers
		}
		if size == 3 {
			return rgb{numbers[0], numbers[1], numbers[2]}, true
		}
		return indexedColour(int(numbers[0])), true
	}
	return rgb{}, false
}

// indexedColour returns a colour of the 256, from 16 on.
func indexedColour(n int) rgb {
	if n >= 232 {
		grey := float64(8 + 10*(n-232))
		return rgb{grey, grey, grey}
	}
	levels := []float64{0, 95, 135, 175, 215, 255}
	return rgb{levels[(n-16)/36], levels[(n-16)/6%6], levels[(n-16)%6]}
}

// contrast returns the contrast of two colours as WCAG 2 defines it, from 1 to 21.
func contrast(a, b rgb) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c rgb) float64 {
	linear := func(v float64) float64 {
		if v /= 255; v <= 0.03928 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}
