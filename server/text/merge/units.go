package merge

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sequence is a piece of text cut into units and the separators behind them; the
// pieces in order are the text.
type sequence struct {
	units      []string
	separators []string // separators[i] stands behind units[i]
}

func (s *sequence) add(unit, separator string) {
	s.units = append(s.units, unit)
	s.separators = append(s.separators, separator)
}

// cutLines cuts text into lines; line ends are separators.
func cutLines(text string) sequence {
	var s sequence
	for {
		i := strings.IndexByte(text, '\n')
		if i < 0 {
			s.add(text, "")
			return s
		}
		end := i
		if end > 0 && text[end-1] == '\r' {
			end--
		}
		s.add(text[:end], text[end:i+1])
		text = text[i+1:]
	}
}

// newBlockLine matches the start of a line that begins something of its own
// inside a block: a nested item, a heading, a quote, a table row, a tag, a fence,
// or nothing at all.
var newBlockLine = regexp.MustCompile("^[ \t]*([-*+>#|<]|[0-9]{1,9}[.)]|\\{%|```|~~~|\r?\n|$)")

// cutSentences cuts prose into sentences; the white space between them separates.
func cutSentences(text string) sequence {
	var s sequence
	start := 0
	for at := 0; at < len(text); {
		end, next := sentenceEnd(text, at)
		if end < 0 {
			at = next
			continue
		}
		end = max(end, start)
		s.add(text[start:end], text[end:next])
		start, at = next, next
	}
	s.add(text[start:], "")
	return s
}

// sentenceEnd looks at the character at offset at. Where a sentence ends with it,
// it returns where the sentence ends and where the next starts; else -1 and the
// offset of the next character to look at.
func sentenceEnd(text string, at int) (end, next int) {
	r, size := utf8.DecodeRuneInString(text[at:])
	next = at + size
	switch {
	case r == '\n':
		if newBlockLine.MatchString(text[next:]) {
			return at - trailingSpace(text[:at]), next + blankLines(text[next:])
		}
	case strings.ContainsRune("。！？｡", r):
		next += closers(text[next:])
		return next, next + leadingSpace(text[next:])
	case r == '.' || r == '!' || r == '?' || r == '…':
		closed := next + closers(text[next:])
		if space := leadingSpace(text[closed:]); space > 0 && closed+space < len(text) {
			return closed, closed + space
		}
	}
	return -1, next
}

// closers returns the length of further end marks, closing quotes, brackets and
// emphasis behind a sentence's end mark.
func closers(text string) int {
	return len(text) - len(strings.TrimLeft(text, ".!?…。！？｡\"'”’»)]*_`"))
}

// leadingSpace returns the length of the white space at the start of text that
// separates what follows it; the indentation of a line belongs to the line.
func leadingSpace(text string) int {
	space := text[:len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace))]
	if i := strings.LastIndexByte(space, '\n'); i >= 0 {
		return i + 1
	}
	return len(space)
}

// blankLines returns the length of the blank lines at the start of text.
func blankLines(text string) int {
	space := text[:len(text)-len(strings.TrimLeft(text, " \t\r\n"))]
	return strings.LastIndexByte(space, '\n') + 1
}

func trailingSpace(text string) int {
	return len(text) - len(strings.TrimRight(text, " \t\r"))
}

// Sentences are the sentences that a merge takes prose apart into.
func Sentences(text string) []string { return cutSentences(text).units }

// Lines are the lines that a merge takes tables and code apart into.
func Lines(text string) []string { return cutLines(text).units }
