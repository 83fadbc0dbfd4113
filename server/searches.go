package server

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"docspace.dev/wsd/server/search"
	"docspace.dev/wsd/store"
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
	index  store.SearchIndex
	words  []*wordSearch
	driver *wordSearch // the rarest word that pages must have; nil = no page has them all
}

// wordSearch is a word of a query, with the terms that it stands for in a space.
type wordSearch struct {
	search.QueryWord
	terms []string
	count int64            // of pages, or more
	found map[string]match // by page
}

// match is what a page has of a word.
type match struct {
	rank     int
	sections uint64
}

// hit is a page that has the words of a query.
type hit struct {
	page     string
	rank     int
	sections []uint64 // by word
}

// askSpaces puts a query to spaces whose indexes reflect their heads, and returns the hits of each, the best first.
// It takes four trips: to complete the last word, to count, to read the pages of each space's rarest word, and to
// see which of these have the others.
func (s *Server) askSpaces(ctx context.Context, spaces []string, query []search.QueryWord) ([][]hit, error) {
	asked := make([]*spaceSearch, len(spaces))
	for i, space := range spaces {
		asked[i] = &spaceSearch{space: space, index: store.SpaceSearch(space)}
		for _, word := range query {
			asked[i].words = append(asked[i].words, &wordSearch{QueryWord: word, terms: []string{word.Term}, found: map[string]match{}})
		}
	}
	for _, stage := range []func(*spaceSearch, *store.Batch) []func(){
		(*spaceSearch).complete, (*spaceSearch).measure, (*spaceSearch).drive, (*spaceSearch).narrow,
	} {
		b := s.store.Pipeline()
		var settle []func()
		for _, a := range asked {
			settle = append(settle, stage(a, b)...)
		}
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		for _, read := range settle {
			read()
		}
	}
	hits := make([][]hit, len(spaces))
	for i, a := range asked {
		hits[i] = a.hits()
	}
	return hits, nil
}

// complete finds the words that an unfinished one may become.
func (a *spaceSearch) complete(b *store.Batch) (settle []func()) {
	for _, w := range a.words {
		if !w.Prefix {
			continue
		}
		future := a.index.Terms(b, w.Folded, prefixTerms)
		settle = append(settle, func() {
			terms, _, _ := future.Get()
			w.terms = append(w.terms, slices.DeleteFunc(terms, func(term string) bool { return term == w.Term })...)
		})
	}
	return settle
}

// measure counts the pages of every word and leaves out terms that no page has any more.
func (a *spaceSearch) measure(b *store.Batch) (settle []func()) {
	for _, w := range a.words {
		counts := make(map[string]*store.Future[int64], len(w.terms))
		for _, term := range w.terms {
			counts[term] = a.index.Count(b, term)
		}
		settle = append(settle, func() { w.keep(counts) })
	}
	return settle
}

// keep leaves the terms that are on pages: the word itself, and the most frequent of those that begin with it.
func (w *wordSearch) keep(counts map[string]*store.Future[int64]) {
	count := func(term string) int64 {
		n, _, _ := counts[term].Get()
		return n
	}
	w.terms = slices.DeleteFunc(w.terms, func(term string) bool { return count(term) == 0 })
	slices.SortStableFunc(w.terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(b == w.Term), rank(a == w.Term)), cmp.Compare(count(b), count(a)))
	})
	w.terms = w.terms[:min(mostTerms, len(w.terms))]
	for _, term := range w.terms {
		w.count += count(term)
	}
}

func rank(first bool) int {
	if first {
		return 1
	}
	return 0
}

// drive reads the pages of the rarest word.
func (a *spaceSearch) drive(b *store.Batch) (settle []func()) {
	for _, w := range a.words {
		if !w.Optional && (a.driver == nil || w.count < a.driver.count) {
			a.driver = w
		}
	}
	if a.driver == nil {
		return nil
	}
	for _, term := range a.driver.terms {
		settle = append(settle, a.driver.take(term, a.index.Pages(b, term)))
	}
	return settle
}

// narrow sees which of the pages have the other words.
func (a *spaceSearch) narrow(b *store.Batch) (settle []func()) {
	if a.driver == nil || len(a.driver.found) == 0 {
		return nil
	}
	pages := slices.Collect(maps.Keys(a.driver.found))
	for _, w := range a.words {
		if w == a.driver {
			continue
		}
		for _, term := range w.terms {
			settle = append(settle, w.take(term, a.index.Scores(b, term, pages)))
		}
	}
	return settle
}

// take returns what notes the pages of one of the word's terms.
func (w *wordSearch) take(term string, future *store.Future[map[string]float64]) func() {
	counts := countsPrefix
	switch {
	case w.Optional:
		counts = countsOptional
	case term == w.Term:
		counts = countsExact
	}
	return func() {
		scores, _, _ := future.Get()
		for page, score := range scores {
			posting := search.Unpack(score)
			m := w.found[page]
			m.rank = max(m.rank, posting.Weight*counts)
			m.sections |= posting.Sections
			w.found[page] = m
		}
	}
}

// hits are the pages that have every word that is not optional, the best first.
func (a *spaceSearch) hits() []hit {
	if a.driver == nil {
		return nil
	}
	hits := make([]hit, 0, len(a.driver.found))
pages:
	for page := range a.driver.found {
		h := hit{page: page}
		for _, w := range a.words {
			m, found := w.found[page]
			if !found && !w.Optional {
				continue pages
			}
			h.rank += m.rank
			if !w.Optional {
				h.sections = append(h.sections, m.sections)
			}
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(a.page, b.page)) })
	return hits
}

// maxRank is above every rank.
const maxRank = 1 << 24

// key sorts hits as hits does.
func (h hit) key() string {
	rank := strconv.FormatInt(int64(maxRank-h.rank), 16)
	return "00000000"[:max(0, 8-len(rank))] + rank + " " + h.page
}

// bestSections are the numbers of the sections that have the most words, in the order of the text.
func (h hit) bestSections(most int) []int {
	words := map[int]int{}
	for _, sections := range h.sections {
		for i := range search.MaxSections {
			if sections&(1<<i) != 0 {
				words[i]++
			}
		}
	}
	best := slices.SortedFunc(maps.Keys(words), func(a, b int) int { return cmp.Or(cmp.Compare(words[b], words[a]), cmp.Compare(a, b)) })
	best = best[:min(most, len(best))]
	slices.Sort(best)
	return best
}
