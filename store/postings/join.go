package postings

import (
	"context"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// made is a segment that is to be written, and those that it takes the place of.
type made struct {
	segment *segment
	pages   []pageRow
	fields  map[string][]byte
	gone    []*segment
}

// join makes a segment of changes and of the segments that they are joined with. There is none where no page is left.
func (x *Indexer) join(ctx context.Context, m *manifest, come []Change, words []string) (made, error) {
	return x.rebuild(ctx, m, m.joined(len(come)), come, words)
}

// rebuild makes a segment of changes and of segments that it takes the place of.
func (x *Indexer) rebuild(ctx context.Context, m *manifest, gone []*segment, come []Change, words []string) (made, error) {
	b := newBuilder()
	for _, s := range gone {
		if s.live() == 0 {
			continue
		}
		fields, err := x.index.store.Client.HGetAll(ctx, x.index.store.Name(x.keys.segment(s.number))).Result()
		if err != nil {
			return made{}, redis.Wrap(ctx, err)
		}
		if len(fields) == 0 {
			return made{}, x.lost(ctx, s)
		}
		if err := b.take(s, fields); err != nil {
			return made{}, err
		}
	}
	for _, c := range come {
		b.add(c)
	}
	b.note(words)
	result := made{gone: gone, pages: b.pages}
	m.segments = slices.DeleteFunc(m.segments, func(s *segment) bool { return slices.Contains(gone, s) })
	number := m.next
	m.next++
	if len(b.pages) > 0 {
		result.segment, result.fields = b.build(number)
		m.segments = append(m.segments, result.segment)
	}
	return result, nil
}

// joined are the segments that pages which come are joined with: from the newest on those that are not much larger
// than all that is joined already, and those of which a fourth was struck out.
func (m *manifest) joined(pages int) (gone []*segment) {
	size := 0
	for _, s := range slices.Backward(m.segments) {
		if s.live() <= 2*pages && size+s.bytes < largest {
			pages, size = pages+s.live(), size+s.bytes
			gone = append(gone, s)
			continue
		}
		break
	}
	for _, s := range m.segments {
		if 4*len(s.dead) > s.pages && !slices.Contains(gone, s) && size+s.bytes < largest+largest/2 {
			size += s.bytes
			gone = append(gone, s)
		}
	}
	slices.SortFunc(gone, func(a, b *segment) int { return a.number - b.number })
	return gone
}

// write writes a manifest with the segment that is new in it, and the state of the index from then on.
func (x *Indexer) write(ctx context.Context, next *manifest, made made, state State) error {
	name := x.index.store.Name
	at := x.stored
	at.state = x.goal
	return x.index.while(ctx, x.space, at.unchanged(x.index), func(pipe goredis.Pipeliner) {
		for _, s := range made.gone {
			pipe.Unlink(ctx, name(x.keys.segment(s.number)))
		}
		var values []any
		size := 0
		for field, data := range made.fields {
			values, size = append(values, field, data), size+len(data)
			if size > writtenBytes {
				pipe.HSet(ctx, name(x.keys.segment(made.segment.number)), values...)
				values, size = nil, 0
			}
		}
		if len(values) > 0 {
			pipe.HSet(ctx, name(x.keys.segment(made.segment.number)), values...)
		}
		pipe.Set(ctx, name(x.keys.manifest()), next.encode(), 0)
		pipe.Set(ctx, name(x.keys.state()), state.String(), 0)
	})
}

// settle notes where pages are after a write.
func (x *Indexer) settle(made made) {
	for id := range x.held {
		delete(x.places, id)
	}
	for n, row := range made.pages {
		x.places[row.id] = place{made.segment.number, n, row.fingerprint}
	}
	x.held, x.words, x.terms = map[string]Change{}, map[string]bool{}, 0
}

// take adds the live pages of a segment.
func (b *builder) take(s *segment, fields map[string]string) error {
	rows, err := decodeTable([]byte(fields[tableField]), s.pages)
	if err != nil {
		return err
	}
	shown := map[string][]byte{}
	err = eachBlock(s, shownBlocks, fields, func(x *scanner) {
		shown[string(x.next())] = slices.Clone(x.bytes(x.count()))
	})
	if err != nil {
		return err
	}
	numbers := make([]int, len(rows))
	for n, row := range rows {
		numbers[n] = -1
		if !s.isDead(n) {
			numbers[n] = b.page(row, shown[shownKey(n)])
		}
	}
	err = eachBlock(s, termBlocks, fields, func(x *scanner) {
		term := string(x.next())
		b.takeList(x, term, numbers)
	})
	if err != nil {
		return err
	}
	return eachBlock(s, wordBlocks, fields, func(x *scanner) { b.words[string(x.next())] = true })
}

// takeList adds the postings of a term that follow.
func (b *builder) takeList(x *scanner, term string, numbers []int) {
	list := scanner{data: x.bytes(x.count())}
	for page := -1; list.more(); {
		gap, value, sections := list.posting()
		page += gap + 1
		if page >= len(numbers) {
			x.fail()
			return
		}
		if numbers[page] >= 0 {
			b.post(term, numbers[page], value, sections)
		}
	}
	if list.failed {
		x.fail()
	}
}

// eachBlock reads all entries of a kind in a segment.
func eachBlock(s *segment, kind int, fields map[string]string, entry func(x *scanner)) error {
	for n := range s.firsts[kind] {
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
