package app

import (
	"bytes"
	"fmt"
	"strings"

	"docspace.dev/wsd/tui/term"
)

// Sanitize removes or escapes the characters of text that are unsafe on a terminal; see term.Sanitize.
func Sanitize(text string) string { return term.Sanitize(text) }

// SanitizeLine is like Sanitize for text that must stay on one line of a table.
func SanitizeLine(text string) string {
	return strings.TrimRight(term.Line(strings.ReplaceAll(text, "\t", " ")), " ")
}

// escapeJSON writes the unsafe characters of a JSON text as \u escapes, which does not change its value. Valid JSON
// has such characters only inside strings, and no C0 control characters there.
func escapeJSON(data []byte) []byte {
	if !bytes.ContainsFunc(data, needsEscape) {
		return data
	}
	var b bytes.Buffer
	for _, r := range string(data) {
		if needsEscape(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.Bytes()
}

func needsEscape(r rune) bool { return r != '\r' && term.IsUnsafe(r) }
