package search

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// directorySearch is a query that is put to the directory of an organization.
type directorySearch struct {
	indexReader
	words  []*directoryWord
	behind []string // spaces that the directory may not lead to
}

// directoryWord is a word of a query, with the terms by which spaces may have it.
type directoryWord struct {
	terms.QueryWord
	terms  []string
	spaces map[string]bool
}

// askDirectory finds the spaces that may have each word of a query.
func (s *Service) askDirectory(ctx context.Context, org string, query []terms.QueryWord) (*directorySearch, error) {
	for range searchAttempts {
		b := s.Store.Pipeline()
		behind := b.Members(postings.StaleKey(org)) // first: who takes itself out has told the directory before
		future := postings.ReadState(b, org)
		if err := b.Do(ctx); err != nil {
			return nil, fmt.Errorf("search: %w", err)
		}
		state := future.Value()
		if state.Form != terms.Form {
			if err := s.beginDirectory(ctx, org); err != nil && !errors.Is(err, redis.ErrStale) {
				return nil, err
			}
			continue
		}
		d := &directorySearch{indexReader: s.newReader(org, state.Mark), behind: behind.Value()}
		for _, word := range query {
			d.words = append(d.words, &directoryWord{QueryWord: word, terms: []string{word.Term}})
		}
		return d, s.read(ctx, []staged{{&d.indexReader, []readStage{d.open, d.complete, d.readTerms}}}, s.giveUpDirectory)
	}
	return nil, txn.ErrBusy
}

// askNear finds the spaces that may have what words may be meant for: the misspelt are numbers of words of the query.
func (d *directorySearch) askNear(ctx context.Context, s *Service, misspelt []int) error {
	near := func(b *txn.Batch) (settle []func() error) {
		for _, n := range misspelt {
			settle = append(settle, d.near(d.words[n].Folded, b, d.words[n].stand)...)
		}
		return settle
	}
	return s.read(ctx, []staged{{&d.indexReader, []readStage{near, d.readTerms}}}, s.giveUpDirectory)
}

// complete finds the words that an unfinished one may become, and reads the spaces.
func (d *directorySearch) complete(b *txn.Batch) []func() error {
	settle := d.readPages(b)
	for _, w := range d.words {
		if !w.Prefix || w.Optional {
			continue
		}
		letters := []rune(w.Folded)
		if len(letters) <= mostBeginning {
			w.terms = append(w.terms, postings.Beginning(w.Folded))
			continue
		}
		settle = append(settle, d.beginning(w.Folded, b, func(words []string) {
			if len(words) == prefixTerms { // there are more
				words = nil
				w.terms = append(w.terms, postings.Beginning(string(letters[:mostBeginning])))
			}
			w.stand(words)
		})...)
	}
	return settle
}

// stand has a word stand for the terms of others too.
func (w *directoryWord) stand(words []string) {
	for _, word := range words {
		w.terms = append(w.terms, terms.TermOf(word))
	}
}

// readTerms reads the spaces of all terms.
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

// candidates are the spaces that may have all words, and those that are behind.
func (d *directorySearch) candidates() []string {
	candidates := map[string]bool{}
	for i, w := range d.required() {
		if i == 0 {
			candidates = maps.Clone(w.spaces)
			continue
		}
		maps.DeleteFunc(candidates, func(space string, _ bool) bool { return !w.spaces[space] })
	}
	return d.withBehind(candidates)
}

// having are the spaces that may have one word, and those that are behind.
func (d *directorySearch) having(n int) []string { return d.withBehind(maps.Clone(d.words[n].spaces)) }

func (d *directorySearch) withBehind(spaces map[string]bool) []string {
	for _, space := range d.behind {
		spaces[space] = true
	}
	return slices.Sorted(maps.Keys(spaces))
}

// required are the words that are not optional.
func (d *directorySearch) required() (words []*directoryWord) {
	for _, w := range d.words {
		if !w.Optional {
			words = append(words, w)
		}
	}
	return words
}
