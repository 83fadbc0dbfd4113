package view

import (
	"strings"
	"unicode/utf8"
)

// previewRunes is how long a preview is at most.
const previewRunes = 120

// Preview is the beginning of a block, in one line.
func Preview(block []byte) string {
	line := strings.Join(strings.Fields(string(block)), " ")
	if utf8.RuneCountInString(line) > previewRunes {
		line = string([]rune(line)[:previewRunes-1]) + "…"
	}
	return line
}
