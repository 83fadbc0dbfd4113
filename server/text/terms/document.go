package terms

import "math"

// IndexVersion is the version of the index format: an index of another version has to be rebuilt.
const IndexVersion = "5"

// MaxSections is the number of sections of a page that are distinguished; the last one includes all following.
const MaxSections = 40

// Section is a heading and the text below it.
type Section struct{ Title, Text string }

// Posting holds the occurrences of a term in a page: their number, and the sections that contain them.
type Posting struct {
	Term                  string
	Text, Headings, Title int    // number of occurrences
	Sections              uint64 // one bit for each of the first MaxSections
}

// maxCounted limits the counts of headings and titles.
const maxCounted = 1<<4 - 1

// Pack packs the counts. The result is small for a term with few occurrences and none in headings or titles.
func (p Posting) Pack() uint64 {
	if p.Headings == 0 && p.Title == 0 {
		return uint64(max(p.Text-1, 0)) << 1
	}
	return (uint64(max(p.Text, 0))<<8|uint64(max(min(p.Headings, maxCounted), 0))<<4|uint64(max(min(p.Title, maxCounted), 0)))<<1 | 1
}

// UnpackPosting returns the posting of a value that Pack returned.
func UnpackPosting(value, sections uint64) Posting {
	if value&1 == 0 {
		return Posting{Text: int(value>>1) + 1, Sections: sections}
	}
	value >>= 1
	return Posting{Text: int(value >> 8), Headings: int(value >> 4 & maxCounted), Title: int(value & maxCounted), Sections: sections}
}

// Lengths holds the numbers of words of a page.
type Lengths struct{ Text, Title int }

// maxTitle limits the words of a title that count.
const maxTitle = 1<<8 - 1

// Pack returns the lengths as one number, for UnpackLengths. The title is limited to maxTitle words.
func (l Lengths) Pack() uint64 {
	return uint64(max(l.Text, 0))<<8 | uint64(min(max(l.Title, 0), maxTitle))
}

// UnpackLengths returns the lengths of a value that Pack returned.
func UnpackLengths(value uint64) Lengths {
	return Lengths{Text: int(value >> 8), Title: int(value & maxTitle)}
}

// Document holds the data of a page that the index stores.
type Document struct {
	Lengths  Lengths
	Postings []Posting // unordered, each term once
	Words    []string  // folded words for prefix search: see TermOf
}

// The weight of a term in a page is a saturated count of its occurrences in the text (BM25 with a fixed average
// length), plus more for headings, and most for the title in proportion to the term's share of it.
const (
	saturation    = 1.2
	lengthEffect  = 0.4
	averageLength = 300.0 // words
	headingWeight = 2.0
	titleWeight   = 8.0
	weightScale   = 200
	maxWeight     = 1<<12 - 1
)

// Weight returns the weight of a term in a page: 1 to maxWeight.
func (p Posting) Weight(page Lengths) int {
	norm := 1 - lengthEffect + lengthEffect*float64(page.Text)/averageLength
	w := saturate(float64(p.Text), norm) + headingWeight*saturate(float64(p.Headings), 1)
	if p.Title > 0 {
		words := max(page.Title, 1)
		w += titleWeight * float64(min(p.Title, words)) / math.Sqrt(float64(words)) / float64(p.Title)
	}
	return min(max(int(math.Ceil(w*weightScale)), 1), maxWeight)
}

func saturate(n, norm float64) float64 { return n * (saturation + 1) / (n + saturation*norm) }

// Page is the input of Reader.Read.
type Page struct {
	Title       string
	Aliases     []string // other names of the page, whose words count like those of headings
	Description string
	Sections    []Section
}

// Reader extracts the terms of pages. It caches words across pages and must be used by one goroutine only.
type Reader struct {
	words      wordTable      // word -> number
	known      []knownWord    // by number
	terms      map[string]int // term -> number
	termCounts []counts       // by term
	page       int
	pageWords  []string // words of the current page
	pageTerms  []int    // terms of the current page
}

// knownWord is a cached word.
type knownWord struct {
	word Word
	term int
	page int // last page that contained it
}

// counts holds the occurrences of a term.
type counts struct {
	Posting
	page int // last page that contained it
}

// maxKnown limits the words that a Reader caches.
const maxKnown = 1 << 17

// Read returns the terms of a page.
func (r *Reader) Read(p Page) Document {
	if r.terms == nil || len(r.known) > maxKnown {
		*r = Reader{words: newWordTable(), terms: map[string]int{}}
	}
	r.page++
	r.pageTerms, r.pageWords = r.pageTerms[:0], nil
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
	d.Words = r.pageWords
	d.Postings = make([]Posting, 0, len(r.pageTerms))
	for _, term := range r.pageTerms {
		d.Postings = append(d.Postings, r.termCounts[term].Posting)
	}
	return d
}

// TermOf returns the term of a folded word, from the cache if the word was read before.
func (r *Reader) TermOf(folded string) string {
	if r.terms == nil {
		return TermOf(folded)
	}
	if slot := r.words.find([]byte(folded)); slot.number >= 0 && r.known[slot.number].word.Folded == folded {
		return r.known[slot.number].word.Term
	}
	return TermOf(folded)
}

// read cuts a text into words, passes the posting of each word's term to note, and returns the number of words.
func (r *Reader) read(text string, note func(*Posting)) (words int) {
	eachWord(text, func(folded []byte) {
		slot := r.words.find(folded)
		if slot.number < 0 {
			slot = r.words.add(slot, string(folded), r.addWord(plainWord(string(folded))))
		}
		words += r.countWord(slot.number, note)
	}, func(w Word) {
		key := []byte(w.Folded + "\x00" + w.Term)
		slot := r.words.find(key)
		if slot.number < 0 {
			slot = r.words.add(slot, string(key), r.addWord(w))
		}
		words += r.countWord(slot.number, note)
	})
	return words
}

// addWord adds a word to the cache and returns its number.
func (r *Reader) addWord(w Word) int {
	term, ok := r.terms[w.Term]
	if !ok {
		term = len(r.termCounts)
		r.terms[w.Term] = term
		r.termCounts = append(r.termCounts, counts{})
	}
	r.known = append(r.known, knownWord{word: w, term: term})
	return len(r.known) - 1
}

// countWord counts an occurrence of the word with number n: it passes the posting of its term to note and returns 1. It returns
// 0 for a word without a term.
func (r *Reader) countWord(n int, note func(*Posting)) int {
	w := &r.known[n]
	if w.word.Term == "" {
		return 0
	}
	c := &r.termCounts[w.term]
	if c.page != r.page {
		*c = counts{Posting{Term: w.word.Term}, r.page}
		r.pageTerms = append(r.pageTerms, w.term)
	}
	note(&c.Posting)
	if w.page != r.page {
		w.page = r.page
		r.pageWords = append(r.pageWords, w.word.Folded)
	}
	return 1
}
