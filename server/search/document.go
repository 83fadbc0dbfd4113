package search

import "math"

// Form names what is made of a text here: an index of another form has to be
// built anew.
const Form = "3"

// MaxSections is how many sections of a page are told apart; the last of them
// stands for all that follow.
const MaxSections = 40

// Section is a heading and the text below it.
type Section struct{ Title, Text string }

// Posting is what a page has of a term: how much the page weighs for it, and
// which of its sections have it. It is exact as the score of a sorted set.
type Posting struct {
	Weight   int    // 1 to maxWeight
	Sections uint64 // a bit for each of the first MaxSections
}

const maxWeight = 1<<12 - 1

// Score packs a posting so that heavier ones are greater.
func (p Posting) Score() float64 {
	return float64(uint64(min(max(p.Weight, 1), maxWeight))<<MaxSections | p.Sections)
}

// Unpack is the reverse of Score.
func Unpack(score float64) Posting { return unpack(uint64(score)) }

func unpack(packed uint64) Posting {
	return Posting{Weight: int(packed >> MaxSections), Sections: packed & (1<<MaxSections - 1)}
}

// Document is a page as the index has it.
type Document struct {
	Postings map[string]Posting // by term
	Words    map[string]string  // folded word -> term
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
)

// counts are how often a page has a term.
type counts struct {
	text, headings, title int
	sections              uint64
}

// NewDocument reads a page.
func NewDocument(title, description string, sections []Section) Document {
	d := Document{Postings: map[string]Posting{}, Words: map[string]string{}}
	found, length := map[string]*counts{}, 0
	read := func(text string, note func(*counts)) (words int) {
		for _, w := range Words(text, true) {
			c := found[w.Term]
			if c == nil {
				c = &counts{}
				found[w.Term] = c
			}
			note(c)
			d.Words[w.Folded] = w.Term
			words++
		}
		return words
	}
	titleWords := read(title, func(c *counts) { c.title++ })
	read(description, func(c *counts) { c.headings++ })
	for i, section := range sections {
		bit := uint64(1) << min(i, MaxSections-1)
		read(section.Title, func(c *counts) { c.headings++; c.sections |= bit })
		length += read(section.Text, func(c *counts) { c.text++; c.sections |= bit })
	}
	for term, c := range found {
		d.Postings[term] = Posting{Weight: c.weight(length, titleWords), Sections: c.sections}
	}
	return d
}

func (c counts) weight(length, titleWords int) int {
	norm := 1 - lengthEffect + lengthEffect*float64(length)/usualLength
	w := saturate(float64(c.text), norm) + ofHeading*saturate(float64(c.headings), 1)
	if c.title > 0 {
		w += ofTitle * float64(min(c.title, titleWords)) / math.Sqrt(float64(titleWords)) / float64(c.title)
	}
	return int(math.Ceil(w * unitsPerOne))
}

func saturate(n, norm float64) float64 { return n * (saturation + 1) / (n + saturation*norm) }
