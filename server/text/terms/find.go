package terms

import (
	"cmp"
	"slices"
)

// Occurrence is one page that has a term. Pages are numbered by the caller, from 0 without gaps.
type Occurrence struct {
	Page   int
	packed uint64 // weight and sections
}

// NewOccurrence notes what a page weighs, and the sections that count.
func NewOccurrence(page, weight int, sections uint64) Occurrence {
	return Occurrence{page, uint64(max(weight, 0))<<MaxSections | sections&(1<<MaxSections-1)}
}

func (o Occurrence) weight() int { return int(o.packed >> MaxSections) }

func (o Occurrence) sections() uint64 { return o.packed & (1<<MaxSections - 1) }

// AskedTerm is one of the terms that a word of a query stands for.
type AskedTerm struct {
	Pages  []Occurrence
	Counts int // what its weights are multiplied with
}

// AskedWord is a word of a query with what the pages have of it.
type AskedWord struct {
	Optional bool // only adds to the rank
	Terms    []AskedTerm
}

// Found is a page that has what was asked for.
type Found struct {
	Page int
	Rank int
}

// tally is what is known of a page while words are counted.
type tally struct {
	rank  int
	best  int   // for the word that was counted last
	word  uint8 // that one, from 1
	words uint8 // that are not optional
}

// Find returns the pages that have every word that is not optional, in no order. A page has of each word what it has
// of the best of its terms; pages says how many pages are numbered.
func Find(words []AskedWord, pages int) []Found {
	tallies := make([]tally, pages)
	asked := uint8(0)
	for i, word := range inOrder(words) {
		for _, term := range word.Terms {
			for _, o := range term.Pages {
				if t := &tallies[o.Page]; t.words == asked || t.word == uint8(i+1) {
					t.count(uint8(i+1), word.Optional, o.weight()*term.Counts)
				}
			}
		}
		if !word.Optional {
			asked++
		}
	}
	var found []Found
	for page, t := range tallies {
		if asked > 0 && t.words == asked {
			found = append(found, Found{Page: page, Rank: t.rank})
		}
	}
	return found
}

// inOrder puts optional words behind the others: they matter only to pages that have those.
func inOrder(words []AskedWord) []AskedWord {
	return slices.SortedStableFunc(slices.Values(words), func(a, b AskedWord) int { return cmp.Compare(place(a), place(b)) })
}

func place(w AskedWord) int {
	if w.Optional {
		return 1
	}
	return 0
}

// count notes what a page has of one term of a word.
func (t *tally) count(word uint8, optional bool, rank int) {
	if t.word != word {
		t.word, t.best = word, 0
		if !optional {
			t.words++
		}
	}
	if rank > t.best {
		t.rank, t.best = t.rank+rank-t.best, rank
	}
}

// BestSections says of each of the pages which of its sections have the most words, at most so many, in the order of
// the text. Optional words do not count.
func BestSections(words []AskedWord, pages []int, most int) [][]int {
	sections, order := make([][MaxSections]uint8, len(pages)), make(map[int]int, len(pages))
	for i, page := range pages {
		order[page] = i
	}
	for _, word := range words {
		if word.Optional {
			continue
		}
		have := make([]uint64, len(pages))
		for _, term := range word.Terms {
			for _, o := range term.Pages {
				if i, asked := order[o.Page]; asked {
					have[i] |= o.sections()
				}
			}
		}
		for i, bits := range have {
			for n := range MaxSections {
				sections[i][n] += uint8(bits >> n & 1)
			}
		}
	}
	best := make([][]int, len(pages))
	for i := range pages {
		best[i] = mostWords(sections[i], most)
	}
	return best
}

// mostWords are the numbers of the sections with the most words.
func mostWords(words [MaxSections]uint8, most int) (best []int) {
	for n, count := range words {
		if count > 0 {
			best = append(best, n)
		}
	}
	slices.SortStableFunc(best, func(a, b int) int { return cmp.Compare(words[b], words[a]) })
	best = best[:min(most, len(best))]
	slices.Sort(best)
	return best
}
