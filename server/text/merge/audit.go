package merge

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// agree holds the clean merge by blocks against a clean merge by lines. They
// differ where equal blocks or lines leave open what a side did to which of them;
// the lines, which is what people see in every other tool, decide. It answers
// false where they cannot: where the lines can be read in two ways with different
// results, or do not account for every word, for they know nothing of moves.
func (m *textMerge) agree(byBlocks []byte) ([]byte, bool) {
	p := passageMerge{cutLines(m.markdown(inBase)), cutLines(m.markdown(inOurs)), cutLines(m.markdown(inTheirs))}
	byLines, clean := p.merge(alignDown, touching, false, propose)
	if !clean || byLines == string(byBlocks) {
		return byBlocks, true
	}
	if len(m.unaccounted([]byte(byLines))) > 0 {
		return byBlocks, false
	}
	other, clean := p.merge(alignUp, touching, false, propose)
	return []byte(byLines), !clean || other == byLines
}

// unaccounted holds a merge against the law of words: what a side did to the number
// of a word's occurrences was done to the result, or the word is in a conflict. It
// returns the words that break it: of text that one side carried to another block
// while the other side deleted or edited it.
func (m *textMerge) unaccounted(merged []byte) []string {
	base, ours, theirs := countWords(m.markdown(inBase)), countWords(m.markdown(inOurs)), countWords(m.markdown(inTheirs))
	result, named, wrong := countWords(string(merged)), m.namedWords(), map[string]bool{}
	for _, counts := range []map[string]int{base, ours, theirs, result} {
		for word := range counts {
			least, most := bounds(base[word], ours[word], theirs[word])
			if n := result[word]; (n < least || n > most) && !named[word] {
				wrong[word] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(wrong))
}

// bounds returns how often a word may occur in the result. A word that occurs at
// most once in each version tells what became of the text around it: its count
// must add up, unless both sides inserted it. Words that repeat, as most small
// ones do, tell nothing where both sides made the same edit; an inserted one must
// be there.
func bounds(base, ours, theirs int) (least, most int) {
	sum := ours + theirs - base
	switch {
	case max(base, ours, theirs) > 1:
		if base == 0 {
			least = 1
		}
		return least, math.MaxInt
	case ours == base || theirs == base:
		return sum, sum
	default:
		return min(sum, ours), max(sum, ours)
	}
}

// namedWords returns the words in the conflicts so far.
func (m *textMerge) namedWords() map[string]bool {
	named := map[string]bool{}
	for _, c := range m.ledger.conflicts {
		for _, value := range []*string{c.Base, c.Ours, c.Theirs} {
			for word := range countWords(text(value)) {
				named[word] = true
			}
		}
	}
	return named
}

func countWords(text string) map[string]int {
	counts := map[string]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }) {
		counts[word]++
	}
	return counts
}
