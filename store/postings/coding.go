package postings

import (
	"encoding/binary"
	"math"
	"math/bits"

	"docspace.dev/wsd/store/redis"
)

// A key in a block is written as what differs from the key before it: how many bytes they share, how many follow, and
// those. Both numbers are in one byte where they are small.

// longKey in a half of the byte says that the number follows.
const longKey = 15

// maxKey bounds what a key may say of its length.
const maxKey = 1 << 10

func appendKey(data []byte, before, key string) []byte {
	shared := 0
	for shared < min(len(before), len(key)) && before[shared] == key[shared] {
		shared++
	}
	rest := key[shared:]
	data = append(data, byte(min(shared, longKey)<<4|min(len(rest), longKey))) //nolint:gosec // two halves of a byte
	if shared >= longKey {
		data = binary.AppendUvarint(data, uint64(max(shared-longKey, 0)))
	}
	if len(rest) >= longKey {
		data = binary.AppendUvarint(data, uint64(max(len(rest)-longKey, 0)))
	}
	return append(data, rest...)
}

// scanner reads what was appended. After an error it reads zeros, so that whoever reads asks once, at the end.
type scanner struct {
	data   []byte
	key    []byte
	failed bool
}

func (s *scanner) more() bool { return !s.failed && len(s.data) > 0 }

func (s *scanner) err(what string) error {
	if s.failed {
		return redis.Corrupt("search index: %s", what)
	}
	return nil
}

func (s *scanner) uvarint() uint64 {
	n, size := binary.Uvarint(s.data)
	if size <= 0 {
		s.fail()
		return 0
	}
	s.data = s.data[size:]
	return n
}

// count reads a number of things that take a byte or more each.
func (s *scanner) count() int {
	n := s.uvarint()
	if n > uint64(len(s.data)) {
		s.fail()
		return 0
	}
	return int(min(n, math.MaxInt32))
}

func (s *scanner) fail() { s.failed, s.data = true, nil }

func (s *scanner) byte() byte {
	if len(s.data) == 0 {
		s.fail()
		return 0
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b
}

func (s *scanner) bytes(n int) []byte {
	if n < 0 || n > len(s.data) {
		s.fail()
		return nil
	}
	b := s.data[:n]
	s.data = s.data[n:]
	return b
}

// next reads the key that follows; it holds until the next call.
func (s *scanner) next() []byte {
	head := s.byte()
	shared, rest := int(head>>4), int(head&longKey)
	if shared == longKey {
		shared += int(min(s.uvarint(), maxKey))
	}
	if rest == longKey {
		rest += int(min(s.uvarint(), maxKey))
	}
	if shared > len(s.key) {
		s.fail()
		return nil
	}
	s.key = append(s.key[:shared], s.bytes(rest)...)
	return s.key
}

// A posting is how far its page is from the one before it, and a code. The code says alone what most postings are: a
// small value in one section. Else it says what follows.
const (
	sectionsCoded = 40 // that a code can name
	valuesCoded   = 5  // that a code can name with one of these sections
	codeOther     = sectionsCoded * valuesCoded
	codeNone      = 0 // no section
	codeMask      = 1 // several sections: the first, and which of those behind it
)

func appendPosting(data []byte, gap int, value, sections uint64) []byte {
	data = binary.AppendUvarint(data, uint64(max(gap, 0)))
	first := bits.TrailingZeros64(sections)
	if bits.OnesCount64(sections) == 1 && value < valuesCoded && first < sectionsCoded {
		return append(data, byte(int(value)*sectionsCoded+first)) //nolint:gosec // below codeOther
	}
	kind := codeNone
	if sections != 0 {
		kind = codeMask
	}
	data = append(data, byte(codeOther+kind))
	data = binary.AppendUvarint(data, value)
	if kind == codeMask {
		data = append(data, byte(first)) //nolint:gosec // the number of a bit
		data = binary.AppendUvarint(data, sections>>first>>1)
	}
	return data
}

// posting reads one.
func (s *scanner) posting() (gap int, value, sections uint64) {
	gap = int(min(s.uvarint(), maxPages))
	switch code := int(s.byte()); {
	case code < codeOther:
		return gap, uint64(code / sectionsCoded), 1 << (code % sectionsCoded)
	case code == codeOther+codeNone:
		return gap, s.uvarint(), 0
	case code == codeOther+codeMask:
		value = s.uvarint()
		first := s.byte() & 63
		return gap, value, (s.uvarint()<<1 | 1) << first
	}
	s.fail()
	return 0, 0, 0
}
