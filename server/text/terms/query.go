package terms

import (
	"slices"
	"unicode/utf8"
)

// MinPrefix is the least number of characters that words are completed from.
const MinPrefix = 2

// maxQueryWords bounds the work of one query; what follows is left out.
const maxQueryWords = 32

// QueryWord is one word that a page is asked for.
type QueryWord struct {
	Word
	// Optional words only add to the rank of a page: the little words of a
	// sentence that has others.
	Optional bool
	// Prefix is set on the last word, which may be unfinished.
	Prefix bool
}

// Parse reads what somebody typed. A page has to have every word that is not
// optional. Nothing that can be asked for has no words.
func Parse(query string) []QueryWord {
	var words []QueryWord
	all := Words(withoutParticles(query), false)
	for i, w := range all[:min(len(all), maxQueryWords)] {
		at := slices.IndexFunc(words, func(q QueryWord) bool { return q.Term == w.Term })
		if at < 0 {
			at = len(words)
			words = append(words, QueryWord{Word: w, Optional: little[w.Folded]})
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
