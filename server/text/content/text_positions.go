package content

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// TextPosition is a position within a text at which a word begins, stored as the words there and the number of earlier
// occurrences of them. It can be found as long as the words exist, whatever changes around them.
type TextPosition struct {
	Text string `json:"text"`
	Nth  int    `json:"nth,omitempty"`
}

// maxPositionBytes is the maximum length of TextPosition.Text.
const maxPositionBytes = 24

// TextPositions returns the positions at some offsets of a text, except for those at which no word begins.
func TextPositions(text []byte, offsets []int) map[int]TextPosition {
	wanted := make(map[int]string, len(offsets))
	said := map[string]int{}
	for _, at := range offsets {
		if at >= 0 && at < len(text) {
			wanted[at] = string(positionText(text, at))
			said[wanted[at]] = 0
		}
	}
	positions := make(map[int]TextPosition, len(wanted))
	eachTextPosition(text, said, func(at, nth int, words string) {
		if wanted[at] == words {
			positions[at] = TextPosition{Text: words, Nth: nth}
		}
	})
	return positions
}

// findTextPositions returns the offsets of positions in a text by name. If a position's words occur less often than before, the last
// occurrence counts; positions whose words do not exist are omitted.
func findTextPositions(text []byte, positions map[string]TextPosition) map[string]int {
	names, said := make(map[string][]string, len(positions)), make(map[string]int, len(positions))
	for name, position := range positions {
		names[position.Text] = append(names[position.Text], name)
		said[position.Text] = 0
	}
	found := make(map[string]int, len(positions))
	eachTextPosition(text, said, func(at, nth int, words string) {
		for _, name := range names[words] {
			if nth <= positions[name].Nth {
				found[name] = at
			}
		}
	})
	return found
}

// eachTextPosition calls visit for every occurrence of the given words at the start of a word, with the number of earlier
// ones. The keys of seen are the texts of positions, its values the number of occurrences so far.
func eachTextPosition(text []byte, seen map[string]int, visit func(at, nth int, words string)) {
	var lengths []int
	for words := range seen {
		if !slices.Contains(lengths, len(words)) && words != "" {
			lengths = append(lengths, len(words))
		}
	}
	inWord := false
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		isWord := unicode.IsLetter(r) || unicode.IsDigit(r)
		for n := 0; n < len(lengths) && isWord && !inWord; n++ {
			words := text[at:min(at+lengths[n], len(text))]
			if nth, wanted := seen[string(words)]; wanted && len(words) == lengths[n] {
				visit(at, nth, string(words))
				seen[string(words)]++
			}
		}
		inWord = isWord
		at += size
	}
}

// positionText returns the text of a position at an offset: the rest of the line up to a link or tag.
func positionText(text []byte, at int) []byte {
	said := text[at:min(at+maxPositionBytes, len(text))]
	if n := bytes.IndexAny(said, "\r\n<]"); n >= 0 {
		said = said[:n]
	}
	for len(said) > 0 && at+len(said) < len(text) && !utf8.RuneStart(text[at+len(said)]) {
		said = said[:len(said)-1]
	}
	return bytes.TrimRight(said, " ")
}

// firstWordOffset returns the offset of the first word of a line, or 0 if there is none.
func firstWordOffset(line []byte) int {
	at := bytes.IndexFunc(line, func(r rune) bool { return r == '\n' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	if at < 0 || line[at] == '\n' {
		return 0
	}
	return at
}

// leadingMarker matches the syntax before the first word of a block.
var leadingMarker = regexp.MustCompile(`^(?:\s*(?:[-+*>]|#{1,6}|\d{1,9}[.)])\s)*`)

// hasTextBefore reports whether a block has visible text before an offset.
func hasTextBefore(block []byte, at int) bool {
	before := block[:at]
	before = before[len(leadingMarker.Find(before)):]
	return bytes.ContainsFunc(before, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
