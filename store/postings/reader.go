package postings

import (
	"context"
	"slices"
	"sort"
	"unicode/utf8"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MinSimilar is the minimum length in characters of the words that View.Similar finds.
const MinSimilar = 4

// Maximum number of blocks that one word lookup reads of a segment.
const (
	maxPrefixBlocks  = 4
	maxSimilarBlocks = 8
)

// ReadState queues the read of the state of a space's search index or of an organization's directory. If there is
// none or it is invalid, the result has no version and the index is rebuilt.
func ReadState(b *txn.Batch, space string) *txn.Reply[State] {
	return txn.Queue(b, keysOf("", space).state(), redis.StringKind, func(
		ctx context.Context, name string,
	) (goredis.Cmder, func() (State, bool)) {
		reply := b.Pipe.Get(ctx, name)
		return reply, func() (State, bool) {
			return parseState(reply.Val()), true
		}
	})
}

// View is the search index of a space for one manifest. It is immutable. Its pages are numbered from 0.
type View struct {
	keys     keys
	manifest *manifest
	offsets  []int // first page number of each segment, then the number of all pages
}

// ViewReply is the read of a View by a Batch.
type ViewReply struct {
	space string
	reply *txn.Reply[string]
}

// ReadView queues the read of the view of a space's index.
func ReadView(b *txn.Batch, space string) ViewReply {
	return ViewReply{space, b.Value(keysOf("", space).manifest())}
}

// Get returns the view, or an ErrCorrupt if it is invalid.
func (r ViewReply) Get() (*View, error) {
	m, err := decodeManifest(r.reply.Value())
	if err != nil {
		return nil, err
	}
	v := &View{keys: keysOf("", r.space), manifest: m, offsets: []int{0}}
	for i, s := range m.segments {
		v.offsets = append(v.offsets, v.offsets[i]+s.pages)
	}
	return v, nil
}

// Bytes returns the approximate memory use of the view.
func (v *View) Bytes() int {
	size := 0
	for _, s := range v.manifest.segments {
		size += 160 + 8*len(s.deleted)
		for _, firsts := range s.firstKeys {
			size += 32 * len(firsts)
		}
	}
	return size
}

// fieldRead is the read of segment fields by a Batch.
type fieldRead struct {
	view    *View
	names   [][]string // requested fields by segment
	replies []func() map[string]string
}

// read queues the fields that ask returns for each segment.
func (v *View) read(b *txn.Batch, ask func(s *segment) []string) fieldRead {
	f := fieldRead{view: v}
	for _, s := range v.manifest.segments {
		names := ask(s)
		f.names = append(f.names, names)
		f.replies = append(f.replies, b.Fields(v.keys.segment(s.number), names...).Value)
	}
	return f
}

// each calls use with each field in order. It returns ErrStale if a segment was removed concurrently.
func (f fieldRead) each(use func(i int, s *segment, name string, x *scanner)) error {
	for i, s := range f.view.manifest.segments {
		fields := f.replies[i]()
		for _, name := range f.names[i] {
			text, ok := fields[name]
			if !ok {
				return redis.ErrStale
			}
			x := scanner{data: []byte(text)}
			use(i, s, name, &x)
			if err := x.err("a block"); err != nil {
				return err
			}
		}
	}
	return nil
}

// PageRow is a page of a View.
type PageRow struct {
	ID   string // "" if it was deleted
	Info uint64 // see Change
}

// Pages is the read of the pages of a View, by number.
type Pages struct{ fieldRead }

// Pages queues the read of the pages.
func (v *View) Pages(b *txn.Batch) Pages {
	return Pages{v.read(b, func(*segment) []string { return []string{tableField} })}
}

// Get returns the pages, or ErrStale if the index was updated concurrently.
func (p Pages) Get() ([]PageRow, error) {
	pages := make([]PageRow, p.view.offsets[len(p.view.offsets)-1])
	err := p.each(func(i int, s *segment, _ string, x *scanner) {
		rows, err := decodeTable(x.data, s.pages)
		if err != nil {
			x.fail()
			return
		}
		for n, row := range rows {
			if !s.isDeleted(n) {
				pages[p.view.offsets[i]+n] = PageRow{row.id, row.info}
			}
		}
	})
	return pages, err
}

// Posting is the occurrence of a term in a page.
type Posting struct {
	Page            int // number in the View
	Value, Sections uint64
}

// Lookup is the read of the postings of terms by a Batch.
type Lookup struct {
	fieldRead
	wanted map[string]bool
}

// Terms queues the read of the postings of terms.
func (v *View) Terms(b *txn.Batch, terms []string) Lookup {
	l := Lookup{wanted: map[string]bool{}}
	for _, term := range terms {
		l.wanted[term] = true
	}
	l.fieldRead = v.read(b, func(s *segment) (names []string) {
		for _, term := range terms {
			if first, end := s.blocks(termBlocks, term, term); first < end {
				names = append(names, field(termBlocks, first))
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	})
	return l
}

// Get returns the postings by term in page order, or ErrStale if the index was updated concurrently.
func (l Lookup) Get() (map[string][]Posting, error) {
	postings := make(map[string][]Posting, len(l.wanted))
	err := l.each(func(i int, s *segment, _ string, x *scanner) {
		for x.more() {
			term := x.next()
			data := x.bytes(x.count())
			if l.wanted[string(term)] {
				list := scanner{data: data}
				postings[string(term)] = list.postings(postings[string(term)], s, l.view.offsets[i])
				if list.failed {
					x.fail()
				}
			}
		}
	})
	return postings, err
}

// postings appends the postings of pages that were not deleted.
func (s *scanner) postings(list []Posting, of *segment, offset int) []Posting {
	for page := -1; s.more(); {
		gap, value, sections := s.posting()
		page += gap + 1
		if page >= of.pages {
			s.fail()
			return nil
		}
		if !of.isDeleted(page) {
			list = append(list, Posting{offset + page, value, sections})
		}
	}
	return list
}

// Words is the read of index words by a Batch. They may include words that no page contains any more.
type Words struct {
	fieldRead
	match func(word string) bool
}

// WithPrefix queues the read of the first words with a prefix, at most some hundreds.
func (v *View) WithPrefix(b *txn.Batch, prefix string) Words {
	return Words{
		fieldRead: v.read(b, func(s *segment) []string { return s.prefixBlocks(wordBlocks, prefix, maxPrefixBlocks) }),
		match:     func(word string) bool { return len(word) >= len(prefix) && word[:len(prefix)] == prefix },
	}
}

// Similar queues the read of words that begin with beginning or end with ending, and of the word whole, filtered by match. It
// reads only some of them if there are too many.
func (v *View) Similar(b *txn.Batch, beginning, ending, whole string, match func(word string) bool) Words {
	return Words{
		fieldRead: v.read(b, func(s *segment) []string {
			names := append(s.prefixBlocks(wordBlocks, beginning, maxSimilarBlocks),
				s.prefixBlocks(reversedBlocks, Reverse(ending), maxSimilarBlocks)...)
			if first, end := s.blocks(wordBlocks, whole, whole); first < end {
				names = append(names, field(wordBlocks, first))
			}
			slices.Sort(names)
			return slices.Compact(names)
		}),
		match: match,
	}
}

// prefixBlocks returns the names of at most most blocks that contain keys with a prefix.
func (s *segment) prefixBlocks(kind int, prefix string, most int) (names []string) {
	first, end := s.blocks(kind, prefix, prefix+"\xff")
	for n := first; n < min(end, first+most); n++ {
		names = append(names, field(kind, n))
	}
	return names
}

// Get returns the words sorted, or ErrStale if the index was updated concurrently.
func (w Words) Get() ([]string, error) {
	var words []string
	err := w.each(func(_ int, _ *segment, name string, x *scanner) {
		for x.more() {
			word := string(x.next())
			if name[0] == field(reversedBlocks, 0)[0] {
				word = Reverse(word)
			}
			if w.match(word) {
				words = append(words, word)
			}
		}
	})
	sort.Strings(words)
	return slices.Compact(words), err
}

// Reverse returns the characters of a word in reverse order.
func Reverse(word string) string {
	data := make([]byte, 0, len(word))
	for len(word) > 0 {
		_, size := utf8.DecodeLastRuneInString(word)
		data = append(data, word[len(word)-size:]...)
		word = word[:len(word)-size]
	}
	return string(data)
}

// PageSections is the read of Change.Sections of pages by a Batch.
type PageSections struct {
	fieldRead
	wanted map[int]bool // page numbers in the View
}

// Sections queues the read of Change.Sections of pages.
func (v *View) Sections(b *txn.Batch, pages []int) PageSections {
	x := PageSections{wanted: map[int]bool{}}
	for _, page := range pages {
		x.wanted[page] = true
	}
	i := -1
	x.fieldRead = v.read(b, func(s *segment) (names []string) {
		i++
		for _, page := range pages {
			if n := page - v.offsets[i]; n >= 0 && n < s.pages {
				first, _ := s.blocks(sectionBlocks, sectionsKey(n), sectionsKey(n))
				names = append(names, field(sectionBlocks, first))
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	})
	return x
}

// Get returns the sections by page number, or ErrStale if the index was updated concurrently.
func (x PageSections) Get() (map[int][]byte, error) {
	sections := make(map[int][]byte, len(x.wanted))
	err := x.each(func(i int, _ *segment, _ string, s *scanner) {
		for s.more() {
			n := x.view.offsets[i] + parseSectionsKey(s.next())
			if data := s.bytes(s.count()); x.wanted[n] {
				sections[n] = data
			}
		}
	})
	return sections, err
}

// parseSectionsKey returns the page of a key that sectionsKey returned.
func parseSectionsKey(key []byte) (n int) {
	for _, b := range key {
		n = n<<8 | int(b)
	}
	return n
}
