package search

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"docspace.dev/wsd/server/text/terms"
)

// spaceTitle is the title of a space in searches of an organization. A space is found by its title even if no page
// matches.
type spaceTitle struct {
	text  string
	words []terms.Word
}

func newSpaceTitle(text string) spaceTitle { return spaceTitle{text, terms.Words(text, true)} }

// fingerprint identifies the title in the state of an index.
func (t spaceTitle) fingerprint() string {
	sum := sha256.Sum256([]byte(t.text))
	return hex.EncodeToString(sum[:8])
}

// foldedWords returns the words of the title in the form in which prefixes are looked up.
func (t spaceTitle) foldedWords() (words []string) {
	for _, w := range t.words {
		words = append(words, w.Folded)
	}
	return words
}

// weight returns the weight of the title for a word of a query, or 0 if it does not match.
func (t spaceTitle) weight(word terms.QueryWord) int {
	counts := 0
	for _, w := range t.words {
		switch {
		case w.Term == word.Term:
			return weightExact
		case word.Prefix && strings.HasPrefix(w.Folded, word.Folded):
			counts = weightPrefix
		}
	}
	return counts
}

// hasSimilar reports whether the title contains a word similar to the given one.
func (t spaceTitle) hasSimilar(word terms.QueryWord) bool {
	for _, w := range t.words {
		if terms.DifferByOneLetter(w.Folded, word.Folded) {
			return true
		}
	}
	return false
}

// rank returns the rank of a space whose title contains all words that are not optional, else 0. The misspelled
// words, which have no match as given, are indexes into the query.
func (t spaceTitle) rank(query []terms.QueryWord, misspelled []int) int {
	rank, weight := 0, terms.Posting{Title: 1}.Weight(terms.Lengths{Title: len(t.words)})
	wrong := map[int]bool{}
	for _, n := range misspelled {
		wrong[n] = true
	}
	for n, word := range query {
		counts := t.weight(word)
		if counts == 0 && wrong[n] && t.hasSimilar(word) {
			counts = weightSimilar
		}
		if counts == 0 && !word.Optional {
			return 0
		}
		rank += counts * weight
	}
	return rank
}
