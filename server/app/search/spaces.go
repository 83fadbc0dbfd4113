package search

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// An unfinished word stands for the first prefixTerms words that begin with it, of whose terms the mostTerms that are on
// most pages count.
const (
	prefixTerms = 200
	mostTerms   = 24
)

// What a page's weight for a word counts. The rank of a page depends on nothing but the page, so that it keeps its
// place while others come and go.
const (
	countsExact    = 8
	countsPrefix   = 4 // a longer word that begins with it
	countsNear     = 2 // a word that it may be meant for
	countsOptional = 1
)

// spaceSearch is a query that is put to the index of one space.
type spaceSearch struct {
	indexReader
	head  store.Head // that the index reflects
	title spaceTitle // where the organization is searched
	words []*wordSearch
	asked []terms.AskedWord
	found []terms.Found
}

// wordSearch is a word of a query, with the terms that it stands for in a space.
type wordSearch struct {
	terms.QueryWord
	terms []string             // the word's own first
	near  []string             // words that it may be meant for
	pages [][]terms.Occurrence // by term
}

// isFound reports whether a page has the word.
func (w *wordSearch) isFound() bool {
	return slices.ContainsFunc(w.pages, func(pages []terms.Occurrence) bool { return len(pages) > 0 })
}

// hit is a page that has the words of a query.
type hit struct {
	page     string
	rank     int
	number   int
	sections []int // that have most of the words
}

func (s *Service) newSpaceSearch(space string, at indexedHead, query []terms.QueryWord) *spaceSearch {
	a := &spaceSearch{indexReader: s.newReader(space, at.mark), head: at.head}
	for _, word := range query {
		a.words = append(a.words, &wordSearch{QueryWord: word, terms: []string{word.Term}})
	}
	return a
}

// askSpaces puts queries to the indexes of spaces. What is not in memory takes three trips: to open the index, to
// complete the last word, and to read the pages of all terms.
func (s *Service) askSpaces(ctx context.Context, org string, asked []*spaceSearch) error {
	readings := make([]staged, len(asked))
	for i, a := range asked {
		readings[i] = staged{&a.indexReader, []readStage{a.open, a.complete, a.readTerms}}
	}
	return s.read(ctx, readings, s.abandoned(org))
}

// askNear looks for what words may be meant for: the misspelt are numbers of words of the query. It takes two trips.
func (s *Service) askNear(ctx context.Context, org string, asked []*spaceSearch, misspelt []int) error {
	if len(misspelt) == 0 {
		return nil
	}
	readings := make([]staged, len(asked))
	for i, a := range asked {
		near := func(b *txn.Batch) (settle []func() error) {
			for _, n := range misspelt {
				settle = append(settle, a.nearTo(b, a.words[n])...)
			}
			return settle
		}
		readings[i] = staged{&a.indexReader, []readStage{near, a.readTerms}}
	}
	return s.read(ctx, readings, s.abandoned(org))
}

// abandoned gives up the indexes of spaces.
func (s *Service) abandoned(org string) func(ctx context.Context, space string) error {
	return func(ctx context.Context, space string) error { return s.abandon(ctx, org, space) }
}

// misspelt are the numbers of the words that a space does not have, and that one wrong letter may explain.
func (a *spaceSearch) misspelt() (numbers []int) {
	for n, w := range a.words {
		if !w.isFound() && w.MayBeMisspelt() {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// has reports whether a page or the title of a space has a word as it stands.
func (a *spaceSearch) has(n int) bool {
	return a.words[n].isFound() || a.title.has(a.words[n].QueryWord) > 0
}

// complete finds the words that an unfinished one may become, and reads the pages.
func (a *spaceSearch) complete(b *txn.Batch) []func() error {
	settle := a.readPages(b)
	for _, w := range a.words {
		if w.Prefix {
			settle = append(settle, a.beginning(w.Folded, b, w.stand)...)
		}
	}
	return settle
}

// stand has a word stand for the terms of others too.
func (w *wordSearch) stand(words []string) {
	for _, word := range words {
		if term := terms.TermOf(word); !slices.Contains(w.terms, term) {
			w.terms = append(w.terms, term)
		}
	}
}

// nearTo finds what a word may be meant for.
func (a *spaceSearch) nearTo(b *txn.Batch, w *wordSearch) []func() error {
	return a.near(w.Folded, b, func(words []string) {
		w.near = words
		w.stand(words)
	})
}

// readTerms reads the pages of all terms.
func (a *spaceSearch) readTerms(b *txn.Batch) []func() error {
	var terms []string
	for _, w := range a.words {
		terms = append(terms, w.terms...)
	}
	return a.occurrences(terms, b, a.settleTerms)
}

// settleTerms leaves of each word itself and the terms that are on most pages.
func (a *spaceSearch) settleTerms(read map[string][]terms.Occurrence) {
	for _, w := range a.words {
		more := slices.DeleteFunc(slices.Clone(w.terms[1:]), func(term string) bool { return len(read[term]) == 0 })
		slices.SortStableFunc(more, func(a, b string) int { return cmp.Compare(len(read[b]), len(read[a])) })
		most := mostTerms
		if len(read[w.Term]) > 0 {
			most--
		}
		w.terms = append(w.terms[:1:1], more[:min(most, len(more))]...)
		w.pages = w.pages[:0]
		for _, term := range w.terms {
			w.pages = append(w.pages, read[term])
		}
	}
}

// find finds the pages.
func (a *spaceSearch) find() {
	for _, w := range a.words {
		word := terms.AskedWord{Optional: w.Optional}
		for i, pages := range w.pages {
			term := terms.AskedTerm{Pages: pages, Counts: countsPrefix}
			switch {
			case w.Optional:
				term.Counts = countsOptional
			case i == 0:
				term.Counts = countsExact
			case len(w.near) > 0:
				term.Counts = countsNear
			}
			word.Terms = append(word.Terms, term)
		}
		a.asked = append(a.asked, word)
	}
	a.found = terms.Find(a.asked, len(a.pages))
}

// best are the best hits, at most so many, behind one that has the key after.
func (a *spaceSearch) best(after string, most int) []hit {
	best := make([]hit, 0, most+1)
	for _, f := range a.found {
		h := hit{page: a.pages[f.Page].ID, rank: f.Rank, number: f.Page}
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
	for i, sections := range terms.BestSections(a.asked, numbers, shownSections) {
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
