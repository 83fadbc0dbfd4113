package search

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/server/text/terms"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// indexReader reads an index at a mark: that of a space, or the directory of an organization. What it has read, it
// remembers.
type indexReader struct {
	id     string // of the space or organization
	mark   string
	memory *indexMemory
	view   *postings.View
	pages  []postings.PageRow // by their numbers

	learn []func() // what was read, into the memory
	holds bool     // the index had the mark still when it was read
}

func (s *Service) newReader(id, mark string) indexReader {
	return indexReader{id: id, mark: mark, memory: s.Memory.of(id, mark)}
}

// readStage queues what a stage of a search reads and returns what takes it.
type readStage func(b *txn.Batch) (settle []func() error)

// staged is a reader with the stages that it goes through.
type staged struct {
	reader *indexReader
	stages []readStage
}

// read carries out readings with equally many stages, each stage of all of them in one trip. An index that cannot be
// read is given up, so that it is built anew.
func (s *Service) read(ctx context.Context, readings []staged, giveUp func(ctx context.Context, id string) error) error {
	for n := 0; len(readings) > 0 && n < len(readings[0].stages); n++ {
		b := s.Store.Pipeline()
		settle := make([][]func() error, len(readings))
		for i, r := range readings {
			if settle[i] = r.stages[n](b); len(settle[i]) > 0 {
				settle[i] = append(settle[i], r.reader.remember(b))
			}
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("search: %w", err)
		}
		for i, r := range readings {
			if err := inOrder(settle[i]); errors.Is(err, redis.ErrCorrupt) {
				return giveUp(ctx, r.reader.id)
			} else if err != nil {
				return err
			}
		}
	}
	for _, r := range readings {
		r.reader.learned()
		s.Memory.count(r.reader.id)
	}
	return nil
}

func inOrder(settle []func() error) error {
	for _, take := range settle {
		if err := take(); err != nil {
			return err
		}
	}
	return nil
}

// open reads which blocks there are.
func (r *indexReader) open(b *txn.Batch) []func() error {
	if r.view, r.pages = r.memory.opened(); r.view != nil {
		return nil
	}
	future := postings.ReadView(b, r.id)
	return []func() error{func() (err error) { r.view, err = future.Get(); return err }}
}

// readPages reads which pages there are.
func (r *indexReader) readPages(b *txn.Batch) []func() error {
	if r.pages != nil {
		return nil
	}
	future := r.view.Pages(b)
	return []func() error{func() (err error) {
		r.pages, err = future.Get()
		r.learn = append(r.learn, func() { r.memory.learnView(r.view, r.pages) })
		return err
	}}
}

// lookUp reads words, or remembers them.
func (r *indexReader) lookUp(asked string, b *txn.Batch, read func(b *txn.Batch, asked string) postings.Words, use func(words []string)) []func() error {
	if words, known := r.memory.wordsOf(asked); known {
		use(words)
		return nil
	}
	future := read(b, asked)
	return []func() error{func() error {
		words, err := future.Get()
		words = words[:min(len(words), prefixTerms)]
		r.learn = append(r.learn, func() { r.memory.learnWords(asked, words) })
		use(words)
		return err
	}}
}

// beginning finds words that begin with letters.
func (r *indexReader) beginning(letters string, b *txn.Batch, use func(words []string)) []func() error {
	return r.lookUp(letters, b, r.view.Beginning, use)
}

// nearKey begins what is remembered of words near to one; no beginning of a word has it.
const nearKey = "\x00"

// near finds what a word may be meant for.
func (r *indexReader) near(word string, b *txn.Batch, use func(words []string)) []func() error {
	beginning, ending, swapped := terms.Halves(word)
	read := func(b *txn.Batch, _ string) postings.Words {
		return r.view.Near(b, beginning, ending, swapped, func(other string) bool { return terms.OneLetter(other, word) })
	}
	return r.lookUp(nearKey+word, b, read, use)
}

// occurrences reads which pages have terms, or remembers it.
func (r *indexReader) occurrences(queried []string, b *txn.Batch, use func(map[string][]terms.Occurrence)) []func() error {
	var unknown []string
	read := make(map[string][]terms.Occurrence, len(queried))
	for _, term := range queried {
		if pages, known := r.memory.term(term); known {
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
			pages := r.weighed(found[term])
			read[term] = pages
			r.learn = append(r.learn, func() { r.memory.learnTerm(term, pages) })
		}
		use(read)
		return err
	}}
}

// weighed says what pages weigh for a term.
func (r *indexReader) weighed(found []postings.Posting) []terms.Occurrence {
	pages := make([]terms.Occurrence, len(found))
	for i, p := range found {
		weight := terms.Unpack(p.Value, p.Sections).Weight(terms.UnpackLengths(r.pages[p.Page].Info))
		pages[i] = terms.NewOccurrence(p.Page, weight, p.Sections)
	}
	return pages
}

// remember reads the state of the index behind all else in a batch. If it still has the mark, what was learned is
// true of the mark.
func (r *indexReader) remember(b *txn.Batch) func() error {
	future := postings.ReadState(b, r.id)
	return func() error {
		r.holds = future.Value().CompleteAt(r.mark)
		return nil
	}
}

// learned takes what was read into the memory.
func (r *indexReader) learned() {
	if r.holds {
		for _, learn := range r.learn {
			learn()
		}
	}
	r.learn = nil
}
