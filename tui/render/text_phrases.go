package render

import (
	"fmt"
	"strconv"
	"strings"
)

// Titled is a title, or what stands for one that is empty.
func Titled(title string) string {
	if strings.TrimSpace(title) == "" {
		return "Untitled"
	}
	return title
}

// Plural counts things in words: "1 page", "2 pages".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Excerpt is the beginning of a text on one line of at most 60 cells.
func Excerpt(s string) string {
	return Line{Plain(strings.Join(strings.Fields(s), " "))}.Cut(60).String()
}

// Section is the title above some rows.
func Section(title string) Line {
	return Line{Of(Style{Tone: Heading, Bold: true}, title)}
}

// readable is the width beyond which lines of prose are hard to read.
const readable = 100

// Measure is the width in cells for prose where there is room for a width.
func Measure(width int) int { return min(width, readable) }

// Column pads a text with spaces to a width in cells, with one at least.
func Column(s string, width int) string {
	line := Line{Plain(s)}
	return line.Pad(max(width, line.Width()+1)).String()
}

// At is a line by its index, an empty one behind the last.
func At(lines []Line, at int) Line {
	if at < len(lines) {
		return lines[at]
	}
	return nil
}

// Number writes a number.
func Number(n int) string { return strconv.Itoa(n) }

// Emoji is an emoji without the signs that ask for a coloured one: terminals do not agree on how wide it is with them.
func Emoji(s string) string { return strings.ReplaceAll(s, "\ufe0f", "") }
