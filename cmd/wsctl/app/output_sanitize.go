package app

import (
	"bytes"
	"fmt"
	"strings"

	"docspace.dev/wsd/tui/term"
)

// Sanitize makes text from a server safe for a terminal: see package safe.
func Sanitize(text string) string { return term.Sanitize(text) }

// Line is Sanitize for a text that must stay on one line of a table.
func Line(text string) string {
	return strings.TrimRight(term.Line(strings.ReplaceAll(text, "\t", " ")), " ")
}

// escapeJSON writes the unsafe characters of JSON text as \u escapes, which mean the same. Outside of strings
// JSON has none, and inside of strings no C0.
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

func needsEscape(r rune) bool { return r != '\r' && term.Unsafe(r) }
