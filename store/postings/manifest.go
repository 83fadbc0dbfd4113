package postings

import (
	"encoding/binary"
	"slices"
)

// manifest names the segments of an index, oldest first. It is written together with what it names.
type manifest struct {
	next     int // number of the next segment
	segments []*segment
}

// clone is a copy whose segments can be struck out and removed.
func (m *manifest) clone() *manifest {
	c := &manifest{next: m.next}
	for _, s := range m.segments {
		own := *s
		c.segments = append(c.segments, &own)
	}
	return c
}

// encode is the stored form.
func (m *manifest) encode() []byte {
	data := binary.AppendUvarint(nil, uint64(max(m.next, 0)))
	data = binary.AppendUvarint(data, uint64(len(m.segments)))
	for _, s := range m.segments {
		for _, n := range []int{s.number, s.pages, s.bytes, len(s.dead)} {
			data = binary.AppendUvarint(data, uint64(max(n, 0)))
		}
		before := -1
		for _, page := range s.dead {
			data = binary.AppendUvarint(data, uint64(max(page-before-1, 0)))
			before = page
		}
		for _, firsts := range s.firsts {
			data = binary.AppendUvarint(data, uint64(len(firsts)))
			last := ""
			for _, key := range firsts {
				data = appendKey(data, last, key)
				last = key
			}
		}
	}
	return data
}

// decodeManifest is the reverse. No manifest is that of no pages.
func decodeManifest(data string) (*manifest, error) {
	m := &manifest{}
	if data == "" {
		return m, nil
	}
	s := scanner{data: []byte(data)}
	m.next = int(min(s.uvarint(), maxPages))
	for range s.count() {
		m.segments = append(m.segments, s.segment())
	}
	if len(s.data) > 0 {
		s.fail()
	}
	return m, s.err("a manifest")
}

func (s *scanner) segment() *segment {
	x := &segment{}
	for _, n := range []*int{&x.number, &x.pages, &x.bytes} {
		*n = int(min(s.uvarint(), 1<<40))
	}
	before := -1
	for range s.count() {
		before += 1 + int(min(s.uvarint(), maxPages))
		x.dead = append(x.dead, before)
	}
	if x.pages > maxPages || len(x.dead) > x.pages || before >= x.pages {
		s.fail()
	}
	for kind := range x.firsts {
		s.key = s.key[:0]
		for range s.count() {
			x.firsts[kind] = append(x.firsts[kind], string(s.next()))
		}
		if !slices.IsSorted(x.firsts[kind]) {
			s.fail()
		}
	}
	return x
}
