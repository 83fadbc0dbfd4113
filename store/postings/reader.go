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

// MinNear is how many characters a word has at least that View.Near finds.
const MinNear = 4

// What one lookup of words reads of a segment at most.
const (
	beginningBlocks = 4
	nearBlocks      = 8
)

// ReadState reads what the search index of a space reflects, or the directory of
// an organization; a state without a form if there is none, or none that can be
// read: the index is built anew then.
func ReadState(b *txn.Batch, space string) *txn.Reply[State] {
	return txn.Queue(b, keysOf("", space).state(), redis.StringKind, func(ctx context.Context, name string) (goredis.Cmder, func() (State, bool)) {
		reply := b.Pipe.Get(ctx, name)
		return reply, func() (State, bool) {
			return parseState(reply.Val()), true
		}
	})
}

// View is the search index of a space as one manifest has it: a search looks words
// up in it. It never changes. Its pages are numbered from 0.
type View struct {
	keys    keys
	m       *manifest
	offsets []int // of the segments, and behind them the number of all pages
}

// ViewReply is a View that a Batch reads.
type ViewReply struct {
	space string
	reply *txn.Reply[string]
}

// ReadView reads the view of a space's index.
func ReadView(b *txn.Batch, space string) ViewReply {
	return ViewReply{space, b.Value(keysOf("", space).manifest())}
}

// Get returns the view; what cannot be read is an ErrCorrupt.
func (r ViewReply) Get() (*View, error) {
	m, err := decodeManifest(r.reply.Value())
	if err != nil {
		return nil, err
	}
	v := &View{keys: keysOf("", r.space), m: m, offsets: []int{0}}
	for i, s := range m.segments {
		v.offsets = append(v.offsets, v.offsets[i]+s.pages)
	}
	return v, nil
}

// Bytes is what the view takes in memory, roughly.
func (v *View) Bytes() int {
	size := 0
	for _, s := range v.m.segments {
		size += 160 + 8*len(s.dead)
		for _, firsts := range s.firsts {
			size += 32 * len(firsts)
		}
	}
	return size
}

// fields are fields of segments that a Batch reads.
type fields struct {
	view    *View
	asked   [][]string // by segment
	replies []func() map[string]string
}

// read queues the fields that one asks of each segment.
func (v *View) read(b *txn.Batch, ask func(s *segment) []string) fields {
	f := fields{view: v}
	for _, s := range v.m.segments {
		names := ask(s)
		f.asked = append(f.asked, names)
		f.replies = append(f.replies, b.Fields(v.keys.segment(s.number), names...).Value)
	}
	return f
}

// each gives what was read to use, in order. It is ErrStale where a segment has gone meanwhile.
func (f fields) each(use func(i int, s *segment, name string, x *scanner)) error {
	for i, s := range f.view.m.segments {
		found := f.replies[i]()
		for _, name := range f.asked[i] {
			text, there := found[name]
			if !there {
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
	ID   string // "" where it is struck out
	Info uint64 // see Change
}

// Pages are the pages of a View, by number.
type Pages struct{ fields }

// Pages reads the pages.
func (v *View) Pages(b *txn.Batch) Pages {
	return Pages{v.read(b, func(*segment) []string { return []string{tableField} })}
}

// Get returns them. It is ErrStale where the index has gone on.
func (p Pages) Get() ([]PageRow, error) {
	pages := make([]PageRow, p.view.offsets[len(p.view.offsets)-1])
	err := p.each(func(i int, s *segment, _ string, x *scanner) {
		rows, err := decodeTable(x.data, s.pages)
		if err != nil {
			x.fail()
			return
		}
		for n, row := range rows {
			if !s.isDead(n) {
				pages[p.view.offsets[i]+n] = PageRow{row.id, row.info}
			}
		}
	})
	return pages, err
}

// Posting is what a page has of a term.
type Posting struct {
	Page            int // number in the View
	Value, Sections uint64
}

// Lookup are the postings of terms that a Batch reads.
type Lookup struct {
	fields
	wanted map[string]bool
}

// Terms reads the postings of terms.
func (v *View) Terms(b *txn.Batch, terms []string) Lookup {
	l := Lookup{wanted: map[string]bool{}}
	for _, term := range terms {
		l.wanted[term] = true
	}
	l.fields = v.read(b, func(s *segment) (names []string) {
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

// Get returns the postings by term, in the order of the pages. It is ErrStale where the index has gone on.
func (l Lookup) Get() (map[string][]Posting, error) {
	found := make(map[string][]Posting, len(l.wanted))
	err := l.each(func(i int, s *segment, _ string, x *scanner) {
		for x.more() {
			term := x.next()
			data := x.bytes(x.count())
			if l.wanted[string(term)] {
				list := scanner{data: data}
				found[string(term)] = list.postings(found[string(term)], s, l.view.offsets[i])
				if list.failed {
					x.fail()
				}
			}
		}
	})
	return found, err
}

// postings adds the postings of pages that are not struck out.
func (s *scanner) postings(found []Posting, of *segment, offset int) []Posting {
	for page := -1; s.more(); {
		gap, value, sections := s.posting()
		page += gap + 1
		if page >= of.pages {
			s.fail()
			return nil
		}
		if !of.isDead(page) {
			found = append(found, Posting{offset + page, value, sections})
		}
	}
	return found
}

// Words are words of an index that a Batch reads. Some may be there that no page
// has any more.
type Words struct {
	fields
	kept func(word string) bool
}

// Beginning reads the first words that begin with a prefix: some hundreds where there
// are so many.
func (v *View) Beginning(b *txn.Batch, prefix string) Words {
	return Words{
		fields: v.read(b, func(s *segment) []string { return s.begun(wordBlocks, prefix, beginningBlocks) }),
		kept:   func(word string) bool { return len(word) >= len(prefix) && word[:len(prefix)] == prefix },
	}
}

// Near reads words that begin or end with the given halves, and one whole word, if
// they are kept. Where too many have one of them, it reads some.
func (v *View) Near(b *txn.Batch, beginning, ending, whole string, kept func(word string) bool) Words {
	return Words{
		fields: v.read(b, func(s *segment) []string {
			names := append(s.begun(wordBlocks, beginning, nearBlocks), s.begun(reversedBlocks, Reversed(ending), nearBlocks)...)
			if first, end := s.blocks(wordBlocks, whole, whole); first < end {
				names = append(names, field(wordBlocks, first))
			}
			slices.Sort(names)
			return slices.Compact(names)
		}),
		kept: kept,
	}
}

// begun names the blocks that have keys with a prefix, at most so many.
func (s *segment) begun(kind int, prefix string, most int) (names []string) {
	first, end := s.blocks(kind, prefix, prefix+"\xff")
	for n := first; n < min(end, first+most); n++ {
		names = append(names, field(kind, n))
	}
	return names
}

// Get returns the words in order. It is ErrStale where the index has gone on.
func (w Words) Get() ([]string, error) {
	var words []string
	err := w.each(func(_ int, _ *segment, name string, x *scanner) {
		for x.more() {
			word := string(x.next())
			if name[0] == field(reversedBlocks, 0)[0] {
				word = Reversed(word)
			}
			if w.kept(word) {
				words = append(words, word)
			}
		}
	})
	sort.Strings(words)
	return slices.Compact(words), err
}

// Reversed is a word from its end to its beginning.
func Reversed(word string) string {
	data := make([]byte, 0, len(word))
	for len(word) > 0 {
		_, size := utf8.DecodeLastRuneInString(word)
		data = append(data, word[len(word)-size:]...)
		word = word[:len(word)-size]
	}
	return string(data)
}

// Shown is what Put was given to show pages with, as a Batch reads it.
type Shown struct {
	fields
	wanted map[int]bool // numbers in the View
}

// Shown reads what pages are shown with.
func (v *View) Shown(b *txn.Batch, pages []int) Shown {
	x := Shown{wanted: map[int]bool{}}
	for _, page := range pages {
		x.wanted[page] = true
	}
	i := -1
	x.fields = v.read(b, func(s *segment) (names []string) {
		i++
		for _, page := range pages {
			if n := page - v.offsets[i]; n >= 0 && n < s.pages {
				first, _ := s.blocks(shownBlocks, shownKey(n), shownKey(n))
				names = append(names, field(shownBlocks, first))
			}
		}
		slices.Sort(names)
		return slices.Compact(names)
	})
	return x
}

// Get returns it by the number of the page. It is ErrStale where the index has gone on.
func (x Shown) Get() (map[int][]byte, error) {
	found := make(map[int][]byte, len(x.wanted))
	err := x.each(func(i int, _ *segment, _ string, s *scanner) {
		for s.more() {
			n := x.view.offsets[i] + numberOf(s.next())
			if data := s.bytes(s.count()); x.wanted[n] {
				found[n] = data
			}
		}
	})
	return found, err
}

// numberOf is the reverse of shownKey.
func numberOf(key []byte) (n int) {
	for _, b := range key {
		n = n<<8 | int(b)
	}
	return n
}
