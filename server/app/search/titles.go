package search

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"docspace.dev/wsd/server/text/terms"
)

// spaceTitle is the title of a space as a search of the organization reads it: a space is found by it though no page
// has the words.
type spaceTitle struct {
	text  string
	words []terms.Word
}

func titleOf(text string) spaceTitle { return spaceTitle{text, terms.Words(text, true)} }

// fingerprint names the title in the state of an index.
func (t spaceTitle) fingerprint() string {
	sum := sha256.Sum256([]byte(t.text))
	return hex.EncodeToString(sum[:8])
}

// folded are the words of a title as they are looked up by their beginning.
func (t spaceTitle) folded() (words []string) {
	for _, w := range t.words {
		words = append(words, w.Folded)
	}
	return words
}

// has says what a title counts for a word of a query, 0 without it.
func (t spaceTitle) has(word terms.QueryWord) int {
	counts := 0
	for _, w := range t.words {
		switch {
		case w.Term == word.Term:
			return countsExact
		case word.Prefix && strings.HasPrefix(w.Folded, word.Folded):
			counts = countsPrefix
		}
	}
	return counts
}

// near says whether a title has what a word may be meant for.
func (t spaceTitle) near(word terms.QueryWord) bool {
	for _, w := range t.words {
		if terms.OneLetter(w.Folded, word.Folded) {
			return true
		}
	}
	return false
}

// rank is that of a space whose title has all words that are not optional, else 0. The misspelt are numbers of words
// that nothing has as they stand.
func (t spaceTitle) rank(query []terms.QueryWord, misspelt []int) int {
	rank, weight := 0, terms.Posting{Title: 1}.Weight(terms.Lengths{Title: len(t.words)})
	wrong := map[int]bool{}
	for _, n := range misspelt {
		wrong[n] = true
	}
	for n, word := range query {
		counts := t.has(word)
		if counts == 0 && wrong[n] && t.near(word) {
			counts = countsNear
		}
		if counts == 0 && !word.Optional {
			return 0
		}
		rank += counts * weight
	}
	return rank
}
