package merge

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"
)

// checkAgainstLines compares a clean merge by blocks with a merge by lines. If both are clean but differ, equal
// blocks or lines make the change ambiguous, and the merge by lines wins because other tools show changes by lines.
// It returns false if the merge by lines is ambiguous itself or loses words, since it does not track moves.
func (m *textMerge) checkAgainstLines(byBlocks []byte) ([]byte, bool) {
	p := passageMerge{cutLines(m.markdown(inBase)), cutLines(m.markdown(inOurs)), cutLines(m.markdown(inTheirs))}
	byLines, clean := p.merge(alignDown, touches, false, acceptProposal)
	if !clean || byLines == string(byBlocks) {
		return byBlocks, true
	}
	if len(m.unaccountedWords([]byte(byLines))) > 0 {
		return byBlocks, false
	}
	other, clean := p.merge(alignUp, touches, false, acceptProposal)
	return []byte(byLines), !clean || other == byLines
}

// unaccountedWords returns the sorted words whose number of occurrences in the merged text does not follow from the
// changes of the sides and that are not in a conflict: words of text that one side moved to another block while the
// other side deleted or edited it.
func (m *textMerge) unaccountedWords(merged []byte) []string {
	base, ours, theirs := countWords(m.markdown(inBase)), countWords(m.markdown(inOurs)), countWords(m.markdown(inTheirs))
	result, named, wrong := countWords(string(merged)), m.conflictWords(), map[string]bool{}
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

// bounds returns how often a word may occur in the result. The count of a word that occurs at most once in each
// version must add up, unless both sides inserted the word. For repeated words, where both sides may have made the
// same edit, only an insertion is checked.
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

// conflictWords returns the words that occur in the conflicts recorded so far.
func (m *textMerge) conflictWords() map[string]bool {
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
