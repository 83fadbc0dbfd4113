package importer

import (
	"bytes"
	"slices"

	"docspace.dev/wsd/server/text/content"
)

// beginning is how much of a part's text tells where it begins.
const beginning = 256

// find finds where the parts of the import before begin now.
func (d *divided) find(earlier []Earlier) (given []place) {
	s := search{divided: d, named: d.named(), known: map[string]bool{}, taken: map[int]bool{0: true}}
	for _, e := range earlier {
		s.known[e.Key] = true
	}
	for n, e := range earlier {
		if n == 0 {
			continue
		}
		s.expected += len(earlier[n-1].Markdown)
		if p, ok := s.beginningOf(e); ok {
			s.taken[p.at], d.was[p.at] = true, e.Key
			s.expected = p.at
			given = append(given, p)
		}
	}
	return given
}

// search looks for the parts of the import before, in their order.
type search struct {
	*divided

	named    map[string]place
	known    map[string]bool  // keys of all parts
	taken    map[int]bool     // offsets of parts that were found
	expected int              // where the part begins if nothing has changed
	blocks   map[string][]int // offsets of blocks by what they say, made when it is asked for
}

// beginningOf finds a part: where it is expected; else by its alias or heading, where its text begins as it did, as there
// may be more headings with the same words now; else by this text; else by its alias or heading alone; else behind a
// heading that is called something else now; else at the first of its blocks that is left.
func (s *search) beginningOf(e Earlier) (place, bool) {
	begin := e.Markdown[:min(len(e.Markdown), beginning)]
	byName, isNamed := s.named[e.Key]
	isNamed = isNamed && !s.taken[byName.at]
	if s.free(s.expected) && s.begins(s.expected, begin) {
		return s.placeAt(s.expected), true
	}
	if isNamed && s.begins(byName.at, begin) {
		return byName, true
	}
	if p, ok := s.next(s.standing(begin)); ok || isNamed {
		if !ok {
			p = byName
		}
		return p, true
	}
	if p, ok := s.next(s.renamed(e.Markdown)); ok {
		return p, true
	}
	return s.next(s.left(e.Markdown))
}

func (s *search) begins(at int, begin []byte) bool {
	return at < len(s.page.Markdown) && bytes.HasPrefix(s.page.Markdown[at:], begin)
}

// free reports whether a part may begin at an offset.
func (s *search) free(at int) bool {
	return at < len(s.page.Markdown) && !s.taken[at] && !isDashes(s.page.Markdown[at:])
}

// next is the one of some offsets that is next to where the part is expected.
func (s *search) next(offsets []int) (place, bool) {
	offsets = slices.DeleteFunc(offsets, func(at int) bool { return !s.free(at) })
	if len(offsets) == 0 {
		return place{}, false
	}
	distance := func(at int) int { return max(at-s.expected, s.expected-at) }
	return s.placeAt(slices.MinFunc(offsets, func(a, b int) int { return distance(a) - distance(b) })), true
}

// named are the places that aliases and headings name.
func (d *divided) named() map[string]place {
	named := map[string]place{}
	for _, s := range d.sections {
		_, known := named[s.Anchor]
		if i, found := indexOf(d.places, s.Start); found && !known && s.Level > 0 && d.places[i].rank != rankNowhere {
			named[s.Anchor] = d.places[i]
		}
	}
	for at, names := range d.names {
		i, found := indexOf(d.places, at)
		for _, name := range names {
			if delete(named, name); found && d.places[i].rank != rankNowhere {
				named[name] = d.places[i]
			}
		}
	}
	return named
}

// renamed lists the headings that no earlier part began at, with the text behind them that stood behind that of a part.
func (s *search) renamed(part []byte) (offsets []int) {
	blocks := content.Blocks(part[:min(len(part), 1<<16)])
	if len(blocks) < 2 || blocks[0].Kind != content.KindHeading {
		return nil
	}
	behind := bytes.TrimSpace(part[blocks[1].Start:min(blocks[1].Start+beginning, blocks[1].End)])
	for i, p := range s.places[:len(s.places)-1] {
		if p.kind == content.KindHeading && !s.known[s.section(p.at).Anchor] && s.begins(s.places[i+1].at, behind) {
			offsets = append(offsets, p.at)
		}
	}
	return offsets
}

// left lists the places of the first block of a part that stands anywhere.
func (s *search) left(part []byte) (offsets []int) {
	if s.blocks == nil {
		s.blocks = map[string][]int{}
		for i, p := range s.places {
			end := len(s.page.Markdown)
			if i+1 < len(s.places) {
				end = s.places[i+1].at
			}
			said := string(bytes.TrimSpace(s.page.Markdown[p.at:end]))
			s.blocks[said] = append(s.blocks[said], p.at)
		}
	}
	for _, b := range content.Blocks(part) {
		if at := s.blocks[string(bytes.TrimSpace(part[b.Start:b.End]))]; slices.ContainsFunc(at, s.free) {
			return at
		}
	}
	return nil
}

// standing lists the lines that a text begins with.
func (s *search) standing(begin []byte) (offsets []int) {
	for at := 0; len(bytes.TrimSpace(begin)) > 0; at++ {
		n := bytes.Index(s.page.Markdown[at:], begin)
		if n < 0 {
			break
		}
		if at += n; s.lines[s.line(at)] == at {
			offsets = append(offsets, at)
		}
	}
	return offsets
}

// placeAt is a place where an earlier part begins, be it between blocks or not.
func (d *divided) placeAt(at int) place {
	i, found := indexOf(d.places, at)
	switch {
	case found:
		return d.places[i]
	case d.lines[d.line(at)] == at:
		return place{at: at, rank: rankLine}
	default:
		return place{at: at, rank: rankInLine}
	}
}
