package postings

import (
	"context"
	"errors"
	"maps"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// FingerprintSize is how many bytes a fingerprint has.
const FingerprintSize = 8

// Change is what becomes of one page in the search index.
type Change struct {
	Page        string
	Fingerprint string   // of what is indexed now, FingerprintSize bytes; "" = the page goes
	Info        uint64   // what the reader of postings needs to know of the page
	Terms       []Has    // each term once
	Words       []string // as they are looked up by their beginning: most are in many changes
	Sections    []byte   // what View.Shown answers
}

// Has is what a page has of a term.
type Has struct {
	Term     string
	Value    uint64 // small ones take least
	Sections uint64 // a bit for each
}

const (
	// heldTerms is how many terms of pages are held until they are written as one segment.
	heldTerms = 1 << 19
	// largest is the size in bytes from which a segment is not joined with others.
	largest = 4 << 20
	// writtenBytes is how much of a segment one command writes.
	writtenBytes = 256 << 10
)

// Indexer brings the search index of one space to one goal. It holds changes until
// they are worth a segment: Flush writes the last of them.
type Indexer struct {
	index *Index
	space string
	goal  State

	stored // as it was read or written last
	places map[string]place
	held   map[string]Change
	words  map[string]bool // of those
	terms  int             // of those, with each page
}

// place is where a page is.
type place struct {
	segment     int // number
	page        int
	fingerprint string
}

// Indexer returns an Indexer of a space toward a goal that Move has written.
func (x *Index) Indexer(ctx context.Context, space string, goal State) (*Indexer, error) {
	at, err := x.stored(ctx, space)
	if err != nil {
		return nil, err
	}
	i := &Indexer{
		index: x, space: space, goal: goal, stored: at, places: map[string]place{}, held: map[string]Change{}, words: map[string]bool{},
	}
	for _, s := range at.m.segments {
		if err := i.locate(ctx, s); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// locate notes where the pages of a segment are.
func (x *Indexer) locate(ctx context.Context, s *segment) error {
	rows, err := x.rows(ctx, s)
	if err != nil {
		return err
	}
	for n, row := range rows {
		if !s.isDead(n) {
			x.places[row.id] = place{s.number, n, row.fingerprint}
		}
	}
	return nil
}

// rows reads the pages of a segment.
func (x *Indexer) rows(ctx context.Context, s *segment) ([]pageRow, error) {
	text, err := x.index.store.Client.HGet(ctx, x.index.store.Name(x.keys.segment(s.number)), tableField).Result()
	if errors.Is(err, goredis.Nil) {
		return nil, x.lost(ctx, s)
	}
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	return decodeTable([]byte(text), s.pages)
}

// lost is the error of a segment of which something is not there: ErrStale where the index has gone on meanwhile, else
// ErrCorrupt.
func (x *Indexer) lost(ctx context.Context, s *segment) error {
	if now, err := x.index.stored(ctx, x.space); err == nil && now.text != x.text {
		return redis.ErrStale
	}
	return redis.Corrupt("segment %d of %s is not there", s.number, x.space)
}

// Fingerprint is that of what the index has of a page, "" if it has nothing.
func (x *Indexer) Fingerprint(page string) string { return x.places[page].fingerprint }

// Pages are the pages that the index has, in no order.
func (x *Indexer) Pages() []string {
	pages := make([]string, 0, len(x.places))
	for page := range x.places {
		pages = append(pages, page)
	}
	return pages
}

// Hold takes changes, and says whether so many are held that Flush should write them.
func (x *Indexer) Hold(changes []Change) (full bool) {
	for _, c := range changes {
		x.terms += len(c.Terms) - len(x.held[c.Page].Terms)
		for _, word := range c.Words {
			x.words[word] = true
		}
		c.Words = nil
		x.held[c.Page] = c
	}
	return x.terms >= heldTerms
}

// NewWords are the words of what is held that no segment has, in order.
func (x *Indexer) NewWords(ctx context.Context) ([]string, error) {
	left := slices.Sorted(maps.Keys(x.words))
	for _, s := range x.m.segments {
		var err error
		if left, err = x.without(ctx, s, left); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// without takes the words of a segment out of others.
func (x *Indexer) without(ctx context.Context, s *segment, words []string) ([]string, error) {
	var fields []string
	for _, word := range words {
		if n, end := s.blocks(wordBlocks, word, word); n < end {
			fields = append(fields, field(wordBlocks, n))
		}
	}
	if fields = slices.Compact(fields); len(fields) == 0 {
		return words, nil
	}
	blocks, err := x.index.store.Client.HMGet(ctx, x.index.store.Name(x.keys.segment(s.number)), fields...).Result()
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	known := map[string]bool{}
	for _, block := range blocks {
		text, there := block.(string)
		if !there {
			return nil, x.lost(ctx, s)
		}
		scan := scanner{data: []byte(text)}
		for scan.more() {
			known[string(scan.next())] = true
		}
		if err := scan.err("a block of words"); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(words, func(word string) bool { return known[word] }), nil
}

// Flush writes what is held.
func (x *Indexer) Flush(ctx context.Context) error {
	if len(x.held) == 0 {
		return nil
	}
	next := x.m.clone()
	var come []Change
	for _, id := range x.order() {
		if at, known := x.places[id]; known {
			next.strike(at)
		}
		if c := x.held[id]; c.Fingerprint != "" {
			come = append(come, c)
		}
	}
	made, err := x.join(ctx, next, come, slices.Collect(maps.Keys(x.words)))
	if err != nil {
		return err
	}
	if err := x.write(ctx, next, made, x.goal); err != nil {
		return err
	}
	x.m, x.text = next, string(next.encode())
	x.settle(made)
	return nil
}

// order are the pages that changes are held of: their order decides that of a segment.
func (x *Indexer) order() []string {
	ids := make([]string, 0, len(x.held))
	for id := range x.held {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// strike strikes a page out of its segment.
func (m *manifest) strike(at place) {
	for _, s := range m.segments {
		if s.number == at.segment {
			s.strike(at.page)
		}
	}
}
