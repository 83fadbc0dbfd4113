package importer

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"docspace.dev/wsd/server/text/content"
)

// rank says how well a text can be cut at a place: best at a heading, of the levels 1 to 6 the higher before the lower.
type rank int

// The ranks behind the levels of headings.
const (
	rankBlock   rank = 7 + iota // before a block
	rankItem                    // before an item of a list that goes on
	rankLine                    // before a row of a table, a line of code or any other
	rankInLine                  // within a line
	rankNowhere                 // where what follows would mean something else
)

// extent is how much of a page's room a text takes.
type extent struct{ bytes, blocks int }

func (e extent) within(limit extent) bool { return e.bytes <= limit.bytes && e.blocks <= limit.blocks }

func (e extent) over(n int) extent { return extent{e.bytes / n, e.blocks / n} }

func (e extent) plus(other extent) extent {
	return extent{e.bytes + other.bytes, e.blocks + other.blocks}
}

func ceil(a, b int) int { return (a + b - 1) / max(b, 1) }

// place is where a text can be cut: before a block, or where it was cut the last time.
type place struct {
	at   int
	rank rank
	kind string // of the block
}

// cutter cuts a text so that its parts fit into pages: at its headings, of the highest level that does; what is too large
// between two of these at those of the next level, then between blocks, items and lines. What has been cut so has no part
// in common with what follows, as a part is either some sections or a piece of one.
type cutter struct {
	text   []byte
	limit  extent
	places []place // sorted; the first is at 0
	cuts   []place // found so far, at the beginning of each part
}

// Parts have room for what comes to them here and in the source: fresh ones are filled to three quarters.
const fillNum, fillDen = 3, 4

// little is what share of a part is not worth one of its own.
const little = 8

// placesOf finds the places where a text can be cut, given the levels of its headings by their offset.
func placesOf(text []byte, levels map[int]int) []place {
	var places []place
	for _, b := range content.Blocks(text) {
		p := place{b.Start, rankBlock, b.Kind}
		switch level := levels[b.Start]; {
		case isDashes(text[b.Start:]):
			p.rank = rankNowhere // a part must not begin with what looks like front matter
		case b.Kind == content.KindHeading && level > 0:
			p.rank = rank(level)
		case b.Kind == content.KindItem && len(places) > 0 && places[len(places)-1].kind == b.Kind:
			p.rank = rankItem
		}
		places = append(places, p)
	}
	return places
}

// isDashes reports whether a text begins with a line that opens front matter where it is the first.
func isDashes(text []byte) bool {
	line, _, _ := bytes.Cut(text[:min(len(text), 256)], []byte("\n"))
	return string(bytes.TrimRight(line, " \t\r")) == "---"
}

// cutText returns the beginnings of the parts of a text. The cuts that are given stay; there are others only where what is
// between two of them does not fit.
func cutText(text []byte, limit extent, places, given []place) []place {
	for _, known := range given {
		if i, found := indexOf(places, known.at); !found {
			places = slices.Insert(places, i, known)
		}
	}
	c := &cutter{text: text, limit: limit, places: places}
	from := 0
	for i := 1; i <= len(places); i++ {
		if i == len(places) || slices.ContainsFunc(given, func(p place) bool { return p.at == places[i].at }) {
			c.pack(from, i, 1)
			from = i
		}
	}
	return c.cuts
}

func indexOf(places []place, at int) (i int, found bool) {
	return slices.BinarySearchFunc(places, at, func(p place, at int) int { return p.at - at })
}

func (c *cutter) offset(i int) int {
	if i < len(c.places) {
		return c.places[i].at
	}
	return len(c.text)
}

func (c *cutter) extent(from, to int) extent { return extent{c.offset(to) - c.offset(from), to - from} }

func (c *cutter) fits(from, to int) bool { return c.extent(from, to).within(c.limit) }

// fill is how much a fresh part has at most.
func (c *cutter) fill() extent {
	return extent{c.limit.bytes * fillNum / fillDen, c.limit.blocks * fillNum / fillDen}
}

// aim is the extent that the parts of a text should have.
func (c *cutter) aim(whole extent) extent {
	fill := c.fill()
	byBytes, byBlocks := ceil(whole.bytes, fill.bytes), ceil(whole.blocks, fill.blocks)
	if byBytes < byBlocks {
		return extent{fill.bytes, ceil(whole.blocks, byBlocks)}
	}
	return extent{ceil(whole.bytes, byBytes), fill.blocks}
}

// isLittle reports whether a text is not worth a part of its own.
func (c *cutter) isLittle(from, to int) bool {
	size := c.extent(from, to)
	return extent{size.bytes * little, size.blocks * little}.within(c.fill())
}

// pack makes parts of the text between two places, at places of a rank. The first begins the text.
func (c *cutter) pack(from, to int, at rank) {
	if from >= to {
		return
	}
	if c.fits(from, to) {
		c.cuts = append(c.cuts, c.places[from])
		return
	}
	if at > rankItem {
		c.packLines(from, to)
		return
	}
	ends := c.units(from, to, at)
	if len(ends) == 1 {
		c.pack(from, to, at+1)
		return
	}
	c.packUnits(from, ends, at)
}

// units returns the ends of the stretches between places of a rank and better ones.
func (c *cutter) units(from, to int, at rank) (ends []int) {
	for i := from + 1; i < to; i++ {
		if c.places[i].rank <= at {
			ends = append(ends, i)
		}
	}
	return append(ends, to)
}

// packUnits fills parts with units. One that is too large itself is cut at worse places, with the little that may stand
// before it.
func (c *cutter) packUnits(from int, ends []int, at rank) {
	aim := c.aim(c.extent(from, ends[len(ends)-1]))
	open, cut := from, false // what is not in a part yet begins at open; cut: the part before it is a piece of a unit
	unit := from
	for _, end := range ends {
		switch {
		case !c.fits(unit, end):
			if open < unit && !c.isLittle(open, unit) {
				c.cuts = append(c.cuts, c.places[open])
				open = unit
			}
			c.pack(open, end, at+1)
			open, cut = end, true
		case open < unit && (!c.fits(open, end) || !c.extent(open, unit).plus(c.extent(unit, end).over(2)).within(aim)):
			c.cuts = append(c.cuts, c.places[open])
			open, cut = unit, false
		}
		unit = end
	}
	if open < unit && (!cut || !c.joinsLast(open, unit)) {
		c.cuts = append(c.cuts, c.places[open])
	}
}

// joinsLast reports whether the little that is left fits into the part before it. Behind a cut between lines it might
// mean something else there.
func (c *cutter) joinsLast(from, to int) bool {
	last := c.cuts[len(c.cuts)-1]
	begin, _ := indexOf(c.places, last.at)
	return last.rank < rankLine && c.isLittle(from, to) && c.fits(begin, to)
}

// packLines makes parts of lines. Each of them may become a block, but for those of tables and prose.
func (c *cutter) packLines(from, to int) {
	start, end, blocks := c.offset(from), c.offset(to), 1
	if kind := c.places[to-1].kind; kind == content.KindTable || kind == content.KindParagraph {
		blocks = 0
	}
	c.cuts = append(c.cuts, c.places[from])
	aim := c.aim(extent{end - start, blocks*bytes.Count(c.text[start:end], []byte("\n")) + 1})
	open, lines := start, 0
	for at := start; at < end; {
		next := lineEnd(c.text, at, end)
		size := extent{next - at, blocks}
		full := !extent{next - open, lines + blocks}.within(c.limit) ||
			!(extent{at - open, lines}).plus(size.over(2)).within(aim) && (end-at)*little > aim.bytes
		if open < at && full && !isDashes(c.text[at:]) {
			c.cutAt(at, rankLine)
			open, lines = at, 0
		}
		if size.bytes > c.limit.bytes || next-open > c.limit.bytes {
			next = c.inLine(open, next)
			c.cutAt(next, rankInLine)
			open, lines = next, 0
		}
		at, lines = next, lines+blocks
	}
}

// cutAt begins a part at an offset, of a rank where that is not one of the places.
func (c *cutter) cutAt(at int, otherwise rank) {
	p := place{at: at, rank: otherwise}
	if i, found := indexOf(c.places, at); found {
		p = c.places[i]
	}
	c.cuts = append(c.cuts, p)
}

// inLine is where a line that does not fit is cut: behind a space, else behind a character.
func (c *cutter) inLine(open, next int) int {
	end := min(open+c.limit.bytes, next)
	if behind := open + bytes.LastIndexByte(c.text[open:end], ' ') + 1; behind > open && !isDashes(c.text[behind:]) {
		return behind
	}
	for end > open+1 && (!utf8.RuneStart(c.text[end]) || isDashes(c.text[end:])) {
		end--
	}
	return end
}

// lineEnd is the offset behind the line at one.
func lineEnd(text []byte, at, end int) int {
	if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
		return at + i + 1
	}
	return end
}
