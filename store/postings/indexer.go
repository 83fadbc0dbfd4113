package postings

import (
	"context"
	"errors"
	"maps"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// FingerprintSize is the length of a fingerprint in bytes.
const FingerprintSize = 8

// Change is the update of one page in the search index.
type Change struct {
	Page        string
	Fingerprint string       // of the indexed content, FingerprintSize bytes; "" = remove the page
	Info        uint64       // opaque page data for readers of postings
	Terms       []Occurrence // without duplicates
	Words       []string     // for prefix lookup: most of them occur in many changes
	Sections    []byte       // returned by View.Sections
}

// Occurrence is the occurrence of a term in a page.
type Occurrence struct {
	Term     string
	Value    uint64 // small values take less space
	Sections uint64 // bit mask
}

const (
	// maxBufferedTerms is the number of buffered page terms that are written as one segment.
	maxBufferedTerms = 1 << 19
	// maxMergedSize is the size in bytes above which a segment is not merged.
	maxMergedSize = 4 << 20
	// writeChunkSize is the number of segment bytes written by one command.
	writeChunkSize = 256 << 10
)

// Indexer updates the search index of one space to one goal. It buffers changes until they are large enough for a
// segment; Flush writes the rest.
type Indexer struct {
	index *Index
	space string
	goal  State

	storedIndex // as last read or written
	locations   map[string]location
	buffer      map[string]Change
	words       map[string]bool // words of the buffered changes
	terms       int             // number of buffered terms, counted per page
}

// location is the location of a page.
type location struct {
	segment     int // number of the segment
	page        int
	fingerprint string
}

// Indexer returns an Indexer of a space for a goal that was written by SetState.
func (x *Index) Indexer(ctx context.Context, space string, goal State) (*Indexer, error) {
	current, err := x.readIndex(ctx, space)
	if err != nil {
		return nil, err
	}
	i := &Indexer{
		index: x, space: space, goal: goal, storedIndex: current, locations: map[string]location{}, buffer: map[string]Change{},
		words: map[string]bool{},
	}
	for _, s := range current.manifest.segments {
		if err := i.locate(ctx, s); err != nil {
			return nil, err
		}
	}
	return i, nil
}

// locate records the locations of the pages of a segment.
func (x *Indexer) locate(ctx context.Context, s *segment) error {
	rows, err := x.readRows(ctx, s)
	if err != nil {
		return err
	}
	for n, row := range rows {
		if !s.isDeleted(n) {
			x.locations[row.id] = location{s.number, n, row.fingerprint}
		}
	}
	return nil
}

// readRows reads the page table of a segment.
func (x *Indexer) readRows(ctx context.Context, s *segment) ([]pageRow, error) {
	text, err := x.index.store.Client.HGet(ctx, x.index.store.Name(x.keys.segment(s.number)), tableField).Result()
	if errors.Is(err, goredis.Nil) {
		return nil, x.missingError(ctx, s)
	}
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	return decodeTable([]byte(text), s.pages)
}

// missingError returns the error for missing parts of a segment: ErrStale if the index was updated concurrently, otherwise
// ErrCorrupt.
func (x *Indexer) missingError(ctx context.Context, s *segment) error {
	if now, err := x.index.readIndex(ctx, x.space); err == nil && now.text != x.text {
		return redis.ErrStale
	}
	return redis.Corrupt("segment %d of %s is not there", s.number, x.space)
}

// Fingerprint returns the fingerprint of an indexed page, or "" if it is not indexed.
func (x *Indexer) Fingerprint(page string) string { return x.locations[page].fingerprint }

// Pages returns the indexed pages in no particular order.
func (x *Indexer) Pages() []string {
	pages := make([]string, 0, len(x.locations))
	for page := range x.locations {
		pages = append(pages, page)
	}
	return pages
}

// Add buffers changes and reports whether the buffer is full and Flush should be called.
func (x *Indexer) Add(changes []Change) (full bool) {
	for _, c := range changes {
		x.terms += len(c.Terms) - len(x.buffer[c.Page].Terms)
		for _, word := range c.Words {
			x.words[word] = true
		}
		c.Words = nil
		x.buffer[c.Page] = c
	}
	return x.terms >= maxBufferedTerms
}

// NewWords returns the buffered words that no segment contains, sorted.
func (x *Indexer) NewWords(ctx context.Context) ([]string, error) {
	left := slices.Sorted(maps.Keys(x.words))
	for _, s := range x.manifest.segments {
		var err error
		if left, err = x.missingWords(ctx, s, left); err != nil {
			return nil, err
		}
	}
	return left, nil
}

// missingWords returns words without those of a segment.
func (x *Indexer) missingWords(ctx context.Context, s *segment, words []string) ([]string, error) {
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
			return nil, x.missingError(ctx, s)
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

// Flush writes the buffered changes as a new segment, merged with existing ones if necessary. It returns ErrStale if the index
// was changed concurrently.
func (x *Indexer) Flush(ctx context.Context) error {
	if len(x.buffer) == 0 {
		return nil
	}
	next := x.manifest.clone()
	var come []Change
	for _, id := range x.bufferedPages() {
		if location, known := x.locations[id]; known {
			next.markDeleted(location)
		}
		if c := x.buffer[id]; c.Fingerprint != "" {
			come = append(come, c)
		}
	}
	merged, err := x.mergeChanges(ctx, next, come, slices.Collect(maps.Keys(x.words)))
	if err != nil {
		return err
	}
	if err := x.write(ctx, next, merged, x.goal); err != nil {
		return err
	}
	x.manifest, x.text = next, string(next.encode())
	x.updateLocations(merged)
	return nil
}

// bufferedPages returns the pages of the buffered changes in the order of the new segment.
func (x *Indexer) bufferedPages() []string {
	ids := make([]string, 0, len(x.buffer))
	for id := range x.buffer {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// markDeleted marks a page as deleted in its segment.
func (m *manifest) markDeleted(l location) {
	for _, s := range m.segments {
		if s.number == l.segment {
			s.markDeleted(l.page)
		}
	}
}
