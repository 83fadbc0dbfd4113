package indexing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/txn"
)

// An unfinished word stands for the first prefixTerms terms that begin with it, of which the mostTerms that are on most
// pages are looked up.
const (
	prefixTerms = 200
	mostTerms   = 24
)

// What a page's weight for a word counts. The rank of a page depends on nothing but the page, so that it keeps its
// place while others come and go.
const (
	countsExact    = 8
	countsPrefix   = 4 // a longer word that begins with it
	countsOptional = 1
)

// spaceSearch is a query that is put to the index of one space.
type spaceSearch struct {
	space  string
	head   store.Head // that the index reflects
	mark   string     // of the index
	index  postings.Reader
	memory *indexMemory
	words  []*wordSearch
	pages  []string // by their numbers
	asked  []search.AskedWord
	found  []search.Found

	learn []func() // what was read, into the memory
}

// wordSearch is a word of a query, with the terms that it stands for in a space.
type wordSearch struct {
	search.QueryWord
	terms []string              // the word's own first
	fresh bool                  // the terms were completed for this query
	pages [][]search.Occurrence // by term
}

// hit is a page that has the words of a query.
type hit struct {
	page     string
	rank     int
	number   int
	sections []int // that have most of the words
}

func (s *Service) newSpaceSearch(space string, at indexedHead, query []search.QueryWord) *spaceSearch {
	a := &spaceSearch{space: space, head: at.head, mark: at.mark, index: postings.OfSpace(space), memory: s.Memory.of(space, at.mark)}
	for _, word := range query {
		a.words = append(a.words, &wordSearch{QueryWord: word, terms: []string{word.Term}})
	}
	return a
}

// askSpaces puts queries to the indexes of spaces. What is not in memory takes three trips: to complete the last
// word, to count its terms, and to read the pages of all terms.
func (s *Service) askSpaces(ctx context.Context, asked []*spaceSearch) error {
	stages := []func(*spaceSearch, *txn.Batch) []func(){(*spaceSearch).complete, (*spaceSearch).measure, (*spaceSearch).read}
	for _, stage := range stages {
		b := s.Store.Pipeline()
		var settle []func()
		for _, a := range asked {
			settle = append(settle, stage(a, b)...)
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		for _, read := range settle {
			read()
		}
	}
	for _, a := range asked {
		a.find()
		s.Memory.count(a.space)
	}
	return nil
}

// complete finds the words that an unfinished one may become.
func (a *spaceSearch) complete(b *txn.Batch) (settle []func()) {
	for _, w := range a.words {
		if !w.Prefix {
			continue
		}
		if terms, known := a.memory.completion(w.Folded); known {
			w.terms = append(w.terms, terms...)
			continue
		}
		w.fresh = true
		future := a.index.Terms(b, w.Folded, prefixTerms)
		settle = append(settle, func() {
			terms := future.Value()
			w.terms = append(w.terms, slices.DeleteFunc(terms, func(term string) bool { return term == w.Term })...)
			a.learn = append(a.learn, func() { a.memory.learnCompletion(w.Folded, w.terms[1:]) })
		})
	}
	return settle
}

// measure counts the pages of what unfinished words may become, and leaves out the rare ones.
func (a *spaceSearch) measure(b *txn.Batch) (settle []func()) {
	for _, w := range a.words {
		if !w.fresh {
			continue
		}
		counts := make(map[string]*txn.Reply[int64], len(w.terms))
		for _, term := range w.terms {
			counts[term] = a.index.Count(b, term)
		}
		settle = append(settle, func() { w.keep(counts) })
	}
	return settle
}

// keep leaves the word itself and the most frequent of the terms that begin with it.
func (w *wordSearch) keep(counts map[string]*txn.Reply[int64]) {
	count := func(term string) int64 {
		n := counts[term].Value()
		return n
	}
	most := mostTerms
	if count(w.Term) > 0 {
		most--
	}
	more := slices.DeleteFunc(slices.Clone(w.terms[1:]), func(term string) bool { return count(term) == 0 })
	slices.SortStableFunc(more, func(a, b string) int { return cmp.Compare(count(b), count(a)) })
	w.terms = append(w.terms[:1], more[:min(most, len(more))]...)
}

// read reads the pages of all terms. What was read is remembered if the index still has the mark behind it.
func (a *spaceSearch) read(b *txn.Batch) (settle []func()) {
	for _, w := range a.words {
		w.pages = make([][]search.Occurrence, len(w.terms))
		for i, term := range w.terms {
			known := false
			if w.pages[i], known = a.memory.term(term); known {
				continue
			}
			future := a.index.Pages(b, term)
			settle = append(settle, func() {
				scores := future.Value()
				w.pages[i] = a.memory.occurrences(scores)
				a.learn = append(a.learn, func() { a.memory.learnTerm(term, w.pages[i]) })
			})
		}
	}
	if len(settle) > 0 || len(a.learn) > 0 {
		settle = append(settle, a.remember(b))
	}
	return settle
}

// remember reads the state of the index behind all else in a batch. If it still has the mark, what was learned is
// true of the mark.
func (a *spaceSearch) remember(b *txn.Batch) func() {
	future := postings.ReadState(b, a.space)
	return func() {
		if state := future.Value(); state.CompleteAt(a.mark) {
			for _, learn := range a.learn {
				learn()
			}
		}
		a.learn = nil
	}
}

// find finds the pages.
func (a *spaceSearch) find() {
	a.pages = a.memory.numbered()
	for _, w := range a.words {
		word := search.AskedWord{Optional: w.Optional}
		for i, pages := range w.pages {
			term := search.AskedTerm{Pages: pages, Counts: countsPrefix}
			switch {
			case w.Optional:
				term.Counts = countsOptional
			case i == 0:
				term.Counts = countsExact
			}
			word.Terms = append(word.Terms, term)
		}
		a.asked = append(a.asked, word)
	}
	a.found = search.Find(a.asked, len(a.pages))
}

// best are the best hits, at most so many, behind one that has the key after.
func (a *spaceSearch) best(after string, most int) []hit {
	best := make([]hit, 0, most+1)
	for _, f := range a.found {
		h := hit{page: a.pages[f.Page], rank: f.Rank, number: f.Page}
		if len(best) == most && h.compare(best[most-1]) > 0 || after != "" && h.key() <= after {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, h, hit.compare)
		best = slices.Insert(best, at, h)
		best = best[:min(most, len(best))]
	}
	return best
}

// locate notes the sections that hits are shown with.
func (a *spaceSearch) locate(hits []hit) {
	numbers := make([]int, len(hits))
	for i, h := range hits {
		numbers[i] = h.number
	}
	for i, sections := range search.BestSections(a.asked, numbers, shownSections) {
		hits[i].sections = sections
	}
}

// compare puts the best hits first.
func (h hit) compare(other hit) int {
	return cmp.Or(cmp.Compare(other.rank, h.rank), strings.Compare(h.page, other.page))
}

// maxRank is above every rank.
const maxRank = 1 << 24

// key sorts hits as compare does.
func (h hit) key() string {
	rank := strconv.FormatInt(int64(maxRank-h.rank), 16)
	return "00000000"[:max(0, 8-len(rank))] + rank + " " + h.page
}
