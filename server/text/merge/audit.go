package merge

import (
	"index/suffixarray"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// checkAgainstLines compares a clean merge by blocks with a merge by lines. If both are clean but differ, equal
// blocks or lines make the change ambiguous, and the merge by lines wins because other tools show changes by lines.
// It returns false if the merge by lines is ambiguous itself or loses words, since it does not track moves. A merge by
// lines that doubles what both sides inserted is wrong, and tells nothing.
func (m *textMerge) checkAgainstLines(byBlocks []byte) ([]byte, bool) {
	p := passageMerge{cutLines(m.markdown(inBase)), cutLines(m.markdown(inOurs)), cutLines(m.markdown(inTheirs))}
	byLines, clean := p.merge(alignDown, touches, false, acceptProposal)
	if !clean || byLines == string(byBlocks) || len(m.doubledSentences([]byte(byLines))) > 0 {
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

// doubledSentences returns the sentences of at least two words that both sides inserted, once each, and that the merged text has more
// than once, unless a word of them is in a conflict: the proposal of a conflict depends on the order of the sides. A side may have
// inserted one in place of another block or joined it to one, so that the blocks do not tell.
func (m *textMerge) doubledSentences(merged []byte) (doubled [][]string) {
	named, before := m.conflictWords(), map[string]bool{}
	for _, sentence := range cutSentences(m.markdown(inBase)).units {
		before[sentence] = true
	}
	result := countWords(string(merged))
	for _, side := range []int{inOurs, inTheirs} {
		for _, sentence := range cutSentences(m.markdown(side)).units {
			list := wordList(sentence)
			isExcluded := func(word string) bool { return result[word] < 2 || named[word] }
			if !before[sentence] && len(list) > 1 && !slices.ContainsFunc(list, isExcluded) {
				doubled = append(doubled, list)
			}
		}
	}
	if len(doubled) == 0 {
		return nil
	}
	base, ours, theirs, all := newPhrases(m.markdown(inBase)), newPhrases(m.markdown(inOurs)), newPhrases(m.markdown(inTheirs)),
		newPhrases(string(merged))
	doubled = slices.DeleteFunc(doubled, func(list []string) bool {
		return base.count(list) > 0 || ours.count(list) != 1 || theirs.count(list) != 1 || all.count(list) < 2
	})
	slices.SortFunc(doubled, slices.Compare)
	return doubled
}

// phrases finds sequences of words in texts. The cost of a search grows with the length of the sequence, not with how often the
// texts repeat its words.
type phrases struct {
	index  *suffixarray.Index
	starts []int // offsets of the texts in the index
}

// Bytes of the index of phrases, which no word contains.
const (
	wordEnd = "\x00"
	textEnd = "\x01"
)

func newPhrases(texts ...string) phrases {
	var p phrases
	var data []byte
	for _, text := range texts {
		p.starts = append(p.starts, len(data))
		data = append(data, phrase(wordList(text))+textEnd...)
	}
	p.index = suffixarray.New(data)
	return p
}

func phrase(list []string) string { return wordEnd + strings.Join(list, wordEnd) + wordEnd }

// count returns the number of occurrences of a sequence of words, but not more than 2.
func (p phrases) count(list []string) int { return len(p.index.Lookup([]byte(phrase(list)), 2)) }

// find returns the index of a text that contains a sequence of words.
func (p phrases) find(list []string) (text int, ok bool) {
	at := p.index.Lookup([]byte(phrase(list)), 1)
	if len(at) == 0 {
		return 0, false
	}
	return sort.SearchInts(p.starts, at[0]+1) - 1, true
}

// wordList returns the words of a text in order.
func wordList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
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
	for _, word := range wordList(text) {
		counts[word]++
	}
	return counts
}
