package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// indexReader reads an index of a space or the directory of an organization at a mark, and caches the results.
type indexReader struct {
	id    string // of the space or organization
	mark  string
	cache *indexCache
	view  *postings.View
	pages []postings.PageRow // by their numbers

	cacheUpdates []func() // functions that cache the values read, called by fillCache
	valid        bool     // whether the mark was unchanged after reading
}

func (s *Service) newReader(id, mark string) indexReader {
	return indexReader{id: id, mark: mark, cache: s.Cache.get(id, mark)}
}

// readStage queues the reads of one stage of a search and returns the functions that process the replies.
type readStage func(b *txn.Batch) (finish []func() error)

// stagedReader is an index reader with the stages that runStages performs in order.
type stagedReader struct {
	reader *indexReader
	stages []readStage
}

// runStages runs readers with the same number of stages. Each stage of all readers takes one round trip. It calls
// giveUp for an index that cannot be read, so that it is rebuilt.
func (s *Service) runStages(ctx context.Context, readings []stagedReader, giveUp func(ctx context.Context, id string) error) error {
	for n := 0; len(readings) > 0 && n < len(readings[0].stages); n++ {
		b := s.Store.NewBatch()
		finish := make([][]func() error, len(readings))
		for i, r := range readings {
			if finish[i] = r.stages[n](b); len(finish[i]) > 0 {
				finish[i] = slices.Insert(finish[i], 0, r.reader.checkMark(b)) // the mark is read last and checked first
			}
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		for i, r := range readings {
			err := runAll(finish[i])
			lost := errors.Is(err, redis.ErrStale) && r.reader.valid // the missing part was not removed by an update
			if lost || errors.Is(err, redis.ErrCorrupt) {
				return giveUp(ctx, r.reader.id)
			}
			if err != nil {
				return err
			}
		}
	}
	for _, r := range readings {
		r.reader.fillCache()
		s.Cache.updateSize(r.reader.id)
	}
	return nil
}

func runAll(finish []func() error) error {
	for _, take := range finish {
		if err := take(); err != nil {
			return err
		}
	}
	return nil
}

// open sets the view from the cache, or queues the read of the block table.
func (r *indexReader) open(b *txn.Batch) []func() error {
	if r.view, r.pages = r.cache.getView(); r.view != nil {
		return nil
	}
	future := postings.ReadView(b, r.id)
	return []func() error{func() (err error) { r.view, err = future.Get(); return err }}
}

// readPages reads the page table.
func (r *indexReader) readPages(b *txn.Batch) []func() error {
	if r.pages != nil {
		return nil
	}
	future := r.view.Pages(b)
	return []func() error{func() (err error) {
		r.pages, err = future.Get()
		r.cacheUpdates = append(r.cacheUpdates, func() { r.cache.putView(r.view, r.pages) })
		return err
	}}
}

// lookUp calls use with the words of a key, at once if they are cached, else when the reply of the queued read is processed.
func (r *indexReader) lookUp(asked string, b *txn.Batch, read func(
	b *txn.Batch, asked string,
) postings.Words, use func(words []string),
) []func() error {
	if words, known := r.cache.wordsOf(asked); known {
		use(words)
		return nil
	}
	future := read(b, asked)
	return []func() error{func() error {
		words, err := future.Get()
		words = words[:min(len(words), prefixTerms)]
		r.cacheUpdates = append(r.cacheUpdates, func() { r.cache.putWords(asked, words) })
		use(words)
		return err
	}}
}

// withPrefix calls use with the words that begin with letters, as lookUp does.
func (r *indexReader) withPrefix(letters string, b *txn.Batch, use func(words []string)) []func() error {
	return r.lookUp(letters, b, r.view.WithPrefix, use)
}

// nearKey is the prefix of cache keys for similar words. No word begins with it.
const nearKey = "\x00"

// similar calls use with the words that differ from word by one letter, as lookUp does.
func (r *indexReader) similar(word string, b *txn.Batch, use func(words []string)) []func() error {
	beginning, ending, swapped := terms.Halves(word)
	read := func(b *txn.Batch, _ string) postings.Words {
		return r.view.Similar(b, beginning, ending, swapped, func(other string) bool { return terms.DifferByOneLetter(other, word) })
	}
	return r.lookUp(nearKey+word, b, read, use)
}

// occurrences calls use with the pages that contain terms, at once if all are cached, else when the replies of the queued reads
// are processed.
func (r *indexReader) occurrences(queried []string, b *txn.Batch, use func(map[string][]terms.Occurrence)) []func() error {
	var unknown []string
	read := make(map[string][]terms.Occurrence, len(queried))
	for _, term := range queried {
		if pages, known := r.cache.term(term); known {
			read[term] = pages
		} else if _, asked := read[term]; !asked {
			unknown, read[term] = append(unknown, term), nil
		}
	}
	if len(unknown) == 0 {
		use(read)
		return nil
	}
	future := r.view.Terms(b, unknown)
	return []func() error{func() error {
		found, err := future.Get()
		for _, term := range unknown {
			pages := r.weigh(found[term])
			read[term] = pages
			r.cacheUpdates = append(r.cacheUpdates, func() { r.cache.putTerm(term, pages) })
		}
		use(read)
		return err
	}}
}

// weigh converts postings to occurrences with the weights of their pages.
func (r *indexReader) weigh(found []postings.Posting) []terms.Occurrence {
	pages := make([]terms.Occurrence, len(found))
	for i, p := range found {
		weight := terms.UnpackPosting(p.Value, p.Sections).Weight(terms.UnpackLengths(r.pages[p.Page].Info))
		pages[i] = terms.NewOccurrence(p.Page, weight, p.Sections)
	}
	return pages
}

// checkMark reads the state of the index as the last command of a batch. If the mark is unchanged, the values read
// before belong to it and may be cached.
func (r *indexReader) checkMark(b *txn.Batch) func() error {
	future := postings.ReadState(b, r.id)
	return func() error {
		r.valid = future.Value().IsComplete(r.mark)
		return nil
	}
}

// fillCache caches the values that were read if the mark was unchanged, and discards the pending cache updates in any case.
func (r *indexReader) fillCache() {
	if r.valid {
		for _, learn := range r.cacheUpdates {
			learn()
		}
	}
	r.cacheUpdates = nil
}
