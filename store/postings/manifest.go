package postings

import (
	"encoding/binary"
	"slices"
)

// manifest lists the segments of an index, oldest first. It is written together with the segments.
type manifest struct {
	next     int // number of the next segment
	segments []*segment
}

// clone returns a copy whose segments can be changed and removed.
func (m *manifest) clone() *manifest {
	c := &manifest{next: m.next}
	for _, s := range m.segments {
		own := *s
		c.segments = append(c.segments, &own)
	}
	return c
}

// encode returns the stored form.
func (m *manifest) encode() []byte {
	data := binary.AppendUvarint(nil, uint64(max(m.next, 0)))
	data = binary.AppendUvarint(data, uint64(len(m.segments)))
	for _, s := range m.segments {
		for _, n := range []int{s.number, s.pages, s.bytes, len(s.deleted)} {
			data = binary.AppendUvarint(data, uint64(max(n, 0)))
		}
		before := -1
		for _, page := range s.deleted {
			data = binary.AppendUvarint(data, uint64(max(page-before-1, 0)))
			before = page
		}
		for _, firsts := range s.firstKeys {
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

// decodeManifest parses the stored form. An empty text is an empty manifest.
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
		x.deleted = append(x.deleted, before)
	}
	if x.pages > maxPages || len(x.deleted) > x.pages || before >= x.pages {
		s.fail()
	}
	for kind := range x.firstKeys {
		s.key = s.key[:0]
		for range s.count() {
			x.firstKeys[kind] = append(x.firstKeys[kind], string(s.next()))
		}
		if !slices.IsSorted(x.firstKeys[kind]) {
			s.fail()
		}
	}
	return x
}
