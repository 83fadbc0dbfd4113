package divide

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// Text is a text that is to be divided.
type Text struct {
	Title    string // of the page, in the titles of parts that begin with no heading
	Markdown []byte
	Aliases  []content.Alias
}

// Part is a part of a divided text.
type Part struct {
	Start, End int // in the text
	Title      string
	Aliases    []content.Alias // those of the text, and the fragments of headings that are others in the part

	// Key identifies the beginning of the part: an alias of the source or the fragment of its heading, unique within
	// the source path, "" for the first part. A part without either has the fragment of the preceding heading with
	// the part's number in the section.
	Key string
	// PreviousKey is the key of the part in the previous import, "" for the first part and for new ones.
	PreviousKey string
	CutRank     rank // suitability of the position at which it begins, lower is better
}

// PreviousPart is a part of a text in its previous division. The first part has no key.
type PreviousPart struct {
	Key      string
	Markdown []byte
}

// Parts divides a text of more than size bytes, or with more blocks or markup than a page may have, into parts that concatenated
// are the text. Cuts of the previous division are kept, whatever the size, as long as their headings exist. It returns nil
// if the text is not divided.
func Parts(t Text, size int, earlier []PreviousPart) []Part {
	text := t.Markdown
	if marks := content.Marks(text); marks > content.MaxMarks { // parts of a size in which as dense a text has half of the maximum
		size = min(size, len(text)/2*content.MaxMarks/marks)
	}
	limit := extent{size, content.MaxBlocks}
	tooLarge := len(text) > limit.bytes ||
		bytes.Count(text, []byte("\n")) >= limit.blocks && len(content.Blocks(text)) > limit.blocks
	if len(earlier) < 2 && !tooLarge {
		return nil
	}
	d := newDivider(t)
	given := d.findPreviousCuts(earlier)
	cuts := cutText(text, limit, d.points, given)
	if len(cuts) < 2 {
		return nil
	}
	return d.parts(cuts)
}

// divider divides a text.
type divider struct {
	text         Text
	sections     []content.Section
	points       []cutPoint
	lines        []int            // offsets of the lines
	names        map[int][]string // aliases by the offset of their line
	previousKeys map[int]string   // keys of the earlier parts by their current offset
}

func newDivider(t Text) *divider {
	d := &divider{text: t, sections: content.Sections(t.Markdown), names: map[int][]string{}, previousKeys: map[int]string{}}
	levels := map[int]int{}
	for _, s := range d.sections {
		levels[s.Start] = s.Level
	}
	d.points = cutPoints(t.Markdown, levels)
	d.lines = lineOffsets(t.Markdown)
	d.indexNames()
	return d
}

// indexNames records the aliases of each line. If an alias occurs several times, the first occurrence is used.
func (d *divider) indexNames() {
	known := map[string]bool{}
	for _, a := range slices.SortedStableFunc(slices.Values(d.text.Aliases), func(a, b content.Alias) int { return a.Line - b.Line }) {
		if !known[a.Name] {
			at := d.lineOffset(a.Line)
			d.names[at] = append(d.names[at], a.Name)
		}
		known[a.Name] = true
	}
}

func lineOffsets(text []byte) []int {
	offsets := []int{0}
	for at, b := range text {
		if b == '\n' && at+1 < len(text) {
			offsets = append(offsets, at+1)
		}
	}
	return offsets
}

// lineOffset returns the offset of a line. A number outside of the text is replaced by that of the first or last line.
func (d *divider) lineOffset(line int) int { return d.lines[min(max(line, 0), len(d.lines)-1)] }

// lineNumber returns the number of the line that contains an offset.
func (d *divider) lineNumber(at int) int {
	n, found := slices.BinarySearch(d.lines, at)
	if !found {
		n--
	}
	return n
}

// section returns the section that contains an offset.
func (d *divider) section(at int) content.Section {
	i, found := slices.BinarySearchFunc(d.sections, at, func(s content.Section, at int) int { return s.Start - at })
	if !found {
		i--
	}
	if i < 0 {
		return content.Section{}
	}
	return d.sections[i]
}

// parts returns the parts of a text that is divided at the cuts.
func (d *divider) parts(cuts []cutPoint) []Part {
	parts := make([]Part, 0, len(cuts))
	counts, keys := map[int]int{}, map[string]bool{}
	for n, c := range cuts {
		end := len(d.text.Markdown)
		if n+1 < len(cuts) {
			end = cuts[n+1].offset
		}
		p := Part{Start: c.offset, End: end, Title: d.text.Title, PreviousKey: d.previousKeys[c.offset], CutRank: c.rank}
		if n > 0 {
			p.Key, p.Title = d.keyAndTitle(c.offset, counts)
			for keys[p.Key] {
				p.Key += "~"
			}
			keys[p.Key] = true
		}
		p.Aliases = d.aliases(c.offset, end)
		parts = append(parts, p)
	}
	return parts
}

// keyAndTitle returns the key and the title of a part.
func (d *divider) keyAndTitle(at int, counts map[int]int) (key, title string) {
	s := d.section(at)
	if s.Start == at && s.Level > 0 {
		if names := d.names[at]; len(names) > 0 {
			return names[0], cmp.Or(s.Title, "Untitled")
		}
		return s.Anchor, cmp.Or(s.Title, "Untitled")
	}
	counts[s.Start]++
	number := counts[s.Start] + 1
	title = cmp.Or(s.Title, d.text.Title, "Untitled") + ", continued"
	if number > 2 {
		title += fmt.Sprintf(" (%d)", number)
	}
	if names := d.names[at]; len(names) > 0 {
		return names[0], title
	}
	return fmt.Sprintf("%s~%d", s.Anchor, number), title
}

// aliases returns the page's aliases within a part, and the fragments of headings that differ in the part because
// headings with the same text are numbered in the whole text.
func (d *divider) aliases(start, end int) (aliases []content.Alias) {
	before := d.lineNumber(start)
	for _, a := range d.text.Aliases {
		if at := d.lineOffset(a.Line); at >= start && at < end {
			aliases = append(aliases, content.Alias{Name: a.Name, Line: a.Line - before, Position: a.Position})
		}
	}
	if start == 0 {
		return aliases
	}
	own := map[int]string{}
	for _, s := range content.Sections(d.text.Markdown[start:end]) {
		own[start+s.Start] = s.Anchor
	}
	first, _ := slices.BinarySearchFunc(d.sections, start, func(s content.Section, at int) int { return s.Start - at })
	for _, s := range d.sections[first:] {
		if s.Start >= end {
			break
		}
		if anchor, is := own[s.Start]; is && s.Level > 0 && anchor != s.Anchor {
			aliases = append(aliases, content.Alias{Name: s.Anchor, Line: d.lineNumber(s.Start) - before})
		}
	}
	return aliases
}

// Note returns a sentence about how a text was divided, or "" if it was divided at headings only.
func Note(parts []Part) string {
	counts := map[rank]int{}
	for n, p := range parts {
		if n > 0 && p.CutRank >= rankBlock {
			counts[p.CutRank]++
		}
	}
	var where []string
	for _, kind := range []struct {
		rank rank
		name string
	}{
		{rankBlock, "between blocks"}, {
			rankItem, "between the items of a list",
		}, {rankLine, "between rows or lines"}, {rankInLine, "within a line"},
	} {
		if n := counts[kind.rank]; n > 0 {
			where = append(where, fmt.Sprintf("%d %s", n, kind.name))
		}
	}
	if len(where) == 0 {
		return ""
	}
	return fmt.Sprintf("it is too large for one page and was split into %d parts; where its headings did not suffice: %s", len(parts),
		strings.Join(where, ", "))
}
