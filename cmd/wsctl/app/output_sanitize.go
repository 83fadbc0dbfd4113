package app

import (
	"encoding/json"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/term"
)

// Sanitize removes or escapes the characters of text that are unsafe on a terminal; see term.Sanitize.
func Sanitize(text string) string { return term.Sanitize(text) }

// SanitizeLine is like Sanitize for text that must stay on one line of a table.
func SanitizeLine(text string) string {
	return strings.TrimRight(term.Line(strings.ReplaceAll(text, "\t", " ")), " ")
}

// encodeJSON returns the JSON of a value as showJSON returns it.
func encodeJSON(value any) ([]byte, error) {
	data, err := json.Marshal(value)
	return showJSON(data), err
}

// showJSON returns a JSON text in the form for output: <, > and & are plain, and the characters that are unsafe on a terminal are
// escaped. The value stays the same.
func showJSON(data []byte) []byte { return api.EscapeControls(api.PlainJSON(data)) }
