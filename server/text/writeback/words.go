package writeback

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/server/text/align"
)

// wordRules pair the words of what a block says with those of its source.
var wordRules = align.Rules{Anchors: align.AnchorsLate, Search: align.Greedy}

// changed is a source in which what two writings of it differ in is changed: was is what it reads as, next what it shall
// read as. What only the source has stays where it stood; the way says where new words go that stand in one place with it,
// how the words are paired, and how much around a change is written again.
func changed(was, source, next string, by way) string {
	a, s, b := wordsOf(was), wordsOf(source), wordsOf(next)
	inSource := paired(a, s)
	if by >= worded {
		inSource = pairedByLetters(a, s)
	}
	differ := align.Short[string](wordRules)
	hunks := align.Hunks(differ.Align(a, b), len(a))
	if by == named {
		inSource = byName(hunks, a, s, inSource)
	}
	if by == broad {
		hunks = broadened(hunks, a, inSource)
	}
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		from, to, first, last := placeIn(inSource, h, len(s), by == before)
		from, to = max(from, at), max(to, at)
		out.WriteString(strings.Join(s[at:from], ""))
		out.WriteString(strings.Join(a[first:h.A], "") + strings.Join(b[h.B:h.BEnd], "") + strings.Join(a[h.AEnd:last], ""))
		at = to
	}
	out.WriteString(strings.Join(s[at:], ""))
	return out.String()
}

// paired says for each word where it stands in the source.
func paired(words, source []string) []int {
	pairs := align.Short[string](wordRules)
	return align.Invert(pairs.Align(words, source), len(words))
}

// pairedByLetters pairs what has letters first, and then what stands between: signs are many and alike, and would be paired
// across the words that they stand at.
func pairedByLetters(words, source []string) []int {
	lettered := func(words []string) (texts []string, at []int) {
		for i, word := range words {
			if kindOf(firstRune(word)) == letters {
				texts, at = append(texts, word), append(at, i)
			}
		}
		return texts, at
	}
	a, atA := lettered(words)
	s, atS := lettered(source)
	found := make([]int, 0, len(words))
	last := 0 // in the source
	between := func(i, j int) {
		for _, at := range paired(words[len(found):i], source[last:j]) {
			if at != align.None {
				at += last
			}
			found = append(found, at)
		}
	}
	for i, j := range paired(a, s) {
		if j != align.None {
			between(atA[i], atS[j])
			found, last = append(found, atS[j]), atS[j]+1
		}
	}
	between(len(words), len(source))
	return found
}

// byName pairs words that change and have no pair with those of the same name in the source, the first with the first: the
// text of a link stands before its address in Markdown, and behind it in HTML.
func byName(hunks []align.Hunk, words, source []string, inSource []int) []int {
	places := func(words []string, name string) (at []int) {
		for i, word := range words {
			if word == name {
				at = append(at, i)
			}
		}
		return at
	}
	found := slices.Clone(inSource)
	for _, h := range hunks {
		if h.AEnd != h.A+1 || inSource[h.A] != align.None {
			continue
		}
		a, s := places(words, words[h.A]), places(source, words[h.A])
		if len(a) == len(s) {
			found[h.A] = s[slices.Index(a, h.A)]
		}
	}
	return found
}

// broadened are changes that reach to the next white space that the source has, on both sides: the links, addresses and
// marks that they are in are written again, and no others.
func broadened(hunks []align.Hunk, words []string, inSource []int) (all []align.Hunk) {
	bound := func(i int) bool { return kindOf(firstRune(words[i])) == spaces && inSource[i] != align.None }
	for _, h := range hunks {
		for h.A > 0 && !bound(h.A-1) {
			h.A, h.B = h.A-1, h.B-1
		}
		for h.AEnd < len(words) && !bound(h.AEnd) {
			h.AEnd, h.BEnd = h.AEnd+1, h.BEnd+1
		}
		if n := len(all) - 1; n >= 0 && h.A <= all[n].AEnd { // what stands between them is the same
			all[n].AEnd, all[n].BEnd = h.AEnd, h.BEnd
			continue
		}
		all = append(all, h)
	}
	return all
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

// The kinds of characters that words are cut by.
const (
	signs = iota
	letters
	spaces
)

func kindOf(r rune) int {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return letters
	case unicode.IsSpace(r):
		return spaces
	}
	return signs
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// wordsOf cuts a text into words, white space, and signs.
func wordsOf(s string) (words []string) {
	start, last := 0, -1
	for i, r := range s {
		kind := kindOf(r)
		if i > 0 && (kind != last || kind == signs) {
			words = append(words, s[start:i])
			start = i
		}
		last = kind
	}
	if start < len(s) {
		words = append(words, s[start:])
	}
	return words
}
