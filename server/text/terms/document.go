package terms

import "math"

// Form names what is made of a text here: an index of another form has to be
// built anew.
const Form = "5"

// MaxSections is how many sections of a page are told apart; the last of them
// stands for all that follow.
const MaxSections = 40

// Section is a heading and the text below it.
type Section struct{ Title, Text string }

// Posting is what a page has of a term: how often, and which of its sections have
// it.
type Posting struct {
	Term                  string
	Text, Headings, Title int    // how often
	Sections              uint64 // a bit for each of the first MaxSections
}

// maxCounted bounds how often a heading or title is said to have a term.
const maxCounted = 1<<4 - 1

// Value packs how often: what the text alone has, seldom, is a small number.
func (p Posting) Value() uint64 {
	if p.Headings == 0 && p.Title == 0 {
		return uint64(max(p.Text-1, 0)) << 1
	}
	return (uint64(max(p.Text, 0))<<8|uint64(max(min(p.Headings, maxCounted), 0))<<4|uint64(max(min(p.Title, maxCounted), 0)))<<1 | 1
}

// Unpack is the reverse of Value.
func Unpack(value, sections uint64) Posting {
	if value&1 == 0 {
		return Posting{Text: int(value>>1) + 1, Sections: sections}
	}
	value >>= 1
	return Posting{Text: int(value >> 8), Headings: int(value >> 4 & maxCounted), Title: int(value & maxCounted), Sections: sections}
}

// Lengths are how many words a page has.
type Lengths struct{ Text, Title int }

// maxTitle bounds the words of a title that count.
const maxTitle = 1<<8 - 1

// Value packs them.
func (l Lengths) Value() uint64 {
	return uint64(max(l.Text, 0))<<8 | uint64(min(max(l.Title, 0), maxTitle))
}

// UnpackLengths is the reverse of Value.
func UnpackLengths(value uint64) Lengths {
	return Lengths{Text: int(value >> 8), Title: int(value & maxTitle)}
}

// Document is a page as the index has it.
type Document struct {
	Lengths  Lengths
	Postings []Posting // in no order, each term once
	Words    []string  // as they are looked up by their beginning: see TermOf
}

// What a page weighs for a term: its own saturation of how often the text has
// the term (BM25, with a length that is taken for usual), more for headings,
// most for the title, the more of it the term is.
const (
	saturation   = 1.2
	lengthEffect = 0.4
	usualLength  = 300.0 // words
	ofHeading    = 2.0
	ofTitle      = 8.0
	unitsPerOne  = 200
	maxWeight    = 1<<12 - 1
)

// Weight is what a page weighs for a term: 1 to maxWeight.
func (p Posting) Weight(page Lengths) int {
	norm := 1 - lengthEffect + lengthEffect*float64(page.Text)/usualLength
	w := saturate(float64(p.Text), norm) + ofHeading*saturate(float64(p.Headings), 1)
	if p.Title > 0 {
		words := max(page.Title, 1)
		w += ofTitle * float64(min(p.Title, words)) / math.Sqrt(float64(words)) / float64(p.Title)
	}
	return min(max(int(math.Ceil(w*unitsPerOne)), 1), maxWeight)
}

func saturate(n, norm float64) float64 { return n * (saturation + 1) / (n + saturation*norm) }

// Page is what is read of a page.
type Page struct {
	Title       string
	Aliases     []string // what it is called besides: their words count as those of headings
	Description string
	Sections    []Section
}

// Reader reads pages. It remembers the words that it has met. It is used by one
// goroutine.
type Reader struct {
	met   wordTable      // words as they stand in a text, folded -> their number
	known []known        // by number
	terms map[string]int // -> their number
	found []counts       // by term
	page  int
	out   []string // words of this page
	has   []int    // terms of this page
}

// known is a word by its number.
type known struct {
	word Word
	term int
	page int // that had it last
}

// counts are what a page has of a term.
type counts struct {
	Posting
	page int // that had it last
}

// maxKnown bounds the words that a Reader remembers.
const maxKnown = 1 << 17

// Read reads a page.
func (r *Reader) Read(p Page) Document {
	if r.terms == nil || len(r.known) > maxKnown {
		*r = Reader{met: newWordTable(), terms: map[string]int{}}
	}
	r.page++
	r.has, r.out = r.has[:0], nil
	d := Document{}
	d.Lengths.Title = r.read(p.Title, func(c *Posting) { c.Title++ })
	for _, alias := range p.Aliases {
		r.read(alias, func(c *Posting) {
			if c.Title == 0 {
				c.Headings = max(c.Headings, 1)
			}
		})
	}
	r.read(p.Description, func(c *Posting) { c.Headings++ })
	for i, section := range p.Sections {
		bit := uint64(1) << min(i, MaxSections-1)
		r.read(section.Title, func(c *Posting) { c.Headings++; c.Sections |= bit })
		d.Lengths.Text += r.read(section.Text, func(c *Posting) { c.Text++; c.Sections |= bit })
	}
	d.Words = r.out
	d.Postings = make([]Posting, 0, len(r.has))
	for _, term := range r.has {
		d.Postings = append(d.Postings, r.found[term].Posting)
	}
	return d
}

// TermOf is the term of a folded word, which is known where the word was met.
func (r *Reader) TermOf(folded string) string {
	if r.terms == nil {
		return TermOf(folded)
	}
	if slot := r.met.find([]byte(folded)); slot.number >= 0 && r.known[slot.number].word.Folded == folded {
		return r.known[slot.number].word.Term
	}
	return TermOf(folded)
}

// read notes the words of a text.
func (r *Reader) read(text string, note func(*Posting)) (words int) {
	cut(text, func(folded []byte) {
		slot := r.met.find(folded)
		if slot.number < 0 {
			slot = r.met.add(slot, string(folded), r.number(plainWord(string(folded))))
		}
		words += r.note(slot.number, note)
	}, func(w Word) {
		key := []byte(w.Folded + "\x00" + w.Term)
		slot := r.met.find(key)
		if slot.number < 0 {
			slot = r.met.add(slot, string(key), r.number(w))
		}
		words += r.note(slot.number, note)
	})
	return words
}

// number is that of a word that is met for the first time.
func (r *Reader) number(w Word) int {
	term, ok := r.terms[w.Term]
	if !ok {
		term = len(r.found)
		r.terms[w.Term] = term
		r.found = append(r.found, counts{})
	}
	r.known = append(r.known, known{word: w, term: term})
	return len(r.known) - 1
}

// note counts a word.
func (r *Reader) note(n int, note func(*Posting)) int {
	w := &r.known[n]
	if w.word.Term == "" {
		return 0
	}
	c := &r.found[w.term]
	if c.page != r.page {
		*c = counts{Posting{Term: w.word.Term}, r.page}
		r.has = append(r.has, w.term)
	}
	note(&c.Posting)
	if w.page != r.page {
		w.page = r.page
		r.out = append(r.out, w.word.Folded)
	}
	return 1
}
