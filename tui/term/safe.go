package term

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Sanitize removes escape sequences, control characters other than newline and tab, and bidirectional controls from
// untrusted text. The result cannot move the cursor, set the title, write to the clipboard or be displayed in another
// order.
func Sanitize(text string) string {
	if !strings.ContainsFunc(text, IsUnsafe) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if IsUnsafe(r) {
			return -1
		}
		return r
	}, ansi.Strip(strings.ToValidUTF8(text, "\uFFFD")))
}

// Line is like Sanitize for a single line: line breaks become spaces, and a tab becomes four.
func Line(text string) string { return lineBreaks.Replace(Sanitize(text)) }

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\t", "    ", "\u2028", " ", "\u2029", " ")

// IsUnsafe reports whether r is a C0 control other than newline and tab, DEL, a C1 control, or a bidirectional control.
func IsUnsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7F && r <= 0x9F:
		return true
	default:
		return isBidi(r)
	}
}

func isBidi(r rune) bool {
	return r == 0x061C || r == 0x200E || r == 0x200F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069
}
