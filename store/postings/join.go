package postings

import (
	"context"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// merge is a new segment and the segments it replaces.
type merge struct {
	segment  *segment
	pages    []pageRow
	fields   map[string][]byte
	replaced []*segment
}

// mergeChanges merges changes with existing segments into a new one. The segment is nil if no page remains.
func (x *Indexer) mergeChanges(ctx context.Context, m *manifest, come []Change, words []string) (merge, error) {
	return x.rebuild(ctx, m, m.mergeCandidates(len(come)), come, words)
}

// rebuild builds a segment from changes and the segments it replaces.
func (x *Indexer) rebuild(ctx context.Context, m *manifest, replaced []*segment, come []Change, words []string) (merge, error) {
	b := newBuilder()
	for _, s := range replaced {
		if s.livePages() == 0 {
			continue
		}
		fields, err := x.index.store.Client.HGetAll(ctx, x.index.store.Name(x.keys.segment(s.number))).Result()
		if err != nil {
			return merge{}, redis.Wrap(ctx, err)
		}
		if len(fields) == 0 {
			return merge{}, x.missingError(ctx, s)
		}
		if err := b.addSegment(s, fields); err != nil {
			return merge{}, err
		}
	}
	for _, c := range come {
		b.add(c)
	}
	b.addWords(words)
	result := merge{replaced: replaced, pages: b.pages}
	m.segments = slices.DeleteFunc(m.segments, func(s *segment) bool { return slices.Contains(replaced, s) })
	number := m.next
	m.next++
	if len(b.pages) > 0 {
		result.segment, result.fields = b.build(number)
		m.segments = append(m.segments, result.segment)
	}
	return result, nil
}

// mergeCandidates returns the segments to merge with new pages: the newest ones that are not much larger than the merged size
// so far, and those with more than a quarter of their pages deleted.
func (m *manifest) mergeCandidates(pages int) (replaced []*segment) {
	size := 0
	for _, s := range slices.Backward(m.segments) {
		if s.livePages() <= 2*pages && size+s.bytes < maxMergedSize {
			pages, size = pages+s.livePages(), size+s.bytes
			replaced = append(replaced, s)
			continue
		}
		break
	}
	for _, s := range m.segments {
		if 4*len(s.deleted) > s.pages && !slices.Contains(replaced, s) && size+s.bytes < maxMergedSize+maxMergedSize/2 {
			size += s.bytes
			replaced = append(replaced, s)
		}
	}
	slices.SortFunc(replaced, func(a, b *segment) int { return a.number - b.number })
	return replaced
}

// write writes a manifest with its new segment and the resulting state of the index.
func (x *Indexer) write(ctx context.Context, next *manifest, m merge, state State) error {
	name := x.index.store.Name
	current := x.storedIndex
	current.state = x.goal
	return x.index.execIfUnchanged(ctx, x.space, current.storedValues(x.index), func(pipe goredis.Pipeliner) {
		for _, s := range m.replaced {
			pipe.Unlink(ctx, name(x.keys.segment(s.number)))
		}
		var values []any
		size := 0
		for field, data := range m.fields {
			values, size = append(values, field, data), size+len(data)
			if size > writeChunkSize {
				pipe.HSet(ctx, name(x.keys.segment(m.segment.number)), values...)
				values, size = nil, 0
			}
		}
		if len(values) > 0 {
			pipe.HSet(ctx, name(x.keys.segment(m.segment.number)), values...)
		}
		pipe.Set(ctx, name(x.keys.manifest()), next.encode(), 0)
		pipe.Set(ctx, name(x.keys.state()), state.String(), 0)
	})
}

// updateLocations records the page locations after a write.
func (x *Indexer) updateLocations(m merge) {
	for id := range x.buffer {
		delete(x.locations, id)
	}
	for n, row := range m.pages {
		x.locations[row.id] = location{m.segment.number, n, row.fingerprint}
	}
	x.buffer, x.words, x.terms = map[string]Change{}, map[string]bool{}, 0
}

// addSegment adds the live pages of a segment.
func (b *builder) addSegment(s *segment, fields map[string]string) error {
	rows, err := decodeTable([]byte(fields[tableField]), s.pages)
	if err != nil {
		return err
	}
	shown := map[string][]byte{}
	err = eachEntry(s, sectionBlocks, fields, func(x *scanner) {
		shown[string(x.next())] = slices.Clone(x.bytes(x.count()))
	})
	if err != nil {
		return err
	}
	numbers := make([]int, len(rows))
	for n, row := range rows {
		numbers[n] = -1
		if !s.isDeleted(n) {
			numbers[n] = b.addPage(row, shown[sectionsKey(n)])
		}
	}
	err = eachEntry(s, termBlocks, fields, func(x *scanner) {
		term := string(x.next())
		b.addPostings(x, term, numbers)
	})
	if err != nil {
		return err
	}
	return eachEntry(s, wordBlocks, fields, func(x *scanner) { b.words[string(x.next())] = true })
}

// addPostings decodes the postings of a term from x and adds those of the live pages. numbers contains the new number of each
// page; negative = deleted.
func (b *builder) addPostings(x *scanner, term string, numbers []int) {
	list := scanner{data: x.bytes(x.count())}
	for page := -1; list.more(); {
		gap, value, sections := list.posting()
		page += gap + 1
		if page >= len(numbers) {
			x.fail()
			return
		}
		if numbers[page] >= 0 {
			b.addPosting(term, numbers[page], value, sections)
		}
	}
	if list.failed {
		x.fail()
	}
}

// eachEntry calls entry for each entry in the blocks of a kind of a segment; entry decodes it from x. It returns an error for a
// missing or invalid block.
func eachEntry(s *segment, kind int, fields map[string]string, entry func(x *scanner)) error {
	for n := range s.firstKeys[kind] {
		x := scanner{data: []byte(fields[field(kind, n)])}
		if !x.more() {
			x.fail()
		}
		for x.more() {
			entry(&x)
		}
		if err := x.err("a block"); err != nil {
			return err
		}
	}
	return nil
}
