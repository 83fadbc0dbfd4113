package postings

import (
	"encoding/binary"
	"math"
	"math/bits"

	"docspace.dev/wsd/store/redis"
)

// A key in a block is encoded as its difference to the previous key: the length of the common prefix, the length of
// the rest, and the rest. Both lengths share one byte if they are small.

// longLength in a half of the byte means that the length follows.
const longLength = 15

// maxKeySize is the maximum length of a key.
const maxKeySize = 1 << 10

func appendKey(data []byte, before, key string) []byte {
	shared := 0
	for shared < min(len(before), len(key)) && before[shared] == key[shared] {
		shared++
	}
	rest := key[shared:]
	data = append(data, byte(min(shared, longLength)<<4|min(len(rest), longLength))) //nolint:gosec // two halves of a byte
	if shared >= longLength {
		data = binary.AppendUvarint(data, uint64(max(shared-longLength, 0)))
	}
	if len(rest) >= longLength {
		data = binary.AppendUvarint(data, uint64(max(len(rest)-longLength, 0)))
	}
	return append(data, rest...)
}

// scanner decodes appended values. After an error it returns zeros, so that callers check for an error once, at the
// end.
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

// count decodes a number of elements of at least one byte each. It fails if fewer bytes remain.
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

// next decodes the next key, which is valid until the next call.
func (s *scanner) next() []byte {
	head := s.byte()
	shared, rest := int(head>>4), int(head&longLength)
	if shared == longLength {
		shared += int(min(s.uvarint(), maxKeySize))
	}
	if rest == longLength {
		rest += int(min(s.uvarint(), maxKeySize))
	}
	if shared > len(s.key) {
		s.fail()
		return nil
	}
	s.key = append(s.key[:shared], s.bytes(rest)...)
	return s.key
}

// A posting is encoded as the distance of its page from the previous one and a code. For most postings the code is
// complete: a small value in one section. Otherwise further numbers follow.
const (
	codedSections = 40 // sections with a code
	codedValues   = 5  // values with a code in one of these sections
	codeOther     = codedSections * codedValues
	codeNone      = 0 // no section
	codeMask      = 1 // several sections: the first and a mask of the following ones
)

func appendPosting(data []byte, gap int, value, sections uint64) []byte {
	data = binary.AppendUvarint(data, uint64(max(gap, 0)))
	first := bits.TrailingZeros64(sections)
	if bits.OnesCount64(sections) == 1 && value < codedValues && first < codedSections {
		return append(data, byte(int(value)*codedSections+first)) //nolint:gosec // below codeOther
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

// posting decodes one posting.
func (s *scanner) posting() (gap int, value, sections uint64) {
	gap = int(min(s.uvarint(), maxPages))
	switch code := int(s.byte()); {
	case code < codeOther:
		return gap, uint64(code / codedSections), 1 << (code % codedSections)
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
