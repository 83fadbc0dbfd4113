package content

import (
	"slices"
	"unicode"
)

// State says what became of the text that an anchor was made on.
type State string

// The states of an anchor.
const (
	Exact    State = "exact"    // its block is as it was
	Shifted  State = "shifted"  // the quote is as it was, its block was edited, cut or joined
	Fuzzy    State = "fuzzy"    // the quote was edited
	Moved    State = "moved"    // the quote is on another page
	Orphaned State = "orphaned" // the quote is gone
)

// Location is where the text of an anchor is now.
type Location struct {
	State State
	Score int    // how much of the quote is there, in percent
	Page  string // "" when orphaned, as all that follows
	Block string
	Start int // bytes in the page's text
	End   int
}

// orphan is the location of what is nowhere.
func orphan() Location { return Location{State: Orphaned} }

// Rules of what may be called the same text. An anchor that is lost is shown with
// its quote, one that is in the wrong place misleads: in doubt it is lost.
const (
	surelySame    = 75 // percent of its words at which an edited quote is not looked for elsewhere
	likelySame    = 60 // in the block that it was in
	strangerSame  = 80 // in a block that was not there before
	strangerLead  = 10 // by which the best of several such blocks has to lead
	strangerWords = 10 // that a quote needs to be looked for by its words in such a block
	telltaleWords = 8  // that a quote needs to be known again without the text around it
	telltaleBytes = 40
	knownMargin   = 24 // bytes of the text around it that make a place on its page known again
	movedMargin   = 32 // and one on another page
)

// Locate finds the anchor on its page. It is a function of its arguments alone.
// Where the answer is not settled, Elsewhere looks at other pages.
func (a Anchor) Locate(page *Versions) Location {
	q := newQuote(a)
	in := q.inItsBlock(page)
	if in.Settled() {
		return in
	}
	if spot, ok := q.fresh([]*Versions{page}, knownMargin); ok {
		return spot.location(Shifted, len(q.text))
	}
	if in.State != Orphaned {
		return in
	}
	return q.amongStrangers([]*Versions{page}, page, Fuzzy)
}

// Settled reports whether no other page could have a better claim.
func (l Location) Settled() bool {
	return l.State == Exact || l.State == Shifted || l.State == Fuzzy && l.Score >= surelySame
}

// Elsewhere looks for an anchor on other pages, those that have changed since it
// was made, when its own has no settled place for it; here is what Locate found.
func (a Anchor) Elsewhere(here Location, own *Versions, others []*Versions) Location {
	if here.Settled() {
		return here
	}
	q := newQuote(a)
	q.common = q.stoodBeside(own)
	for _, v := range others {
		q.common = q.common || q.stoodBeside(v)
	}
	if spot, ok := q.fresh(others, movedMargin); ok && !q.common {
		return spot.location(Moved, len(q.text))
	}
	if here.State != Orphaned {
		return here
	}
	return q.amongStrangers(others, own, Moved)
}

// quote is an anchor with its text as it is looked for.
type quote struct {
	Anchor
	text   []byte // squeezed
	words  int
	common bool // it stood in several places when the anchor was made
}

func newQuote(a Anchor) quote {
	q := quote{Anchor: a, text: squeeze([]byte(a.Quote)).text}
	eachWord(q.text, func(uint64, int, int) { q.words++ })
	return q
}

// telling reports whether the quote is enough to know it again.
func (q quote) telling() bool {
	return q.words >= telltaleWords && len(q.text) >= telltaleBytes && !q.common
}

// inItsBlock looks at the block that has the anchor's id.
func (q *quote) inItsBlock(v *Versions) Location {
	was, n := v.oldAt(q.Block), v.newAt(q.Block)
	if was == none || n == none || v.Then.Blocks[was].Hash != v.Now.Blocks[n].Hash {
		q.common = q.stoodBeside(v)
	}
	if was == none || n == none {
		return orphan()
	}
	old, block := v.Then.Blocks[was], v.Now.Blocks[n]
	if old.Hash == block.Hash {
		if q.common = v.twins(old.Hash) || q.words == 0; q.common && !q.known(v, n) {
			return orphan()
		}
		start := block.Start + LeadingBlank(v.Now.Bytes(block)) - LeadingBlank(v.Then.Bytes(old)) + q.Start
		return Location{State: Exact, Score: 100, Page: v.Page, Block: block.ID, Start: start, End: start + len(q.Quote)}
	}
	if spot, ok := q.verbatim(v, n); ok {
		return spot.location(Shifted, len(q.text))
	}
	if score, start, end := carry(v.Then.Bytes(old), q.Start, q.Start+len(q.Quote), v.Now.Bytes(block)); score >= likelySame {
		return Location{State: Fuzzy, Score: min(score, 99), Page: v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end}
	}
	return orphan()
}

// known reports whether a block whose text is not unique is the anchor's: by one
// of its neighbours, or by the text around it.
func (q quote) known(v *Versions, n int) bool {
	was := v.oldAt(q.Block)
	neighbour := func(d int) bool {
		return was+d >= 0 && was+d < len(v.Then.Blocks) && n+d >= 0 && n+d < len(v.Now.Blocks) &&
			v.Then.Blocks[was+d].ID == v.Now.Blocks[n+d].ID && v.Then.Blocks[was+d].Hash == v.Now.Blocks[n+d].Hash
	}
	if neighbour(-1) || neighbour(1) {
		return true
	}
	now := v.now()
	at := findAll(now.block(n), q.text)
	return len(at) > 0 && q.around(now, now.starts[n]+at[0]) >= knownMargin
}

// verbatim finds the quote in its edited block: where it stands several times, by
// the text around it.
func (q quote) verbatim(v *Versions, n int) (spot, bool) {
	now := v.now()
	var found []spot
	for _, at := range findAll(now.block(n), q.text) {
		found = append(found, spot{v, n, at, q.around(now, now.starts[n]+at)})
	}
	best, ok := leading(found)
	if !ok {
		return spot{}, false
	}
	old := v.Then.Blocks[v.oldAt(q.Block)]
	alike := similarity(wordSet(v.Then.Bytes(old)), wordSet(v.Now.Bytes(v.Now.Blocks[n]))) >= minSimilarity
	return best, q.telling() || alike && !q.common || best.around >= knownMargin
}

// spot is a place where the quote stands as it was.
type spot struct {
	v      *Versions
	block  int
	at     int // in the squeezed block
	around int // bytes of the text around it that are as they were
}

func (s spot) location(state State, size int) Location {
	block := s.v.Now.Blocks[s.block]
	start, end := squeeze(s.v.Now.Bytes(block)).span(s.at, size)
	return Location{State: state, Score: 100, Page: s.v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end}
}

// leading is the spot that has more of the text around it than any other.
func leading(spots []spot) (best spot, ok bool) {
	for i, s := range spots {
		switch {
		case i == 0 || s.around > best.around:
			best, ok = s, true
		case s.around == best.around:
			ok = false
		}
	}
	return best, ok
}

// fresh finds the one place where the quote stands and did not stand before. A
// quote that says little is known again by as much of the text around it as
// margin says.
func (q quote) fresh(pages []*Versions, margin int) (spot, bool) {
	var found []spot
	for _, v := range pages {
		found = append(found, q.freshOn(v)...)
	}
	if q.common {
		margin = movedMargin
	}
	best, ok := leading(found)
	return best, ok && q.words > 0 && (best.around >= margin || len(found) == 1 && q.telling())
}

// stoodBeside reports whether the page had the quote outside of its place.
func (q quote) stoodBeside(v *Versions) bool {
	own := 0
	if v.oldAt(q.Block) != none {
		own = 1
	}
	return len(findAll(v.then().text, q.text)) > own
}

// freshOn finds the places of one page.
func (q quote) freshOn(v *Versions) (found []spot) {
	now := v.now()
	byBlock := map[int][]int{}
	for _, at := range findAll(now.text, q.text) {
		n := now.blockAt(at)
		byBlock[n] = append(byBlock[n], at)
	}
	for n, places := range byBlock {
		before := 0
		if was := v.oldAt(v.Now.Blocks[n].ID); was != none {
			before = len(findAll(v.then().block(was), q.text))
		}
		if len(places) <= before {
			continue
		}
		for _, at := range places {
			found = append(found, spot{v, n, at - now.starts[n], q.around(now, at)})
		}
	}
	slices.SortFunc(found, func(a, b spot) int { return (a.block-b.block)*2*MaxTextBytes + a.at - b.at })
	return found
}

// around counts the bytes next to a place that are the anchor's margins.
func (q quote) around(p *prepared, at int) int {
	return commonEnd(q.Before, p.text[:at]) + commonStart(q.After, p.text[at+len(q.text):])
}

// amongStrangers finds an edited quote in the blocks that were not there before.
// What resembles other blocks, too, is a phrase that pages have in common.
func (q quote) amongStrangers(pages []*Versions, own *Versions, state State) Location {
	set := wordSet(q.text)
	if q.words < strangerWords || q.common || q.resembles(set, own) || slices.ContainsFunc(pages, func(v *Versions) bool { return q.resembles(set, v) }) {
		return orphan()
	}
	best, second := orphan(), 0
	for _, v := range pages {
		for n, words := range v.strangers() {
			if similarity(set, words) < minSimilarity {
				continue
			}
			found := q.inBlock(v, n, state)
			if found.Score > best.Score {
				best, found = found, best
			}
			second = max(second, found.Score)
		}
	}
	if best.Score < strangerSame || best.Score < second+strangerLead {
		return orphan()
	}
	return best
}

// resembles reports whether the page had a block beside the anchor's that is like the quote.
func (q quote) resembles(set []uint64, v *Versions) bool {
	own := v.oldAt(q.Block)
	for i, words := range v.oldWords() {
		if i != own && similarity(set, words) >= likelySame {
			return true
		}
	}
	return false
}

// inBlock is the quote's place in a block that was not there before.
func (q quote) inBlock(v *Versions, n int, state State) Location {
	block := v.Now.Blocks[n]
	score, start, end := carry(q.text, 0, len(q.text), v.Now.Bytes(block))
	return Location{State: state, Score: min(score, 99), Page: v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
