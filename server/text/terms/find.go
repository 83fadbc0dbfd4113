package terms

import (
	"cmp"
	"slices"
)

// Occurrence is a page that contains a term. Pages are numbered by the caller, from 0 without gaps.
type Occurrence struct {
	Page   int
	packed uint64 // weight and sections
}

// NewOccurrence returns an occurrence with the weight of the term in the page and the sections that contain it.
func NewOccurrence(page, weight int, sections uint64) Occurrence {
	return Occurrence{page, uint64(max(weight, 0))<<MaxSections | sections&(1<<MaxSections-1)}
}

func (o Occurrence) weight() int { return int(o.packed >> MaxSections) }

func (o Occurrence) sections() uint64 { return o.packed & (1<<MaxSections - 1) }

// MatchedTerm is one of the terms that match a word of a query.
type MatchedTerm struct {
	Pages  []Occurrence
	Counts int // factor of its weights
}

// MatchedWord is a word of a query with the matching terms.
type MatchedWord struct {
	Optional bool // only adds to the rank
	Terms    []MatchedTerm
}

// Match is a page that matches a query.
type Match struct {
	Page int
	Rank int
}

// tally is the intermediate result of a page.
type tally struct {
	rank  int
	best  int   // best rank of the current word
	word  uint8 // current word, from 1
	words uint8 // number of required words found
}

// Find returns the pages that contain every required word, unordered. The rank of a word in a page is that of its
// best term. pages is the total number of pages.
func Find(words []MatchedWord, pages int) []Match {
	tallies := make([]tally, pages)
	asked := uint8(0)
	for i, word := range sortRequiredFirst(words) {
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
	var found []Match
	for page, t := range tallies {
		if asked > 0 && t.words == asked {
			found = append(found, Match{Page: page, Rank: t.rank})
		}
	}
	return found
}

// sortRequiredFirst moves optional words after the required ones: they are only counted for pages with required words.
func sortRequiredFirst(words []MatchedWord) []MatchedWord {
	return slices.SortedStableFunc(slices.Values(words), func(a, b MatchedWord) int { return cmp.Compare(wordOrder(a), wordOrder(b)) })
}

func wordOrder(w MatchedWord) int {
	if w.Optional {
		return 1
	}
	return 0
}

// count adds the rank of one term of a word to that of the page: only the best term of a word counts.
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

// BestSections returns for each of the pages the indexes of the sections with the most required words, at most the
// given number, in the order of the text.
func BestSections(words []MatchedWord, pages []int, most int) [][]int {
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
		best[i] = topSections(sections[i], most)
	}
	return best
}

// topSections returns the indexes of the sections with the most words.
func topSections(words [MaxSections]uint8, most int) (best []int) {
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
