package divide

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"docspace.dev/wsd/server/text/content"
)

// rank is the suitability of a position for a cut, lower is better. Ranks 1 to 6 are those of headings by level.
type rank int

// Ranks of positions other than headings.
const (
	rankBlock   rank = 7 + iota // before a block
	rankItem                    // before an item within a list
	rankLine                    // before a line, such as a row of a table or a line of code
	rankInLine                  // within a line
	rankNowhere                 // where a cut would change the meaning of the text after it
)

// extent is the size of a text in bytes and blocks.
type extent struct{ bytes, blocks int }

func (e extent) within(limit extent) bool { return e.bytes <= limit.bytes && e.blocks <= limit.blocks }

func (e extent) div(n int) extent { return extent{e.bytes / n, e.blocks / n} }

func (e extent) add(other extent) extent {
	return extent{e.bytes + other.bytes, e.blocks + other.blocks}
}

func ceil(a, b int) int { return (a + b - 1) / max(b, 1) }

// cutPoint is a position at which a text can be cut: before a block, or at a previous cut.
type cutPoint struct {
	offset int
	rank   rank
	kind   string // of the block
}

// cutter cuts a text into parts that fit into pages: at headings of the highest possible level; within sections that
// are too large at headings of the next level, then between blocks, items and lines. A part consists of either
// complete sections or a piece of one section.
type cutter struct {
	text   []byte
	limit  extent
	points []cutPoint // sorted; the first is at 0
	cuts   []cutPoint // starts of the parts found so far
}

// fillNum and fillDen are the fraction to which new parts are filled, so that they can grow.
const fillNum, fillDen = 3, 4

// smallDivisor divides the maximum fill of a part: a text below the quotient does not become a part of its own.
const smallDivisor = 8

// cutPoints returns the cut points of a text. levels has the levels of its headings by offset.
func cutPoints(text []byte, levels map[int]int) []cutPoint {
	var places []cutPoint
	for _, b := range content.Blocks(text) {
		p := cutPoint{b.Start, rankBlock, b.Kind}
		switch level := levels[b.Start]; {
		case isDashes(text[b.Start:]):
			p.rank = rankNowhere // a part must not begin with anything that looks like front matter
		case b.Kind == content.KindHeading && level > 0:
			p.rank = rank(level)
		case b.Kind == content.KindItem && len(places) > 0 && places[len(places)-1].kind == b.Kind:
			p.rank = rankItem
		}
		places = append(places, p)
	}
	return places
}

// isDashes reports whether the first line of a text would open front matter.
func isDashes(text []byte) bool {
	line, _, _ := bytes.Cut(text[:min(len(text), 256)], []byte("\n"))
	return string(bytes.TrimRight(line, " \t\r")) == "---"
}

// cutText returns the starts of the parts of a text. The given cuts are kept; others are added only where the text
// between two of them exceeds the limit.
func cutText(text []byte, limit extent, places, given []cutPoint) []cutPoint {
	for _, known := range given {
		if i, found := indexOf(places, known.offset); !found {
			places = slices.Insert(places, i, known)
		}
	}
	c := &cutter{text: text, limit: limit, points: places}
	from := 0
	for i := 1; i <= len(places); i++ {
		if i == len(places) || slices.ContainsFunc(given, func(p cutPoint) bool { return p.offset == places[i].offset }) {
			c.pack(from, i, 1)
			from = i
		}
	}
	return c.cuts
}

func indexOf(places []cutPoint, at int) (i int, found bool) {
	return slices.BinarySearchFunc(places, at, func(p cutPoint, at int) int { return p.offset - at })
}

func (c *cutter) offset(i int) int {
	if i < len(c.points) {
		return c.points[i].offset
	}
	return len(c.text)
}

func (c *cutter) extent(from, to int) extent { return extent{c.offset(to) - c.offset(from), to - from} }

func (c *cutter) fits(from, to int) bool { return c.extent(from, to).within(c.limit) }

// maxFill returns the maximum size of a new part.
func (c *cutter) maxFill() extent {
	return extent{c.limit.bytes * fillNum / fillDen, c.limit.blocks * fillNum / fillDen}
}

// targetSize returns the intended size of the parts of a text.
func (c *cutter) targetSize(whole extent) extent {
	fill := c.maxFill()
	byBytes, byBlocks := ceil(whole.bytes, fill.bytes), ceil(whole.blocks, fill.blocks)
	if byBytes < byBlocks {
		return extent{fill.bytes, ceil(whole.blocks, byBlocks)}
	}
	return extent{ceil(whole.bytes, byBytes), fill.blocks}
}

// isSmall reports whether a text is too small for a part of its own.
func (c *cutter) isSmall(from, to int) bool {
	size := c.extent(from, to)
	return extent{size.bytes * smallDivisor, size.blocks * smallDivisor}.within(c.maxFill())
}

// pack divides the text between two cut points at cut points of a rank. The first part begins at from.
func (c *cutter) pack(from, to int, at rank) {
	if from >= to {
		return
	}
	if c.fits(from, to) {
		c.cuts = append(c.cuts, c.points[from])
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

// units returns the ends of the ranges between cut points of the given or a better rank.
func (c *cutter) units(from, to int, at rank) (ends []int) {
	for i := from + 1; i < to; i++ {
		if c.points[i].rank <= at {
			ends = append(ends, i)
		}
	}
	return append(ends, to)
}

// packUnits fills parts with units. A unit that is too large is cut at the next rank, together with a small preceding
// one.
func (c *cutter) packUnits(from int, ends []int, at rank) {
	aim := c.targetSize(c.extent(from, ends[len(ends)-1]))
	open, cut := from, false // open is the start of the unassigned units; cut is set if the part before it is a piece of a unit
	unit := from
	for _, end := range ends {
		switch {
		case !c.fits(unit, end):
			if open < unit && !c.isSmall(open, unit) {
				c.cuts = append(c.cuts, c.points[open])
				open = unit
			}
			c.pack(open, end, at+1)
			open, cut = end, true
		case open < unit && (!c.fits(open, end) || !c.extent(open, unit).add(c.extent(unit, end).div(2)).within(aim)):
			c.cuts = append(c.cuts, c.points[open])
			open, cut = unit, false
		}
		unit = end
	}
	if open < unit && (!cut || !c.fitsLast(open, unit)) {
		c.cuts = append(c.cuts, c.points[open])
	}
}

// fitsLast reports whether a small remainder fits into the part before it. After a cut between lines the remainder
// is not joined because its meaning might change.
func (c *cutter) fitsLast(from, to int) bool {
	last := c.cuts[len(c.cuts)-1]
	begin, _ := indexOf(c.points, last.offset)
	return last.rank < rankLine && c.isSmall(from, to) && c.fits(begin, to)
}

// packLines makes parts of lines. Each line may become a block, except in tables and prose.
func (c *cutter) packLines(from, to int) {
	start, end, blocks := c.offset(from), c.offset(to), 1
	if kind := c.points[to-1].kind; kind == content.KindTable || kind == content.KindParagraph {
		blocks = 0
	}
	c.cuts = append(c.cuts, c.points[from])
	aim := c.targetSize(extent{end - start, blocks*bytes.Count(c.text[start:end], []byte("\n")) + 1})
	open, lines := start, 0
	for at := start; at < end; {
		next := lineEnd(c.text, at, end)
		size := extent{next - at, blocks}
		full := !extent{next - open, lines + blocks}.within(c.limit) ||
			!(extent{at - open, lines}).add(size.div(2)).within(aim) && (end-at)*smallDivisor > aim.bytes
		if open < at && full && !isDashes(c.text[at:]) {
			c.cutAt(at, rankLine)
			open, lines = at, 0
		}
		if size.bytes > c.limit.bytes || next-open > c.limit.bytes {
			next = c.cutWithinLine(open, next)
			c.cutAt(next, rankInLine)
			open, lines = next, 0
		}
		at, lines = next, lines+blocks
	}
}

// cutAt begins a part at an offset. otherwise is the rank to use if the offset is not a cut point.
func (c *cutter) cutAt(at int, otherwise rank) {
	p := cutPoint{offset: at, rank: otherwise}
	if i, found := indexOf(c.points, at); found {
		p = c.points[i]
	}
	c.cuts = append(c.cuts, p)
}

// cutWithinLine returns the offset at which an oversized line is cut: after a space, else after a character.
func (c *cutter) cutWithinLine(open, next int) int {
	end := min(open+c.limit.bytes, next)
	if boundary := open + bytes.LastIndexByte(c.text[open:end], ' ') + 1; boundary > open && !isDashes(c.text[boundary:]) {
		return boundary
	}
	for end > open+1 && (!utf8.RuneStart(c.text[end]) || isDashes(c.text[end:])) {
		end--
	}
	return end
}

// lineEnd returns the offset after the line that contains an offset.
func lineEnd(text []byte, at, end int) int {
	if i := bytes.IndexByte(text[at:end], '\n'); i >= 0 {
		return at + i + 1
	}
	return end
}
