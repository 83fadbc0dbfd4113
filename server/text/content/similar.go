package content

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// minSimilarity is the minimum share of common words, in percent of both blocks' words, at which two blocks of one
// kind count as one edited block.
const minSimilarity = 50

// similarPair is the similarity of two blocks, given by their indexes.
type similarPair struct{ old, new, score int }

// pairSimilar pairs blocks of one kind by their words and in order, the most similar first, ties to the earlier
// block.
func (m *matcher) pairSimilar(olds, news []int) {
	if len(olds) == 0 || len(news) == 0 {
		return
	}
	oldWords, newWords := wordSets(m.oldText, olds), wordSets(m.newText, news)
	var found []similarPair
	for i, o := range olds {
		for k, n := range news {
			if m.old[o].Kind != m.new[n].Kind {
				continue
			}
			if score := similarity(oldWords[i], newWords[k]); score >= minSimilarity {
				found = append(found, similarPair{o, n, score})
			}
		}
	}
	slices.SortFunc(found, func(a, b similarPair) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.old, b.old), cmp.Compare(a.new, b.new))
	})
	var taken []similarPair
	for _, like := range found {
		if !slices.ContainsFunc(taken, like.crosses) {
			m.pair(like.old, like.new)
			taken = append(taken, like)
		}
	}
}

// crosses reports whether two pairs share a block or are in opposite order. A block that was both moved and edited
// counts as new, because common words alone do not prove a move.
func (a similarPair) crosses(b similarPair) bool {
	return (a.old < b.old) != (a.new < b.new) || a.old == b.old || a.new == b.new
}

func wordSets(text Text, at []int) [][]uint64 {
	sets := make([][]uint64, len(at))
	for i, n := range at {
		sets[i] = wordSet(text.Bytes(text.Blocks[n]))
	}
	return sets
}

// similarity returns the intersection of two word sets in percent of their union.
func similarity(a, b []uint64) int {
	total := len(a) + len(b)
	if total == 0 || 200*min(len(a), len(b)) < minSimilarity*total {
		return 0
	}
	common := 0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] == b[0]:
			common++
			a, b = a[1:], b[1:]
		case a[0] < b[0]:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return 200 * common / total
}

// wordSet returns the sorted, unique hashes of a block's words.
func wordSet(block []byte) []uint64 {
	var words []uint64
	eachWord(block, func(hash uint64, _, _ int) { words = append(words, hash) })
	slices.Sort(words)
	return slices.Compact(words)
}

// eachWord calls visit with the hash and the span of every word. A word is a run of letters and digits, compared
// without case; in scripts without word separators every character is a word.
func eachWord(block []byte, visit func(hash uint64, start, end int)) {
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a
	word, from := uint64(offset), none
	flush := func(to int) {
		if from != none {
			visit(word, from, to)
		}
		word, from = offset, none
	}
	for at := 0; at < len(block); {
		r, size := utf8.DecodeRune(block[at:])
		alone := r > 0x2e7f && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
		letter := unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
		if alone || !letter {
			flush(at)
		}
		if letter {
			if from == none {
				from = at
			}
			word = (word ^ uint64(unicode.ToLower(r))) * prime //nolint:gosec // runes are not negative
		}
		at += size
		if alone {
			flush(at)
		}
	}
	flush(len(block))
}
