package search

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/txn"
)

// directorySearch is a query of the directory of an organization.
type directorySearch struct {
	indexReader
	words       []*directoryWord
	staleSpaces []string // spaces whose entries in the directory may be outdated
}

// directoryWord is a word of a query with the terms that match it.
type directoryWord struct {
	terms.QueryWord
	terms  []string
	spaces map[string]bool
}

// searchDirectory finds the spaces that may contain each word of a query.
func (s *Service) searchDirectory(ctx context.Context, org string, query []terms.QueryWord) (*directorySearch, error) {
	for range indexAttempts {
		b := s.Store.NewBatch()
		stale := b.Members(postings.StaleKey(org)) // read first: a space is added to the directory before it leaves this set
		future := postings.ReadState(b, org)
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		state := future.Value()
		if state.Version != terms.IndexVersion {
			if err := s.beginDirectory(ctx, org); err != nil {
				return nil, err
			}
			continue
		}
		d := &directorySearch{indexReader: s.newReader(org, state.Mark), staleSpaces: stale.Value()}
		for _, word := range query {
			d.words = append(d.words, &directoryWord{QueryWord: word, terms: []string{word.Term}})
		}
		return d, s.runStages(ctx, []stagedReader{{&d.indexReader, []readStage{d.open, d.complete, d.readTerms}}}, s.resetDirectory)
	}
	return nil, txn.ErrBusy
}

// searchSimilar finds the spaces that may contain words similar to the misspelled ones, which are given by their
// index in the query.
func (d *directorySearch) searchSimilar(ctx context.Context, s *Service, misspelled []int) error {
	near := func(b *txn.Batch) (finish []func() error) {
		for _, n := range misspelled {
			finish = append(finish, d.similar(d.words[n].Folded, b, d.words[n].addTerms)...)
		}
		return finish
	}
	return s.runStages(ctx, []stagedReader{{&d.indexReader, []readStage{near, d.readTerms}}}, s.resetDirectory)
}

// complete queues the reads of the page table and of the completions of the words that are prefixes, and returns the functions
// that process the replies.
func (d *directorySearch) complete(b *txn.Batch) []func() error {
	finish := d.readPages(b)
	for _, w := range d.words {
		if !w.Prefix || w.Optional {
			continue
		}
		letters := []rune(w.Folded)
		if len(letters) <= maxPrefixLen {
			w.terms = append(w.terms, postings.PrefixTerm(w.Folded))
			continue
		}
		finish = append(finish, d.withPrefix(w.Folded, b, func(words []string) {
			if len(words) == prefixTerms { // there are more
				words = nil
				w.terms = append(w.terms, postings.PrefixTerm(string(letters[:maxPrefixLen])))
			}
			w.addTerms(words)
		})...)
	}
	return finish
}

// addTerms adds the terms of other words to those that match the word.
func (w *directoryWord) addTerms(words []string) {
	for _, word := range words {
		w.terms = append(w.terms, terms.TermOf(word))
	}
}

// readTerms queues the reads of the spaces that have terms of the words which are not optional.
func (d *directorySearch) readTerms(b *txn.Batch) []func() error {
	var all []string
	for _, w := range d.words {
		if !w.Optional {
			all = append(all, w.terms...)
		}
	}
	return d.occurrences(all, b, func(read map[string][]terms.Occurrence) {
		for _, w := range d.words {
			w.spaces = map[string]bool{}
			for _, term := range w.terms {
				for _, o := range read[term] {
					w.spaces[d.pages[o.Page].ID] = true
				}
			}
		}
	})
}

// candidates returns the spaces that may contain all words, including stale ones.
func (d *directorySearch) candidates() []string {
	candidates := map[string]bool{}
	for i, w := range d.requiredWords() {
		if i == 0 {
			candidates = maps.Clone(w.spaces)
			continue
		}
		maps.DeleteFunc(candidates, func(space string, _ bool) bool { return !w.spaces[space] })
	}
	return d.addStaleSpaces(candidates)
}

// spacesWithWord returns the spaces that may contain word n, including stale ones.
func (d *directorySearch) spacesWithWord(n int) []string {
	return d.addStaleSpaces(maps.Clone(d.words[n].spaces))
}

func (d *directorySearch) addStaleSpaces(spaces map[string]bool) []string {
	for _, space := range d.staleSpaces {
		spaces[space] = true
	}
	return slices.Sorted(maps.Keys(spaces))
}

// requiredWords returns the words that are not optional.
func (d *directorySearch) requiredWords() (words []*directoryWord) {
	for _, w := range d.words {
		if !w.Optional {
			words = append(words, w)
		}
	}
	return words
}
