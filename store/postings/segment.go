package postings

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// A segment is the packed index of some pages: it never changes. It is a HASH of blocks, of which each has keys in
// order with what belongs to them: terms with their postings, words, words from their ends, and what is kept of pages.
// The manifest names the segments and the first key of each block, so that a search reads only the blocks that it
// needs. A page that is changed or gone is struck out of its segment there, and indexed in a newer segment. Small
// segments are joined as they come, so that there are few: see Indexer.

const (
	// blockBytes is what a block may have: with what Redis adds it fills one of the sizes in which memory is given out.
	blockBytes = 4060
	// maxPages bounds the numbers of pages in a segment.
	maxPages = 1 << 24
)

// The kinds of blocks. A field of the HASH is a kind and a number.
const (
	termBlocks = iota
	wordBlocks
	reversedBlocks
	shownBlocks
	blockKinds
)

// tableField has the pages of a segment.
const tableField = "p"

// field names a block.
func field(kind, number int) string {
	return "twri"[kind:kind+1] + strconv.FormatInt(int64(number), 36)
}

// segment is what the manifest has of a segment.
type segment struct {
	number int
	pages  int
	bytes  int
	dead   []int                // pages that are struck out, sorted
	firsts [blockKinds][]string // keys of the blocks
}

// live is how many pages it has that are not struck out.
func (s *segment) live() int { return s.pages - len(s.dead) }

func (s *segment) isDead(page int) bool {
	_, dead := slices.BinarySearch(s.dead, page)
	return dead
}

// strike strikes a page out.
func (s *segment) strike(page int) {
	if at, dead := slices.BinarySearch(s.dead, page); !dead {
		s.dead = slices.Insert(slices.Clone(s.dead), at, page)
	}
}

// blocks are the numbers of the blocks that may have keys from one to another.
func (s *segment) blocks(kind int, from, to string) (first, end int) {
	first, exact := slices.BinarySearch(s.firsts[kind], from)
	if !exact && first > 0 {
		first--
	}
	end, exact = slices.BinarySearch(s.firsts[kind], to)
	if exact {
		end++
	}
	return first, end
}

// pageRow is a page in the table of a segment.
type pageRow struct {
	id          string
	fingerprint string
	info        uint64
}

// builder makes a segment.
type builder struct {
	pages []pageRow
	shown [][]byte
	terms map[string]*list
	words map[string]bool
}

// list are postings of a term.
type list struct {
	last int
	data []byte
}

func newBuilder() *builder { return &builder{terms: map[string]*list{}, words: map[string]bool{}} }

// page begins a page and returns its number.
func (b *builder) page(row pageRow, shown []byte) int {
	b.pages, b.shown = append(b.pages, row), append(b.shown, shown)
	return len(b.pages) - 1
}

// post adds a posting. The pages of a term come in their order.
func (b *builder) post(term string, page int, value, sections uint64) {
	l := b.terms[term]
	if l == nil {
		l = &list{last: -1}
		b.terms[term] = l
	}
	l.data = appendPosting(l.data, page-l.last-1, value, sections)
	l.last = page
}

// add adds a page.
func (b *builder) add(c Change) {
	n := b.page(pageRow{c.Page, c.Fingerprint, c.Info}, c.Sections)
	for _, has := range c.Terms {
		b.post(has.Term, n, has.Value, has.Sections)
	}
}

// note adds words.
func (b *builder) note(words []string) {
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
		if utf8.RuneCountInString(word) >= MinNear {
			reversed = append(reversed, Reversed(word))
		}
	}
	slices.Sort(reversed)
	for _, word := range reversed {
		p.put(reversedBlocks, word, nil, false)
	}
	p.flush(reversedBlocks)
	for n, shown := range b.shown {
		p.put(shownBlocks, shownKey(n), shown, true)
	}
	p.flush(shownBlocks)
	p.fields[tableField] = encodeTable(b.pages)
	for _, data := range p.fields {
		p.segment.bytes += len(data)
	}
	return p.segment, p.fields
}

// shownKey is the key of what is shown of a page.
func shownKey(page int) string {
	return string(binary.BigEndian.AppendUint32(nil, uint32(min(max(page, 0), maxPages)))[1:])
}

// packer fills blocks.
type packer struct {
	segment *segment
	fields  map[string][]byte
	block   []byte
	first   string
	last    string
}

// put adds a key, and what belongs to it where keys of its kind have that.
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

// flush ends a block.
func (p *packer) flush(kind int) {
	if len(p.block) == 0 {
		return
	}
	firsts := &p.segment.firsts[kind]
	p.fields[field(kind, len(*firsts))] = p.block
	*firsts = append(*firsts, p.first)
	p.block = nil
}

// encodeTable is the stored form of the pages of a segment.
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

// decodeTable is the reverse.
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
