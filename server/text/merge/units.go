package merge

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// sequence is a text cut into units and the separators after them; concatenated in order they are the text.
type sequence struct {
	units      []string
	separators []string // separators[i] follows units[i]
}

func (s *sequence) add(unit, separator string) {
	s.units = append(s.units, unit)
	s.separators = append(s.separators, separator)
}

// cutLines cuts text into lines; line endings are separators.
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

// nestedBlockStart matches the start of a line that begins a structure of its own within a block: a nested item, a
// heading, a quote, a table row, a tag, a fence, or an empty line.
var nestedBlockStart = regexp.MustCompile("^[ \t]*([-*+>#|<]|[0-9]{1,9}[.)]|\\{%|```|~~~|\r?\n|$)")

// cutSentences cuts prose into sentences; the white space between them forms the separators.
func cutSentences(text string) sequence {
	var s sequence
	start := 0
	for pos := 0; pos < len(text); {
		end, next := sentenceEnd(text, pos)
		if end < 0 {
			pos = next
			continue
		}
		end = max(end, start)
		s.add(text[start:end], text[end:next])
		start, pos = next, next
	}
	s.add(text[start:], "")
	return s
}

// sentenceEnd examines the character at offset pos. If it ends a sentence, sentenceEnd returns the end of the
// sentence and the start of the next; otherwise -1 and the offset of the next character.
func sentenceEnd(text string, pos int) (end, next int) {
	r, size := utf8.DecodeRuneInString(text[pos:])
	next = pos + size
	switch {
	case r == '\n':
		if nestedBlockStart.MatchString(text[next:]) {
			return pos - trailingSpace(text[:pos]), next + blankLines(text[next:])
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

// closers returns the length of further end marks, closing quotes, brackets and emphasis after a sentence's end mark.
func closers(text string) int {
	return len(text) - len(strings.TrimLeft(text, ".!?…。！？｡\"'”’»)]*_`"))
}

// leadingSpace returns the length of the separating white space at the start of text, excluding the indentation of a
// following line.
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

// Sentences returns the sentences into which a merge cuts prose.
func Sentences(text string) []string { return cutSentences(text).units }

// Lines returns the lines into which a merge cuts tables and code.
func Lines(text string) []string { return cutLines(text).units }
