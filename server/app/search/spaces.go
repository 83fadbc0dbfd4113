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

// An unfinished word matches the first prefixTerms words that begin with it. Of their terms, the maxTerms with the most pages
// are used.
const (
	prefixTerms = 200
	maxTerms    = 24
)

// Weights of a word in the rank of a page. The rank depends on the page alone, so the order of pages does not depend
// on other pages.
const (
	weightExact    = 8
	weightPrefix   = 4 // a longer word with the prefix
	weightSimilar  = 2 // a similar word
	weightOptional = 1
)

// spaceSearch is a query of the index of one space.
type spaceSearch struct {
	indexReader
	head         store.Head // head of the indexed revision
	title        spaceTitle // set in searches of several spaces
	words        []*wordSearch
	matchedWords []terms.MatchedWord
	matches      []terms.Match
}

// wordSearch is a word of a query with the terms that match it in a space.
type wordSearch struct {
	terms.QueryWord
	terms        []string             // terms that match the word, the term of the word itself first
	similarWords []string             // similar words
	pages        [][]terms.Occurrence // by term
}

// isFound reports whether a page contains the word.
func (w *wordSearch) isFound() bool {
	return slices.ContainsFunc(w.pages, func(pages []terms.Occurrence) bool { return len(pages) > 0 })
}

// hit is a page that contains the words of a query.
type hit struct {
	page     string
	rank     int
	number   int
	sections []int // indexes of the best matching sections
}

func (s *Service) newSpaceSearch(space string, target indexedHead, query []terms.QueryWord) *spaceSearch {
	a := &spaceSearch{indexReader: s.newReader(space, target.mark), head: target.head}
	for _, word := range query {
		a.words = append(a.words, &wordSearch{QueryWord: word, terms: []string{word.Term}})
	}
	return a
}

// searchIndexes queries the indexes of spaces. Without cached values it takes three round trips: to open the index,
// to complete the last word, and to read the pages of all terms.
func (s *Service) searchIndexes(ctx context.Context, org string, asked []*spaceSearch) error {
	readings := make([]stagedReader, len(asked))
	for i, a := range asked {
		readings[i] = stagedReader{&a.indexReader, []readStage{a.open, a.complete, a.readTerms}}
	}
	return s.runStages(ctx, readings, s.dropSpaceIndex(org))
}

// searchSimilar searches for words similar to the misspelled ones, which are given by their index in the query. It
// takes two round trips.
func (s *Service) searchSimilar(ctx context.Context, org string, asked []*spaceSearch, misspelled []int) error {
	if len(misspelled) == 0 {
		return nil
	}
	readings := make([]stagedReader, len(asked))
	for i, a := range asked {
		near := func(b *txn.Batch) (finish []func() error) {
			for _, n := range misspelled {
				finish = append(finish, a.findSimilar(b, a.words[n])...)
			}
			return finish
		}
		readings[i] = stagedReader{&a.indexReader, []readStage{near, a.readTerms}}
	}
	return s.runStages(ctx, readings, s.dropSpaceIndex(org))
}

// dropSpaceIndex returns a function that deletes the index of a space.
func (s *Service) dropSpaceIndex(org string) func(ctx context.Context, space string) error {
	return func(ctx context.Context, space string) error { return s.dropIndex(ctx, org, space) }
}

// findMisspelled returns the indexes of the words that the space does not contain and that may contain one wrong letter.
func (s *spaceSearch) findMisspelled() (numbers []int) {
	for n, w := range s.words {
		if !w.isFound() && w.MayBeMisspelled() {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// hasWord reports whether a page or the title of the space contains word n as given.
func (s *spaceSearch) hasWord(n int) bool {
	return s.words[n].isFound() || s.title.weight(s.words[n].QueryWord) > 0
}

// complete queues the reads of the page table and of the completions of an unfinished word, and returns the functions that
// process the replies.
func (s *spaceSearch) complete(b *txn.Batch) []func() error {
	finish := s.readPages(b)
	for _, w := range s.words {
		if w.Prefix {
			finish = append(finish, s.withPrefix(w.Folded, b, w.addTerms)...)
		}
	}
	return finish
}

// addTerms adds the terms of other words to those that match the word.
func (w *wordSearch) addTerms(words []string) {
	for _, word := range words {
		if term := terms.TermOf(word); !slices.Contains(w.terms, term) {
			w.terms = append(w.terms, term)
		}
	}
}

// findSimilar queues the read of the words similar to w, whose terms are then added to those of w.
func (s *spaceSearch) findSimilar(b *txn.Batch, w *wordSearch) []func() error {
	return s.similar(w.Folded, b, func(words []string) {
		w.similarWords = words
		w.addTerms(words)
	})
}

// readTerms queues the reads of the pages of all terms, which limitTerms processes.
func (s *spaceSearch) readTerms(b *txn.Batch) []func() error {
	var terms []string
	for _, w := range s.words {
		terms = append(terms, w.terms...)
	}
	return s.occurrences(terms, b, s.limitTerms)
}

// limitTerms reduces each word to its own terms and those with the most pages.
func (s *spaceSearch) limitTerms(read map[string][]terms.Occurrence) {
	for _, w := range s.words {
		more := slices.DeleteFunc(slices.Clone(w.terms[1:]), func(term string) bool { return len(read[term]) == 0 })
		slices.SortStableFunc(more, func(a, b string) int { return cmp.Compare(len(read[b]), len(read[a])) })
		most := maxTerms
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

// match weights the terms of each word and sets the matches of the query.
func (s *spaceSearch) match() {
	for _, w := range s.words {
		word := terms.MatchedWord{Optional: w.Optional}
		for i, pages := range w.pages {
			term := terms.MatchedTerm{Pages: pages, Counts: weightPrefix}
			switch {
			case w.Optional:
				term.Counts = weightOptional
			case i == 0:
				term.Counts = weightExact
			case len(w.similarWords) > 0:
				term.Counts = weightSimilar
			}
			word.Terms = append(word.Terms, term)
		}
		s.matchedWords = append(s.matchedWords, word)
	}
	s.matches = terms.Find(s.matchedWords, len(s.pages))
}

// bestHits returns up to limit of the best hits after the hit with the key after.
func (s *spaceSearch) bestHits(after string, limit int) []hit {
	best := make([]hit, 0, limit+1)
	for _, f := range s.matches {
		h := hit{page: s.pages[f.Page].ID, rank: f.Rank, number: f.Page}
		if len(best) == limit && h.compare(best[limit-1]) > 0 || after != "" && h.key() <= after {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, h, hit.compare)
		best = slices.Insert(best, at, h)
		best = best[:min(limit, len(best))]
	}
	return best
}

// locate sets the best matching sections of each hit.
func (s *spaceSearch) locate(hits []hit) {
	numbers := make([]int, len(hits))
	for i, h := range hits {
		numbers[i] = h.number
	}
	for i, sections := range terms.BestSections(s.matchedWords, numbers, shownSections) {
		hits[i].sections = sections
	}
}

// compare sorts the best hits first.
func (h hit) compare(other hit) int {
	return cmp.Or(cmp.Compare(other.rank, h.rank), strings.Compare(h.page, other.page))
}

// maxRank is greater than every rank.
const maxRank = 1 << 24

// key returns a string that sorts hits like compare.
func (h hit) key() string {
	rank := strconv.FormatInt(int64(maxRank-h.rank), 16)
	return "00000000"[:max(0, 8-len(rank))] + rank + " " + h.page
}
