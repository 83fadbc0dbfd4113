package writeback

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"docspace.dev/wsd/server/text/align"
)

// wordRules align the words of a block with those of its source.
var wordRules = align.Rules{Anchors: align.AnchorsLate, Search: align.Greedy}

// applyChanges applies the difference between two renderings of a block, was and next, to its source. Text that only the
// source has is kept. The strategy determines the position of new words adjacent to such text, the pairing of words,
// and the amount of text around a change that is rewritten.
func applyChanges(was, source, next string, by strategy) string {
	a, s, b := wordsOf(was), wordsOf(source), wordsOf(next)
	inSource := pairWords(a, s)
	if by >= wordsByLetters {
		inSource = pairByLetters(a, s)
	}
	differ := align.NewWithoutContext[string](wordRules)
	hunks := align.Hunks(differ.Align(a, b), len(a))
	if by == wordsByName {
		inSource = pairByName(hunks, a, s, inSource)
	}
	if by == broadenWords {
		hunks = broaden(hunks, a, inSource)
	}
	var out strings.Builder
	at := 0
	for _, h := range hunks {
		from, to, first, last := sourceSpan(inSource, h, len(s), by == insertBeforeSourceText)
		from, to = max(from, at), max(to, at)
		out.WriteString(strings.Join(s[at:from], ""))
		out.WriteString(strings.Join(a[first:h.A], "") + strings.Join(b[h.B:h.BEnd], "") + strings.Join(a[h.AEnd:last], ""))
		at = to
	}
	out.WriteString(strings.Join(s[at:], ""))
	return out.String()
}

// pairWords returns for each word its index in the source, or align.None.
func pairWords(words, source []string) []int {
	pairs := align.NewWithoutContext[string](wordRules)
	return align.Invert(pairs.Align(words, source), len(words))
}

// pairByLetters pairs words with letters first, and then the text between them: punctuation is frequent and would
// otherwise be paired across words.
func pairByLetters(words, source []string) []int {
	lettered := func(words []string) (texts []string, at []int) {
		for i, word := range words {
			if kindOf(firstRune(word)) == kindLetter {
				texts, at = append(texts, word), append(at, i)
			}
		}
		return texts, at
	}
	a, atA := lettered(words)
	s, atS := lettered(source)
	found := make([]int, 0, len(words))
	last := 0 // index in the source
	between := func(i, j int) {
		for _, at := range pairWords(words[len(found):i], source[last:j]) {
			if at != align.None {
				at += last
			}
			found = append(found, at)
		}
	}
	for i, j := range pairWords(a, s) {
		if j != align.None {
			between(atA[i], atS[j])
			found, last = append(found, atS[j]), atS[j]+1
		}
	}
	between(len(words), len(source))
	return found
}

// pairByName pairs changed words without a partner with equal words of the source, in order: the text of a link precedes
// its destination in Markdown but follows it in HTML.
func pairByName(hunks []align.Hunk, words, source []string, inSource []int) []int {
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

// broaden extends hunks to the next white space of the source on both sides, so that the enclosing links, addresses
// and marks are rewritten, and no others.
func broaden(hunks []align.Hunk, words []string, inSource []int) (all []align.Hunk) {
	bound := func(i int) bool { return kindOf(firstRune(words[i])) == kindSpace && inSource[i] != align.None }
	for _, h := range hunks {
		for h.A > 0 && !bound(h.A-1) {
			h.A, h.B = h.A-1, h.B-1
		}
		for h.AEnd < len(words) && !bound(h.AEnd) {
			h.AEnd, h.BEnd = h.AEnd+1, h.BEnd+1
		}
		if n := len(all) - 1; n >= 0 && h.A <= all[n].AEnd { // the text between them is equal
			all[n].AEnd, all[n].BEnd = h.AEnd, h.BEnd
			continue
		}
		all = append(all, h)
	}
	return all
}

// sourceSpan returns the span of a hunk in the source, whose length is end. Adjacent words that the source does not have
// are rewritten: those of was from first to last.
func sourceSpan(inSource []int, h align.Hunk, end int, early bool) (from, to, first, last int) {
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
	if h.A == h.AEnd && first == h.A && last == h.AEnd { // pure insertion: keep the text in between
		if early {
			return from, from, first, last
		}
		return to, to, first, last
	}
	return from, to, first, last
}

// Kinds of characters at which words are cut.
const (
	kindSymbol = iota
	kindLetter
	kindSpace
)

func kindOf(r rune) int {
	switch {
	case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
		return kindLetter
	case unicode.IsSpace(r):
		return kindSpace
	}
	return kindSymbol
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// wordsOf cuts a text into words, white space, and punctuation.
func wordsOf(s string) (words []string) {
	start, last := 0, -1
	for i, r := range s {
		kind := kindOf(r)
		if i > 0 && (kind != last || kind == kindSymbol) {
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
