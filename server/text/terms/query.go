package terms

import (
	"slices"
	"unicode/utf8"
)

// MinPrefix is the minimum number of characters of a word prefix.
const MinPrefix = 2

// maxQueryWords limits the words of a query; further words are ignored.
const maxQueryWords = 32

// QueryWord is one word of a query.
type QueryWord struct {
	Word
	// Optional words, the stop words of a query with other words, only add to the rank of a page.
	Optional bool
	// Prefix is set on the last word, which may be incomplete.
	Prefix bool
}

// Parse parses a search query. A page matches if it contains every word that is not optional. The result is empty if
// the query has no searchable words.
func Parse(query string) []QueryWord {
	var words []QueryWord
	all := Words(removeParticles(query), false)
	for i, w := range all[:min(len(all), maxQueryWords)] {
		at := slices.IndexFunc(words, func(q QueryWord) bool { return q.Term == w.Term })
		if at < 0 {
			at = len(words)
			words = append(words, QueryWord{Word: w, Optional: stopWords[w.Folded]})
		}
		words[at].Prefix = i == len(all)-1 && utf8.RuneCountInString(w.Folded) >= MinPrefix
	}
	if !slices.ContainsFunc(words, func(q QueryWord) bool { return !q.Optional }) {
		for i := range words {
			words[i].Optional = false
		}
	}
	return words
}
