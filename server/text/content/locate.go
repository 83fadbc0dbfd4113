package content

import (
	"slices"
	"unicode"
)

// State is the state of an anchor relative to a later text.
type State string

// States of an anchor.
const (
	Exact    State = "exact"    // the block is unchanged
	Shifted  State = "shifted"  // the quote is unchanged, its block was edited, cut or joined
	Fuzzy    State = "fuzzy"    // the quote was edited
	Moved    State = "moved"    // the quote is on another page
	Orphaned State = "orphaned" // the quote was deleted
)

// Location is the current position of an anchor.
type Location struct {
	State State
	Score int    // share of the quote that was found, in percent
	Page  string // "" if orphaned; the following fields are then zero, too
	Block string
	Start int // byte offset in the page's text
	End   int
}

// orphan returns the location of an anchor that was not found.
func orphan() Location { return Location{State: Orphaned} }

// Thresholds for recognizing an edited or moved quote. An orphaned anchor is still shown with its quote, but a wrong
// position misleads readers, so the thresholds prefer orphans.
const (
	sureScore        = 75 // percent of common words at which an edited quote is not searched elsewhere
	likelyScore      = 60 // percent required in the original block
	newBlockScore    = 80 // percent required in a new block
	newBlockLead     = 10 // required lead of the best new block
	newBlockWords    = 10 // words of a quote required to search new blocks
	distinctiveWords = 8  // words of a quote required to recognize it without its surroundings
	distinctiveBytes = 40
	samePageMargin   = 24 // bytes of surrounding text that identify a position on the same page
	otherPageMargin  = 32 // bytes of surrounding text that identify a position on another page
)

// Locate finds the anchor on its page. If the result is not conclusive, the caller continues with LocateElsewhere.
func (a Anchor) Locate(page *Versions) Location {
	q := newQuote(a)
	in := q.locateInOwnBlock(page)
	if in.Conclusive() {
		return in
	}
	if spot, ok := q.findNew([]*Versions{page}, samePageMargin); ok {
		return spot.location(Shifted, len(q.text))
	}
	if in.State != Orphaned {
		return in
	}
	return q.locateInNewBlocks([]*Versions{page}, page, Fuzzy)
}

// Conclusive reports whether the location is conclusive, so that other pages need not be searched.
func (l Location) Conclusive() bool {
	return l.State == Exact || l.State == Shifted || l.State == Fuzzy && l.Score >= sureScore
}

// LocateElsewhere searches the other pages that changed since the anchor was made, unless here, the result of Locate,
// is conclusive.
func (a Anchor) LocateElsewhere(here Location, own *Versions, others []*Versions) Location {
	if here.Conclusive() {
		return here
	}
	q := newQuote(a)
	q.common = q.occurredElsewhere(own)
	for _, v := range others {
		q.common = q.common || q.occurredElsewhere(v)
	}
	if spot, ok := q.findNew(others, otherPageMargin); ok && !q.common {
		return spot.location(Moved, len(q.text))
	}
	if here.State != Orphaned {
		return here
	}
	return q.locateInNewBlocks(others, own, Moved)
}

// quote is an anchor with its text prepared for searching.
type quote struct {
	Anchor
	text   []byte // squeezed
	words  int
	common bool // the quote occurred more than once when the anchor was created
}

func newQuote(a Anchor) quote {
	q := quote{Anchor: a, text: compact([]byte(a.Quote)).text}
	eachWord(q.text, func(uint64, int, int) { q.words++ })
	return q
}

// distinctive reports whether the quote can be recognized without its surroundings.
func (q quote) distinctive() bool {
	return q.words >= distinctiveWords && len(q.text) >= distinctiveBytes && !q.common
}

// locateInOwnBlock searches the block that has the anchor's id.
func (q *quote) locateInOwnBlock(v *Versions) Location {
	was, n := v.oldIndex(q.Block), v.newIndex(q.Block)
	if was == none || n == none || v.Then.Blocks[was].Hash != v.Now.Blocks[n].Hash {
		q.common = q.occurredElsewhere(v)
	}
	if was == none || n == none {
		return orphan()
	}
	old, block := v.Then.Blocks[was], v.Now.Blocks[n]
	if old.Hash == block.Hash {
		if q.common = v.repeated(old.Hash) || q.words == 0; q.common && !q.isAnchorBlock(v, n) {
			return orphan()
		}
		start := block.Start + LeadingBlank(v.Now.Bytes(block)) - LeadingBlank(v.Then.Bytes(old)) + q.Start
		return Location{State: Exact, Score: 100, Page: v.Page, Block: block.ID, Start: start, End: start + len(q.Quote)}
	}
	if spot, ok := q.findVerbatim(v, n); ok {
		return spot.location(Shifted, len(q.text))
	}
	if score, start, end := mapSpan(v.Then.Bytes(old), q.Start, q.Start+len(q.Quote), v.Now.Bytes(block)); score >= likelyScore {
		return Location{
			State: Fuzzy, Score: min(score, 99), Page: v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end,
		}
	}
	return orphan()
}

// isAnchorBlock reports whether a block whose text is not unique is the block of the anchor: a neighbour of it or enough of the
// surrounding text must be unchanged.
func (q quote) isAnchorBlock(v *Versions, n int) bool {
	was := v.oldIndex(q.Block)
	neighbour := func(d int) bool {
		return was+d >= 0 && was+d < len(v.Then.Blocks) && n+d >= 0 && n+d < len(v.Now.Blocks) &&
			v.Then.Blocks[was+d].ID == v.Now.Blocks[n+d].ID && v.Then.Blocks[was+d].Hash == v.Now.Blocks[n+d].Hash
	}
	if neighbour(-1) || neighbour(1) {
		return true
	}
	now := v.preparedNew()
	at := findAll(now.block(n), q.text)
	return len(at) > 0 && q.matchingMargin(now, now.starts[n]+at[0]) >= samePageMargin
}

// findVerbatim finds the unchanged quote in its edited block, by the surrounding text if it occurs more than once.
func (q quote) findVerbatim(v *Versions, n int) (candidate, bool) {
	now := v.preparedNew()
	var found []candidate
	for _, at := range findAll(now.block(n), q.text) {
		found = append(found, candidate{v, n, at, q.matchingMargin(now, now.starts[n]+at)})
	}
	best, ok := bestCandidate(found)
	if !ok {
		return candidate{}, false
	}
	old := v.Then.Blocks[v.oldIndex(q.Block)]
	alike := similarity(wordSet(v.Then.Bytes(old)), wordSet(v.Now.Bytes(v.Now.Blocks[n]))) >= minSimilarity
	return best, q.distinctive() || alike && !q.common || best.margin >= samePageMargin
}

// candidate is an occurrence of the unchanged quote.
type candidate struct {
	v      *Versions
	block  int
	offset int // offset in the compact text of the block
	margin int // unchanged bytes of the surrounding text
}

func (s candidate) location(state State, size int) Location {
	block := s.v.Now.Blocks[s.block]
	start, end := compact(s.v.Now.Bytes(block)).span(s.offset, size)
	return Location{State: state, Score: 100, Page: s.v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end}
}

// bestCandidate returns the candidate with more unchanged surrounding text than any other.
func bestCandidate(spots []candidate) (best candidate, ok bool) {
	for i, s := range spots {
		switch {
		case i == 0 || s.margin > best.margin:
			best, ok = s, true
		case s.margin == best.margin:
			ok = false
		}
	}
	return best, ok
}

// findNew finds the only new occurrence of the quote. If the quote is not distinctive, at least margin bytes of the
// surrounding text must be unchanged.
func (q quote) findNew(pages []*Versions, margin int) (candidate, bool) {
	var found []candidate
	for _, v := range pages {
		found = append(found, q.findNewOn(v)...)
	}
	if q.common {
		margin = otherPageMargin
	}
	best, ok := bestCandidate(found)
	return best, ok && q.words > 0 && (best.margin >= margin || len(found) == 1 && q.distinctive())
}

// occurredElsewhere reports whether the old text of the page contained the quote at a position other than the anchor's.
func (q quote) occurredElsewhere(v *Versions) bool {
	own := 0
	if v.oldIndex(q.Block) != none {
		own = 1
	}
	return len(findAll(v.preparedOld().text, q.text)) > own
}

// findNewOn returns the occurrences of the unchanged quote in the blocks of a page that contain it more often than before.
func (q quote) findNewOn(v *Versions) (found []candidate) {
	now := v.preparedNew()
	byBlock := map[int][]int{}
	for _, at := range findAll(now.text, q.text) {
		n := now.blockAt(at)
		byBlock[n] = append(byBlock[n], at)
	}
	for n, places := range byBlock {
		before := 0
		if was := v.oldIndex(v.Now.Blocks[n].ID); was != none {
			before = len(findAll(v.preparedOld().block(was), q.text))
		}
		if len(places) <= before {
			continue
		}
		for _, at := range places {
			found = append(found, candidate{v, n, at - now.starts[n], q.matchingMargin(now, at)})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return (a.block-b.block)*2*MaxTextBytes + a.offset - b.offset })
	return found
}

// matchingMargin counts the bytes adjacent to an offset that equal the anchor's margins.
func (q quote) matchingMargin(p *preparedText, at int) int {
	return commonSuffix(q.Before, p.text[:at]) + commonPrefix(q.After, p.text[at+len(q.text):])
}

// locateInNewBlocks finds an edited quote in blocks that did not exist before. A match that also resembles old blocks is a
// common phrase and does not count.
func (q quote) locateInNewBlocks(pages []*Versions, own *Versions, state State) Location {
	set := wordSet(q.text)
	if q.words < newBlockWords || q.common || q.resembles(set, own) || slices.ContainsFunc(pages, func(v *Versions) bool {
		return q.resembles(set, v)
	}) {
		return orphan()
	}
	best, second := orphan(), 0
	for _, v := range pages {
		for n, words := range v.newWords() {
			if similarity(set, words) < minSimilarity {
				continue
			}
			found := q.locateInNewBlock(v, n, state)
			if found.Score > best.Score {
				best, found = found, best
			}
			second = max(second, found.Score)
		}
	}
	if best.Score < newBlockScore || best.Score < second+newBlockLead {
		return orphan()
	}
	return best
}

// resembles reports whether the page had a block other than the anchor's that is similar to the quote.
func (q quote) resembles(set []uint64, v *Versions) bool {
	own := v.oldIndex(q.Block)
	for i, words := range v.oldWords() {
		if i != own && similarity(set, words) >= likelyScore {
			return true
		}
	}
	return false
}

// locateInNewBlock locates the quote in a block that did not exist before.
func (q quote) locateInNewBlock(v *Versions, n int, state State) Location {
	block := v.Now.Blocks[n]
	score, start, end := mapSpan(q.text, 0, len(q.text), v.Now.Bytes(block))
	return Location{State: state, Score: min(score, 99), Page: v.Page, Block: block.ID, Start: block.Start + start, End: block.Start + end}
}

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }
