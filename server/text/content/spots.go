package content

import (
	"bytes"
	"regexp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Spot is a place inside a text, where a word begins: what stands there, and how often that stands before it. It is found
// again as long as its words stand, whatever is changed around them.
type Spot struct {
	Text string `json:"text"`
	Nth  int    `json:"nth,omitempty"`
}

// maxSpotBytes is how much of what stands at a spot is kept.
const maxSpotBytes = 24

// Spots returns the spots of words at some offsets of a text, without those where no word begins.
func Spots(text []byte, offsets []int) map[int]Spot {
	wanted := make(map[int]string, len(offsets))
	said := map[string]int{}
	for _, at := range offsets {
		if at >= 0 && at < len(text) {
			wanted[at] = string(spotText(text, at))
			said[wanted[at]] = 0
		}
	}
	spots := make(map[int]Spot, len(wanted))
	eachSpot(text, said, func(at, nth int, words string) {
		if wanted[at] == words {
			spots[at] = Spot{Text: words, Nth: nth}
		}
	})
	return spots
}

// findSpots returns where the spots of some names are in a text. Of a spot that stands there less often than it did, it
// is the last; those whose words are gone are left out.
func findSpots(text []byte, spots map[string]Spot) map[string]int {
	names, said := make(map[string][]string, len(spots)), make(map[string]int, len(spots))
	for name, spot := range spots {
		names[spot.Text] = append(names[spot.Text], name)
		said[spot.Text] = 0
	}
	found := make(map[string]int, len(spots))
	eachSpot(text, said, func(at, nth int, words string) {
		for _, name := range names[words] {
			if nth <= spots[name].Nth {
				found[name] = at
			}
		}
	})
	return found
}

// eachSpot calls visit for every beginning of a word where some words stand, with how often they stand before it. said
// has these words, which are not longer than a spot keeps.
func eachSpot(text []byte, said map[string]int, visit func(at, nth int, words string)) {
	var lengths []int
	for words := range said {
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
			if nth, asked := said[string(words)]; asked && len(words) == lengths[n] {
				visit(at, nth, string(words))
				said[string(words)]++
			}
		}
		inWord = isWord
		at += size
	}
}

// spotText is what is kept of a text from an offset on: the line, as far as no link or tag begins to say more than words.
func spotText(text []byte, at int) []byte {
	said := text[at:min(at+maxSpotBytes, len(text))]
	if n := bytes.IndexAny(said, "\r\n<]"); n >= 0 {
		said = said[:n]
	}
	for len(said) > 0 && at+len(said) < len(text) && !utf8.RuneStart(text[at+len(said)]) {
		said = said[:len(said)-1]
	}
	return bytes.TrimRight(said, " ")
}

// toFirstWord is where the first word of a line begins, 0 without one.
func toFirstWord(line []byte) int {
	at := bytes.IndexFunc(line, func(r rune) bool { return r == '\n' || unicode.IsLetter(r) || unicode.IsDigit(r) })
	if at < 0 || line[at] == '\n' {
		return 0
	}
	return at
}

// marker is what may stand before the first word of a block.
var marker = regexp.MustCompile(`^(?:\s*(?:[-+*>]|#{1,6}|\d{1,9}[.)])\s)*`)

// leads reports whether something is read in a block before an offset.
func leads(block []byte, at int) bool {
	before := block[:at]
	before = before[len(marker.Find(before)):]
	return bytes.ContainsFunc(before, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
