package view

import (
	"strings"
	"unicode/utf8"
)

// maxPreviewRunes is the maximum length of a preview.
const maxPreviewRunes = 120

// Preview returns the beginning of a block as a single line.
func Preview(block []byte) string {
	line := strings.Join(strings.Fields(string(block)), " ")
	if utf8.RuneCountInString(line) > maxPreviewRunes {
		line = string([]rune(line)[:maxPreviewRunes-1]) + "…"
	}
	return line
}
