package importer

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/server/text/content"
)

// Part is a page that a larger one was cut into. The first is the page itself; the others stand below it, in order.
type Part struct {
	*Page

	// Key is what the part begins at: an alias of the source or the fragment of its heading, which within its source path
	// only this part has; empty for the first. Where there is neither, it is the fragment of the heading before with the
	// number of the part in its section.
	Key string
	// Was is the key that the part had the last time; empty for the first and for new ones.
	Was string
	cut rank
}

// Earlier is a part that the import before made of a page. The first has no key.
type Earlier struct {
	Key      string
	Markdown []byte
}

// SplitPage cuts a page of more than size bytes, or of more blocks than pages may have, into parts, whose texts together are
// its text. What was cut the last time is cut there again, whatever its size, as long as the headings stand. Nil is for
// what is one page.
func SplitPage(page *Page, size int, earlier []Earlier) []Part {
	limit := extent{size, content.MaxBlocks}
	text := page.Markdown
	tooLarge := len(text) > limit.bytes ||
		bytes.Count(text, []byte("\n")) >= limit.blocks && len(content.Blocks(text)) > limit.blocks
	if len(earlier) < 2 && !tooLarge {
		return nil
	}
	d := newDivided(page)
	given := d.find(earlier)
	cuts := cutText(text, limit, d.places, given)
	if len(cuts) < 2 {
		return nil
	}
	return d.parts(cuts)
}

// divided is a page on its way into parts.
type divided struct {
	page     *Page
	sections []content.Section
	places   []place
	lines    []int            // offsets of the lines
	names    map[int][]string // aliases by the offset of the block that begins with their line
	was      map[int]string   // keys of the earlier parts by the offset where they begin now
}

func newDivided(page *Page) *divided {
	d := &divided{page: page, sections: content.Sections(page.Markdown), names: map[int][]string{}, was: map[int]string{}}
	levels := map[int]int{}
	for _, s := range d.sections {
		levels[s.Start] = s.Level
	}
	d.places = placesOf(page.Markdown, levels)
	d.lines = lineOffsets(page.Markdown)
	d.nameLines()
	return d
}

// nameLines notes the aliases of each line. Of equal ones the first counts.
func (d *divided) nameLines() {
	known := map[string]bool{}
	for _, a := range slices.SortedStableFunc(slices.Values(d.page.Aliases), func(a, b content.Alias) int { return a.Line - b.Line }) {
		if !known[a.Name] {
			at := d.lineAt(a.Line)
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

// lineAt is the offset of a line.
func (d *divided) lineAt(line int) int { return d.lines[min(max(line, 0), len(d.lines)-1)] }

// line is the number of the line with an offset.
func (d *divided) line(at int) int {
	n, found := slices.BinarySearch(d.lines, at)
	if !found {
		n--
	}
	return n
}

// section is the one that has an offset.
func (d *divided) section(at int) content.Section {
	i, found := slices.BinarySearchFunc(d.sections, at, func(s content.Section, at int) int { return s.Start - at })
	if !found {
		i--
	}
	if i < 0 {
		return content.Section{}
	}
	return d.sections[i]
}

// parts makes the pages of a text that is cut.
func (d *divided) parts(cuts []place) []Part {
	parts := make([]Part, 0, len(cuts))
	counts, keys, taken := map[int]int{}, map[string]bool{}, Slugs{}
	for n, c := range cuts {
		end := len(d.page.Markdown)
		if n+1 < len(cuts) {
			end = cuts[n+1].at
		}
		p := Part{Page: &Page{Markdown: d.page.Markdown[c.at:end:end]}, Was: d.was[c.at], cut: c.rank}
		if n == 0 {
			whole := *d.page
			whole.Markdown = p.Markdown
			p.Page = &whole
		} else {
			p.Source, p.Path, p.OID = d.page.Source, d.page.Path, d.page.OID
			p.Key, p.Title = d.begin(c.at, counts)
			for keys[p.Key] {
				p.Key += "~"
			}
			keys[p.Key] = true
			p.Wish = SlugOf(p.Title)
			p.Slug = taken.Take(p.Wish)
		}
		p.Aliases = d.aliases(c.at, end, p.Markdown)
		parts = append(parts, p)
	}
	return parts
}

// begin is what a part begins at, and its title.
func (d *divided) begin(at int, counts map[int]int) (key, title string) {
	s := d.section(at)
	if s.Start == at && s.Level > 0 {
		if names := d.names[at]; len(names) > 0 {
			return names[0], OrTitle(s.Title)
		}
		return s.Anchor, OrTitle(s.Title)
	}
	counts[s.Start]++
	number := counts[s.Start] + 1
	title = cmp.Or(s.Title, d.page.Title, "Untitled") + ", continued"
	if number > 2 {
		title += fmt.Sprintf(" (%d)", number)
	}
	if names := d.names[at]; len(names) > 0 {
		return names[0], title
	}
	return fmt.Sprintf("%s~%d", s.Anchor, number), title
}

// aliases are those of the page that lead into a part, and the fragments of headings that are others in the part alone:
// of those with the same words the whole text counts more.
func (d *divided) aliases(start, end int, text []byte) (aliases []content.Alias) {
	before := d.line(start)
	for _, a := range d.page.Aliases {
		if at := d.lineAt(a.Line); at >= start && at < end {
			aliases = append(aliases, content.Alias{Name: a.Name, Line: a.Line - before, Spot: a.Spot})
		}
	}
	if start == 0 {
		return aliases
	}
	own := map[int]string{}
	for _, s := range content.Sections(text) {
		own[start+s.Start] = s.Anchor
	}
	first, _ := slices.BinarySearchFunc(d.sections, start, func(s content.Section, at int) int { return s.Start - at })
	for _, s := range d.sections[first:] {
		if s.Start >= end {
			break
		}
		if anchor, is := own[s.Start]; is && s.Level > 0 && anchor != s.Anchor {
			aliases = append(aliases, content.Alias{Name: s.Anchor, Line: d.line(s.Start) - before})
		}
	}
	return aliases
}

// Note says in a sentence how a page was split, where headings did not suffice; else it is empty.
func Note(parts []Part) string {
	counts := map[rank]int{}
	for n, p := range parts {
		if n > 0 && p.cut >= rankBlock {
			counts[p.cut]++
		}
	}
	var where []string
	for _, kind := range []struct {
		rank rank
		name string
	}{{rankBlock, "between blocks"}, {rankItem, "between the items of a list"}, {rankLine, "between rows or lines"}, {rankInLine, "within a line"}} {
		if n := counts[kind.rank]; n > 0 {
			where = append(where, fmt.Sprintf("%d %s", n, kind.name))
		}
	}
	if len(where) == 0 {
		return ""
	}
	return fmt.Sprintf("it is too large for one page and was split into %d parts; where its headings did not suffice: %s", len(parts), strings.Join(where, ", "))
}
