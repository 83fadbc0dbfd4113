package terms

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// findByPage is a reference implementation of Find that works page by page.
func findByPage(words []MatchedWord, pages int) (found []Match) {
pages:
	for page := range pages {
		rank, asked := 0, 0
		for _, word := range words {
			best, has := 0, false
			for _, term := range word.Terms {
				for _, o := range term.Pages {
					if o.Page == page {
						best, has = max(best, o.weight()*term.Counts), true
					}
				}
			}
			if !word.Optional {
				asked++
				if !has {
					continue pages
				}
			}
			rank += best
		}
		if asked > 0 {
			found = append(found, Match{page, rank})
		}
	}
	return found
}

func TestFind(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		r := rand.New(rand.NewPCG(seed, 1))
		pages := r.IntN(12)
		var words []MatchedWord
		for range r.IntN(5) {
			word := MatchedWord{Optional: r.IntN(3) == 0}
			for range r.IntN(4) {
				term := MatchedTerm{Counts: 1 + r.IntN(8)}
				for page := range pages {
					if r.IntN(3) > 0 {
						term.Pages = append(term.Pages, NewOccurrence(page, 1+r.IntN(9), 0))
					}
				}
				r.Shuffle(len(term.Pages), func(i, j int) { term.Pages[i], term.Pages[j] = term.Pages[j], term.Pages[i] })
				word.Terms = append(word.Terms, term)
			}
			words = append(words, word)
		}
		got, want := Find(words, pages), findByPage(words, pages)
		slices.SortFunc(got, func(a, b Match) int { return cmp.Compare(a.Page, b.Page) })
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("seed %d: found %v, want %v in %+v", seed, got, want, words)
		}
	}
}

func TestBestSections(t *testing.T) {
	t.Parallel()
	on := func(page int, sections ...int) Occurrence {
		var bits uint64
		for _, n := range sections {
			bits |= 1 << n
		}
		return NewOccurrence(page, 1, bits)
	}
	words := []MatchedWord{
		{Terms: []MatchedTerm{{Pages: []Occurrence{on(0, 0, 2, 5, 39), on(1, 7)}}}},
		{Terms: []MatchedTerm{{Pages: []Occurrence{on(0, 5)}}, {Pages: []Occurrence{on(0, 39), on(2, 1)}}}},
		{Optional: true, Terms: []MatchedTerm{{Pages: []Occurrence{on(0, 1), on(3, 1)}}}},
	}
	got := fmt.Sprint(BestSections(words, []int{3, 0, 1, 2}, 3))
	if want := "[[] [0 5 39] [7] [1]]"; got != want {
		t.Errorf("sections %s, want %s", got, want)
	}
}
