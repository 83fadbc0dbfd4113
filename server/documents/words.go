package documents

import (
	"strings"
	"unicode"

	"docspace.dev/wsd/server/align"
)

// wordRules pair the words of what a block says with those of its source.
var wordRules = align.Rules{Anchors: align.AnchorsLate, Search: align.Greedy}

// changed is a source in which what two writings of it differ in is changed: was is what it reads as, next what it shall
// read as. What only the source has stays where it stood; early says that new words go before it, where both stand in
// one place.
func changed(was, source, next string, early bool) string {
	a, s, b := wordsOf(was), wordsOf(source), wordsOf(next)
	pairs, differ := align.Short[string](wordRules), align.Short[string](wordRules)
	inSource := align.Invert(pairs.Align(a, s), len(a))
	var out strings.Builder
	at := 0
	for _, h := range align.Hunks(differ.Align(a, b), len(a)) {
		from, to, first, last := placeIn(inSource, h, len(s), early)
		from, to = max(from, at), max(to, at)
		out.WriteString(strings.Join(s[at:from], ""))
		out.WriteString(strings.Join(a[first:h.A], "") + strings.Join(b[h.B:h.BEnd], "") + strings.Join(a[h.AEnd:last], ""))
		at = to
	}
	out.WriteString(strings.Join(s[at:], ""))
	return out.String()
}

// placeIn is where a change stands in the source, of which end is the length. Words around it that the source does not
// have are written again: those of was from first on, and up to last.
func placeIn(inSource []int, h align.Hunk, end int, early bool) (from, to, first, last int) {
	first, last = h.A, h.AEnd
	if h.A < h.AEnd && inSource[h.A] != align.None {
		from = inSource[h.A]
	} else {
		for first > 0 && inSource[first-1] == align.None {
			first--
		}
		if first > 0 {
			from = inSource[first-1] + 1
		}
	}
	if h.A < h.AEnd && inSource[h.AEnd-1] != align.None {
		return from, inSource[h.AEnd-1] + 1, first, last
	}
	for last < len(inSource) && inSource[last] == align.None {
		last++
	}
	if to = end; last < len(inSource) {
		to = inSource[last]
	}
	if h.A == h.AEnd && first == h.A && last == h.AEnd { // nothing is taken away: what stands between stays
		if early {
			return from, from, first, last
		}
		return to, to, first, last
	}
	return from, to, first, last
}

// wordsOf cuts a text into words, white space, and signs.
func wordsOf(s string) (words []string) {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	start, last := 0, -1
	for i, r := range s {
		k := kind(r)
		if i > 0 && (k != last || k == 0) {
			words = append(words, s[start:i])
			start = i
		}
		last = k
	}
	if start < len(s) {
		words = append(words, s[start:])
	}
	return words
}
