package postings

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A segment is the immutable packed index of some pages. It is a HASH of blocks, each with sorted keys and their
// values: terms with postings, words, reversed words, and page sections. The manifest lists the segments and the
// first key of each block, so that a search reads only the blocks it needs. A changed or removed page is marked as
// deleted in its segment in the manifest, and indexed in a newer segment. Small segments are merged to limit their
// number: see Indexer.

const (
	// blockBytes is the maximum size of a block: with the overhead of Redis it fills a size class of the allocator.
	blockBytes = 4060
	// maxPages is the maximum number of pages in a segment.
	maxPages = 1 << 24
)

// Kinds of blocks. A field of the HASH is a kind and a number.
const (
	termBlocks = iota
	wordBlocks
	reversedBlocks
	sectionBlocks
	blockKinds
)

// tableField is the field of the page table of a segment.
const tableField = "p"

// field returns the field name of a block.
func field(kind, number int) string {
	return "twri"[kind:kind+1] + strconv.FormatInt(int64(number), 36)
}

// segment is the entry of a segment in the manifest.
type segment struct {
	number    int
	pages     int
	bytes     int
	deleted   []int                // deleted pages, sorted
	firstKeys [blockKinds][]string // first keys of the blocks
}

// livePages returns the number of pages that are not deleted.
func (s *segment) livePages() int { return s.pages - len(s.deleted) }

func (s *segment) isDeleted(page int) bool {
	_, dead := slices.BinarySearch(s.deleted, page)
	return dead
}

// markDeleted marks a page as deleted.
func (s *segment) markDeleted(page int) {
	if index, dead := slices.BinarySearch(s.deleted, page); !dead {
		s.deleted = slices.Insert(slices.Clone(s.deleted), index, page)
	}
}

// blocks returns the range of block numbers that may contain keys between from and to.
func (s *segment) blocks(kind int, from, to string) (first, end int) {
	first, exact := slices.BinarySearch(s.firstKeys[kind], from)
	if !exact && first > 0 {
		first--
	}
	end, exact = slices.BinarySearch(s.firstKeys[kind], to)
	if exact {
		end++
	}
	return first, end
}

// pageRow is a page in the page table of a segment.
type pageRow struct {
	id          string
	fingerprint string
	info        uint64
}

// builder builds a segment.
type builder struct {
	pages    []pageRow
	sections [][]byte
	terms    map[string]*postingList
	words    map[string]bool
}

// postingList is the encoded postings of a term.
type postingList struct {
	last int
	data []byte
}

func newBuilder() *builder {
	return &builder{terms: map[string]*postingList{}, words: map[string]bool{}}
}

// addPage adds a page and returns its number.
func (b *builder) addPage(row pageRow, shown []byte) int {
	b.pages, b.sections = append(b.pages, row), append(b.sections, shown)
	return len(b.pages) - 1
}

// addPosting adds a posting. The pages of a term must be ascending.
func (b *builder) addPosting(term string, page int, value, sections uint64) {
	l := b.terms[term]
	if l == nil {
		l = &postingList{last: -1}
		b.terms[term] = l
	}
	l.data = appendPosting(l.data, page-l.last-1, value, sections)
	l.last = page
}

// add adds a page with its sections and the postings of its terms, but not its words: see addWords.
func (b *builder) add(c Change) {
	n := b.addPage(pageRow{c.Page, c.Fingerprint, c.Info}, c.Sections)
	for _, has := range c.Terms {
		b.addPosting(has.Term, n, has.Value, has.Sections)
	}
}

// addWords adds words.
func (b *builder) addWords(words []string) {
	for _, word := range words {
		b.words[word] = true
	}
}

// build returns the segment and the fields of its HASH.
func (b *builder) build(number int) (*segment, map[string][]byte) {
	p := packer{segment: &segment{number: number, pages: len(b.pages)}, fields: map[string][]byte{}}
	for _, term := range slices.Sorted(maps.Keys(b.terms)) {
		data := b.terms[term].data
		p.put(termBlocks, term, data, true)
	}
	p.flush(termBlocks)
	words := slices.Sorted(maps.Keys(b.words))
	for _, word := range words {
		p.put(wordBlocks, word, nil, false)
	}
	p.flush(wordBlocks)
	reversed := make([]string, 0, len(words))
	for _, word := range words {
		if utf8.RuneCountInString(word) >= MinSimilar {
			reversed = append(reversed, Reverse(word))
		}
	}
	slices.Sort(reversed)
	for _, word := range reversed {
		p.put(reversedBlocks, word, nil, false)
	}
	p.flush(reversedBlocks)
	for n, shown := range b.sections {
		p.put(sectionBlocks, sectionsKey(n), shown, true)
	}
	p.flush(sectionBlocks)
	p.fields[tableField] = encodeTable(b.pages)
	for _, data := range p.fields {
		p.segment.bytes += len(data)
	}
	return p.segment, p.fields
}

// sectionsKey returns the key of the sections of a page.
func sectionsKey(page int) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(min(max(page, 0), maxPages)))[1:])
}

// packer packs entries into blocks.
type packer struct {
	segment *segment
	fields  map[string][]byte
	block   []byte
	first   string
	last    string
}

// put adds a key, with its value if keys of its kind have values.
func (p *packer) put(kind int, key string, value []byte, valued bool) {
	if len(p.block) > 0 && len(p.block)+len(key)+len(value)+4 > blockBytes {
		p.flush(kind)
	}
	if len(p.block) == 0 {
		p.first, p.last = key, ""
	}
	p.block = appendKey(p.block, p.last, key)
	if valued {
		p.block = append(binary.AppendUvarint(p.block, uint64(len(value))), value...)
	}
	p.last = key
}

// flush adds the current block to the fields of the segment and its first key to the manifest entry. It does nothing if the
// block is empty.
func (p *packer) flush(kind int) {
	if len(p.block) == 0 {
		return
	}
	firsts := &p.segment.firstKeys[kind]
	p.fields[field(kind, len(*firsts))] = p.block
	*firsts = append(*firsts, p.first)
	p.block = nil
}

// encodeTable returns the stored form of the page table of a segment.
func encodeTable(pages []pageRow) []byte {
	var data []byte
	before := ""
	for _, row := range pages {
		data = appendKey(data, before, row.id)
		data = append(data, row.fingerprint...)
		data = binary.AppendUvarint(data, row.info)
		before = row.id
	}
	return data
}

// decodeTable parses a page table.
func decodeTable(data []byte, pages int) ([]pageRow, error) {
	s := scanner{data: data}
	rows := make([]pageRow, 0, min(pages, len(data)))
	for s.more() {
		id := string(s.next())
		rows = append(rows, pageRow{id, string(s.bytes(FingerprintSize)), s.uvarint()})
	}
	if len(rows) != pages {
		s.fail()
	}
	return rows, s.err("a table of pages")
}
