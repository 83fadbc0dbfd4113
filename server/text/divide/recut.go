package divide

import (
	"bytes"
	"slices"

	"docspace.dev/wsd/server/text/content"
)

// prefixSize is the number of bytes of a part that identify its beginning.
const prefixSize = 256

// findPreviousCuts returns the current cut points of the parts of the previous import.
func (d *divider) findPreviousCuts(earlier []PreviousPart) (given []cutPoint) {
	s := partSearch{divider: d, pointsByName: d.namedPoints(), known: map[string]bool{}, taken: map[int]bool{0: true}}
	for _, e := range earlier {
		s.known[e.Key] = true
	}
	for n, e := range earlier {
		if n == 0 {
			continue
		}
		s.expected += len(earlier[n-1].Markdown)
		if p, ok := s.locate(e); ok {
			s.taken[p.offset], d.previousKeys[p.offset] = true, e.Key
			s.expected = p.offset
			given = append(given, p)
		}
	}
	return given
}

// partSearch finds the parts of the previous import, in order.
type partSearch struct {
	*divider

	pointsByName map[string]cutPoint
	known        map[string]bool  // keys of all parts
	taken        map[int]bool     // offsets of parts already found
	expected     int              // offset of the part if nothing has changed
	blocks       map[string][]int // offsets of blocks by content, computed on demand
}

// locate finds a part. It tries, in order: the expected offset; its alias or heading if the text there begins as
// before, since there may be further headings with the same text; a line that begins with this text; its alias or
// heading alone; the end of a renamed heading; the first of its blocks that still exists.
func (s *partSearch) locate(e PreviousPart) (cutPoint, bool) {
	begin := e.Markdown[:min(len(e.Markdown), prefixSize)]
	byName, isNamed := s.pointsByName[e.Key]
	isNamed = isNamed && !s.taken[byName.offset]
	if s.isFree(s.expected) && s.hasPrefixAt(s.expected, begin) {
		return s.pointAt(s.expected), true
	}
	if isNamed && s.hasPrefixAt(byName.offset, begin) {
		return byName, true
	}
	if p, ok := s.nearest(s.linesWithPrefix(begin)); ok || isNamed {
		if !ok {
			p = byName
		}
		return p, true
	}
	if p, ok := s.nearest(s.renamedHeadings(e.Markdown)); ok {
		return p, true
	}
	return s.nearest(s.remainingBlock(e.Markdown))
}

func (s *partSearch) hasPrefixAt(at int, begin []byte) bool {
	return at < len(s.text.Markdown) && bytes.HasPrefix(s.text.Markdown[at:], begin)
}

// isFree reports whether a part may begin at an offset.
func (s *partSearch) isFree(at int) bool {
	return at < len(s.text.Markdown) && !s.taken[at] && !isDashes(s.text.Markdown[at:])
}

// nearest returns the cut point at the free offset that is nearest to the expected one.
func (s *partSearch) nearest(offsets []int) (cutPoint, bool) {
	offsets = slices.DeleteFunc(offsets, func(at int) bool { return !s.isFree(at) })
	if len(offsets) == 0 {
		return cutPoint{}, false
	}
	distance := func(at int) int { return max(at-s.expected, s.expected-at) }
	return s.pointAt(slices.MinFunc(offsets, func(a, b int) int { return distance(a) - distance(b) })), true
}

// namedPoints returns the cut points of aliases and headings by name.
func (d *divider) namedPoints() map[string]cutPoint {
	named := map[string]cutPoint{}
	for _, s := range d.sections {
		_, known := named[s.Anchor]
		if i, found := indexOf(d.points, s.Start); found && !known && s.Level > 0 && d.points[i].rank != rankNowhere {
			named[s.Anchor] = d.points[i]
		}
	}
	for at, names := range d.names {
		i, found := indexOf(d.points, at)
		for _, name := range names {
			if delete(named, name); found && d.points[i].rank != rankNowhere {
				named[name] = d.points[i]
			}
		}
	}
	return named
}

// renamedHeadings returns the offsets of headings that are not the key of a part in the previous import and are followed by the
// text after the part's heading.
func (s *partSearch) renamedHeadings(part []byte) (offsets []int) {
	blocks := content.Blocks(part[:min(len(part), 1<<16)])
	if len(blocks) < 2 || blocks[0].Kind != content.KindHeading {
		return nil
	}
	following := bytes.TrimSpace(part[blocks[1].Start:min(blocks[1].Start+prefixSize, blocks[1].End)])
	for i, p := range s.points[:len(s.points)-1] {
		if p.kind == content.KindHeading && !s.known[s.section(p.offset).Anchor] && s.hasPrefixAt(s.points[i+1].offset, following) {
			offsets = append(offsets, p.offset)
		}
	}
	return offsets
}

// remainingBlock returns the offsets of the first block of a part that still exists.
func (s *partSearch) remainingBlock(part []byte) (offsets []int) {
	if s.blocks == nil {
		s.blocks = map[string][]int{}
		for i, p := range s.points {
			end := len(s.text.Markdown)
			if i+1 < len(s.points) {
				end = s.points[i+1].offset
			}
			said := string(bytes.TrimSpace(s.text.Markdown[p.offset:end]))
			s.blocks[said] = append(s.blocks[said], p.offset)
		}
	}
	for _, b := range content.Blocks(part) {
		if at := s.blocks[string(bytes.TrimSpace(part[b.Start:b.End]))]; slices.ContainsFunc(at, s.isFree) {
			return at
		}
	}
	return nil
}

// linesWithPrefix returns the offsets of lines that begin with a text.
func (s *partSearch) linesWithPrefix(begin []byte) (offsets []int) {
	for at := 0; len(bytes.TrimSpace(begin)) > 0; at++ {
		n := bytes.Index(s.text.Markdown[at:], begin)
		if n < 0 {
			break
		}
		if at += n; s.lines[s.lineNumber(at)] == at {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

// pointAt returns the cut point of an earlier part at an offset, between blocks or within one.
func (d *divider) pointAt(at int) cutPoint {
	i, found := indexOf(d.points, at)
	switch {
	case found:
		return d.points[i]
	case d.lines[d.lineNumber(at)] == at:
		return cutPoint{offset: at, rank: rankLine}
	default:
		return cutPoint{offset: at, rank: rankInLine}
	}
}
