package postings

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// mapIndex is an index as a plain map: page -> last change.
type mapIndex map[string]Change

func (m mapIndex) postings(term string) map[string]Occurrence {
	found := map[string]Occurrence{}
	for page, c := range m {
		for _, has := range c.Terms {
			if has.Term == term {
				found[page] = has
			}
		}
	}
	return found
}

// randomChange returns a change that adds a page of random words or, once in five times, removes the page.
func randomChange(r *rand.Rand, page string, n int) Change {
	c := Change{Page: page}
	if r.IntN(5) == 0 {
		return c
	}
	c.Fingerprint, c.Info, c.Sections = fmt.Sprintf("%08d", n), uint64(r.IntN(1<<20)), fmt.Append(nil, "shown ", n)
	for _, w := range r.Perm(60)[:r.IntN(40)] {
		word := fmt.Sprintf("%sword%c", string(rune('a'+w%7)), 'a'+rune(w))
		sections := r.Uint64N(1 << 40)
		if r.IntN(2) == 0 {
			sections = 1 << r.IntN(40)
		}
		c.Terms = append(c.Terms, Occurrence{
			word, uint64(r.IntN(9)) * uint64(1+r.IntN(1000)*r.IntN(2)), sections * uint64(r.IntN(5)/1&1|r.IntN(2)),
		})
		c.Words = append(c.Words, word)
	}
	return c
}

// TestIndexMatchesPlainMap checks that the index returns the same postings as a plain map for any sequence of changes and
// merges.
func TestIndexMatchesPlainMap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 3))
		m, want, fields := &manifest{}, mapIndex{}, map[int]map[string]string{}
		for step := range 40 {
			come := map[string]Change{}
			for range 1 + r.IntN(6) {
				page := fmt.Sprintf("p_%02d", r.IntN(30))
				come[page] = randomChange(r, page, step)
			}
			flushToMap(t, m, fields, come)
			for page, c := range come {
				delete(want, page)
				if c.Fingerprint != "" {
					want[page] = c
				}
			}
			again, err := decodeManifest(string(m.encode()))
			if err != nil || fmt.Sprint(again.next) != fmt.Sprint(m.next) || len(again.segments) != len(m.segments) {
				t.Fatalf("seed %d: the manifest came back as %+v: %v", seed, again, err)
			}
			m = again
			if len(m.segments) > 12 {
				t.Fatalf("seed %d: %d segments of %d pages", seed, len(m.segments), len(want))
			}
			compareIndex(t, m, fields, want)
		}
	}
}

// flushToMap is Indexer.Flush on a map instead of Redis.
func flushToMap(t *testing.T, m *manifest, blocks map[int]map[string]string, come map[string]Change) {
	t.Helper()
	for _, s := range m.segments {
		rows, err := decodeTable([]byte(blocks[s.number][tableField]), s.pages)
		if err != nil {
			t.Fatal(err)
		}
		for n, row := range rows {
			if _, changed := come[row.id]; changed && !s.isDeleted(n) {
				s.markDeleted(n)
			}
		}
	}
	b := newBuilder()
	gone := m.mergeCandidates(len(come))
	for _, s := range gone {
		if err := b.addSegment(s, blocks[s.number]); err != nil {
			t.Fatal(err)
		}
		delete(blocks, s.number)
	}
	for _, page := range slices.Sorted(maps.Keys(come)) {
		if c := come[page]; c.Fingerprint != "" {
			b.add(c)
			b.addWords(c.Words)
		}
	}
	m.segments = slices.DeleteFunc(m.segments, func(s *segment) bool { return slices.Contains(gone, s) })
	s, built := b.build(m.next)
	blocks[s.number] = map[string]string{}
	for name, data := range built {
		blocks[s.number][name] = string(data)
	}
	m.next++
	m.segments = append(m.segments, s)
}

// viewOf returns a View of a manifest without a store. Its reads are answered by answerFromMap.
func viewOf(m *manifest) *View {
	v := &View{keys: keysOf("o_1", "s_1"), manifest: m, offsets: []int{0}}
	for i, s := range m.segments {
		v.offsets = append(v.offsets, v.offsets[i]+s.pages)
	}
	return v
}

// unsentBatch returns a batch that is never sent.
func unsentBatch() *txn.Batch {
	client := goredis.NewClient(&goredis.Options{})
	return &txn.Batch{Store: &txn.Store{Conn: &redis.Conn{}}, Pipe: client.Pipeline()}
}

// answerFromMap sets the replies of a read to the fields of the segments, given by segment number.
func answerFromMap(f *fieldRead, fields map[int]map[string]string) {
	for i, s := range f.view.manifest.segments {
		found := map[string]string{}
		for _, name := range f.names[i] {
			if text, there := fields[s.number][name]; there {
				found[name] = text
			}
		}
		f.replies[i] = func() map[string]string { return found }
	}
}

func compareIndex(t *testing.T, m *manifest, fields map[int]map[string]string, want mapIndex) {
	t.Helper()
	v, b := viewOf(m), unsentBatch()
	reading := v.Pages(b)
	answerFromMap(&reading.fieldRead, fields)
	pages, err := reading.Get()
	if err != nil {
		t.Fatal(err)
	}
	numbers := map[int]string{}
	for n, row := range pages {
		if row.ID != "" {
			numbers[n] = row.ID
			if row.Info != want[row.ID].Info || want[row.ID].Fingerprint == "" {
				t.Fatalf("page %+v, want %+v", row, want[row.ID])
			}
		}
	}
	if len(numbers) != len(want) {
		t.Fatalf("%d pages, want %d", len(numbers), len(want))
	}
	terms := []string{"none"}
	for w := range 60 {
		terms = append(terms, fmt.Sprintf("%sword%c", string(rune('a'+w%7)), 'a'+rune(w)))
	}
	lookup := v.Terms(b, terms)
	answerFromMap(&lookup.fieldRead, fields)
	found, err := lookup.Get()
	if err != nil {
		t.Fatal(err)
	}
	for _, term := range terms {
		got := map[string]Occurrence{}
		for _, p := range found[term] {
			got[numbers[p.Page]] = Occurrence{term, p.Value, p.Sections}
		}
		if !maps.Equal(got, want.postings(term)) {
			t.Fatalf("%s is on %v, want %v", term, got, want.postings(term))
		}
	}
	shown := v.Sections(b, slices.Collect(maps.Keys(numbers)))
	answerFromMap(&shown.fieldRead, fields)
	all, err := shown.Get()
	if err != nil {
		t.Fatal(err)
	}
	for n, page := range numbers {
		if string(all[n]) != string(want[page].Sections) {
			t.Fatalf("page %s is shown with %q, want %q", page, all[n], want[page].Sections)
		}
	}
	words := v.Similar(b, "aw", "dz", "none", func(string) bool { return true })
	answerFromMap(&words.fieldRead, fields)
	near, err := words.Get()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range want {
		for _, word := range c.Words {
			if (word[:2] == "aw" || len(word) > 5 && word[len(word)-2:] == "dz") && !slices.Contains(near, word) {
				t.Fatalf("%s is not near, but %q", word, near)
			}
		}
	}
}

// FuzzDecode checks that decoding arbitrary bytes terminates, with or without an error.
func FuzzDecode(f *testing.F) {
	b := newBuilder()
	b.add(Change{
		Page: "p_1", Fingerprint: "12345678", Terms: []Occurrence{
			{"term", 0, 1}, {"terms", 900, 5}, {"title", 1, 0},
		}, Words: []string{"word", "words"}, Sections: []byte("shown"),
	})
	s, fields := b.build(0)
	m := manifest{next: 1, segments: []*segment{s}}
	f.Add(m.encode())
	for _, data := range fields {
		f.Add(data)
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = decodeManifest(string(data))
		_, _ = decodeTable(data, 1)
		stored := map[string]string{tableField: string(data)}
		for kind := range s.firstKeys {
			stored[field(kind, 0)] = string(data)
		}
		_ = newBuilder().addSegment(s, stored)
		v := viewOf(&m)
		list := scanner{data: data}
		_ = list.postings(nil, s, 0)
		b := unsentBatch()
		lookup := v.Terms(b, []string{"term"})
		answerFromMap(&lookup.fieldRead, map[int]map[string]string{0: stored})
		_, _ = lookup.Get()
	})
}

// TestRemovedSegmentIsStale checks that reads of a segment that was removed concurrently return ErrStale.
func TestRemovedSegmentIsStale(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.add(Change{Page: "p_1", Fingerprint: "12345678", Terms: []Occurrence{{"term", 0, 1}}})
	s, _ := b.build(0)
	v := viewOf(&manifest{next: 1, segments: []*segment{s}})
	lookup := v.Terms(unsentBatch(), []string{"term"})
	answerFromMap(&lookup.fieldRead, nil)
	if _, err := lookup.Get(); !errors.Is(err, redis.ErrStale) {
		t.Errorf("a segment that has gone: %v", err)
	}
}

// A page table that cannot be decoded is reported, also if its beginning can: the pages are not taken for removed ones.
func TestDamagedPageTableIsCorrupt(t *testing.T) {
	t.Parallel()
	b := newBuilder()
	b.add(Change{Page: "p_1", Fingerprint: "12345678"})
	b.add(Change{Page: "p_2", Fingerprint: "87654321"})
	s, fields := b.build(0)
	table := string(fields[tableField])
	for name, stored := range map[string]string{
		"empty": "", "cut off": table[:len(table)-1], "one page is lost": table[:len(encodeTable(b.pages[:1]))],
		"one page is added": table + table, "other bytes": "\xff",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pages := viewOf(&manifest{next: 1, segments: []*segment{s}}).Pages(unsentBatch())
			answerFromMap(&pages.fieldRead, map[int]map[string]string{0: {tableField: stored}})
			if rows, err := pages.Get(); !errors.Is(err, redis.ErrCorrupt) {
				t.Errorf("read %v, %v", rows, err)
			}
		})
	}
}
