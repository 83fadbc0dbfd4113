package term

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// init sets the background of Lip Gloss before package bubbletea is initialized, which would otherwise query the
// terminal and block for seconds if it does not respond, in every program that imports the screen. Go initializes
// packages that are ready in the order of their import paths: this package is ready once Lip Gloss is, and its path
// sorts before github.com/charmbracelet/bubbletea. A test with a pseudo-terminal checks this.
func init() { lipgloss.SetHasDarkBackground(IsDark(os.Getenv("COLORFGBG"))) }

// IsDark reports whether the terminal has a dark background according to COLORFGBG. The default is dark.
func IsDark(colorFGBG string) bool {
	dark, known := Background(colorFGBG)
	return dark || !known
}

// Background returns whether the terminal has a dark background according to COLORFGBG, which some terminals set to
// "<foreground>;<background>" in numbers of the 16 colours.
func Background(colorFGBG string) (dark, known bool) {
	fields := strings.Split(colorFGBG, ";")
	background, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || background < 0 || background > 15 {
		return false, false
	}
	return background < 7 || background == 8, true
}
