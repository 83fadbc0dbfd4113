package term

import (
	"os"
	"strconv"
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// Bubble Tea asks the terminal for its background colour while it is initialised, and waits seconds for a terminal
// that does not answer; every command of a binary that contains the screen would do so. Lip Gloss does not ask when
// it has been told. Go initialises packages that are ready in the order of their import paths: this one is ready as
// soon as Lip Gloss is, and stands before github.com/charmbracelet/bubbletea. A test on a terminal holds it.
func init() { lipgloss.SetHasDarkBackground(Dark(os.Getenv("COLORFGBG"))) }

// Dark reports whether the terminal has a dark background by the value of COLORFGBG, which some terminals set to
// "<foreground>;<background>" in numbers of the 16 colours. Without one it is taken to be dark, as most are.
func Dark(colorFGBG string) bool {
	fields := strings.Split(colorFGBG, ";")
	background, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || background < 0 || background > 15 {
		return true
	}
	return background < 7 || background == 8
}
