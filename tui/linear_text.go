package tui

import (
	"regexp"
	"strings"

	"docspace.dev/wsd/tui/render"
)

// withoutNumber returns a line of the page without its number.
func withoutNumber(line string) string { return strings.TrimLeft(line, " 0123456789") }

// changeSign matches the sign of a change at the beginning of a row.
var changeSign = regexp.MustCompile(`^((?:not read: |✓ )?)([-+~>¶≈]),? `)

// signNames are the words for the signs of changes.
var signNames = map[string]string{
	"-": "removed: ", "+": "added: ", "~": "changed: ", ">": "moved: ", "¶": "split or joined: ", "≈": "formatted: ",
}

// nameSign replaces the sign of a change by a word.
func nameSign(text string) string {
	found := changeSign.FindStringSubmatch(text)
	if found == nil {
		return text
	}
	return found[1] + signNames[found[2]] + strings.TrimLeft(text[len(found[0]):], " ")
}

// plainText returns the text of a line without decoration.
func plainText(line render.Line) string {
	text := strings.NewReplacer("┃ ", "", "┆ ", "", "┄", "", "▌ ", "", "▏ ", "", " │ ", "; ", "│", "", "─", "", "┼", "", "█", "", "━", "",
		"◌ ", "not read: ").Replace(line.String())
	text = replacedWords.ReplaceAllString(text, "“$2” instead of “$1”")
	text = strings.NewReplacer("[-", "removed “", "-]", "”", "{+", "added “", "+}", "”").Replace(text)
	text = readCount.ReplaceAllString(strings.TrimRight(text, " "), "read $1 of $2")
	words := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(words)]
	words = strings.TrimPrefix(words, "; ") // of a quotation
	return indent + blanks.ReplaceAllString(cellEnd.ReplaceAllString(words, ";"), ", ")
}

// replacedWords matches removed words and their replacement.
var replacedWords = regexp.MustCompile(`\[-(.*?)-\] ?\{\+(.*?)\+\}`)

// readCount matches how many changes are read.
var readCount = regexp.MustCompile(`\bread ([0-9]+)/([0-9]+)`)

// cellEnd matches the space before the end of a cell.
var cellEnd = regexp.MustCompile(` +;`)

// blanks matches the space between the columns of a row.
var blanks = regexp.MustCompile(` {3,}`)
