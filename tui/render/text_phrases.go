package render

import (
	"fmt"
	"strconv"
	"strings"
)

// DisplayTitle returns a title, or a placeholder if it is empty.
func DisplayTitle(title string) string {
	if strings.TrimSpace(title) == "" {
		return "Untitled"
	}
	return title
}

// Plural returns a count with its noun: "1 page", "2 pages".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Excerpt returns the beginning of a text as one line of at most 60 cells.
func Excerpt(s string) string {
	return Line{Plain(strings.Join(strings.Fields(s), " "))}.Cut(60).String()
}

// Section returns the title line of a section.
func Section(title string) Line {
	return Line{NewSpan(Style{Tone: Heading, Bold: true}, title)}
}

// maxProseWidth is the maximum width of prose in cells.
const maxProseWidth = 100

// ProseWidth returns the width for prose in an area of width cells.
func ProseWidth(width int) int { return min(width, maxProseWidth) }

// PadColumn pads a text with spaces to width cells, with at least one space.
func PadColumn(s string, width int) string {
	line := Line{Plain(s)}
	return line.Pad(max(width, line.Width()+1)).String()
}

// LineAt returns the line with an index, or an empty line if the index is out of range.
func LineAt(lines []Line, at int) Line {
	if at < len(lines) {
		return lines[at]
	}
	return nil
}

// Number formats a number in decimal.
func Number(n int) string { return strconv.Itoa(n) }

// PlainEmoji returns an emoji without variation selectors, because terminals disagree on the width of an emoji that has
// one.
func PlainEmoji(s string) string { return strings.ReplaceAll(s, "\ufe0f", "") }
