// Package safe keeps what comes from a server from taking over the terminal: the screen and the commands print
// nothing of a server's that did not go through it. It imports nothing of the module.
package term

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sanitize makes text from a server safe for a terminal: escape sequences go, and so do control characters other
// than newline and tab, and the marks that reorder text. What is left cannot move the cursor, set the title, write
// the clipboard or show something else than it says.
func Sanitize(text string) string {
	if !strings.ContainsFunc(text, Unsafe) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if Unsafe(r) {
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))
}

// Line is Sanitize for a text that must stay on one line: line breaks become spaces, a tab four of them.
func Line(text string) string { return lineBreaks.Replace(Sanitize(text)) }

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", "    ", "\u2028", " ", "\u2029", " ")

// Unsafe reports C0 but for newline and tab, DEL, C1, and the bidirectional controls.
func Unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7F && r <= 0x9F:
		return true
	default:
		return bidi(r)
	}
}

func bidi(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
