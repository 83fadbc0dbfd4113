package review

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
)

// layout is a text as people find their way in it. One serves all conflicts in a text.
type layout struct {
	content.Text
	index   map[string]int // block id -> position
	count   []int          // which of its kind a block is below its heading
	heading []int          // the heading that a block stands below, -1 for none that says anything
	units   map[int][]unit // sentences or lines of a block
	found   map[string]int // where the last passage of a block was found: they are asked for in order
}

// unit is where a sentence or line stands in its block.
type unit struct{ start, end int }

func newLayout(text content.Text) *layout {
	l := &layout{
		Text: text, index: make(map[string]int, len(text.Blocks)), count: make([]int, len(text.Blocks)), heading: make([]int, len(text.Blocks)),
		units: map[int][]unit{}, found: map[string]int{},
	}
	heading, first, counts := -1, true, map[string]int{}
	for i, block := range text.Blocks {
		l.index[block.ID] = i
		counts[block.Kind]++
		l.count[i], l.heading[i] = counts[block.Kind], heading
		if block.Kind != content.KindHeading {
			continue
		}
		if counts = map[string]int{}; !first {
			heading = i
		}
		first = false // it is the title of the page
	}
	return l
}

// block is the position of a block, -1 where it is not there.
func (l *layout) block(id string) int {
	if n, ok := l.index[id]; ok {
		return n
	}
	return -1
}

// bytes is the nth block.
func (l *layout) bytes(n int) string { return string(l.Bytes(l.Blocks[n])) }

// spot is where a passage stands in a text, for people.
type spot struct {
	place         string // as in: paragraph 3, sentence 2 of 3
	noun          string // what it is, as in: sentence
	before, after string // the rest of its block
}

// blockNouns are what people call the kinds of blocks.
var blockNouns = map[string]string{
	content.KindFrontMatter: "front matter", content.KindHeading: "heading", content.KindParagraph: "paragraph",
	content.KindItem: "list item", content.KindTable: "table", content.KindCode: "code block", content.KindQuote: "quote",
	content.KindHTML: "HTML block", content.KindRule: "line", content.KindDefinition: "link definition", content.KindBlank: "blank text",
	content.KindHint: "hint", content.KindTabs: "tabs", content.KindStepper: "steps", content.KindColumns: "columns",
	content.KindContainer: "block",
}

// nounOf is what people call a block.
func nounOf(kind string) string {
	if noun := blockNouns[kind]; noun != "" {
		return noun
	}
	return "block"
}

// find is where a passage begins: in the block behind the passage that was found there before, or else anywhere, or -1.
func (l *layout) find(block, passage string) int {
	from := l.found[block]
	if n := l.block(block); n >= 0 {
		from = max(from, l.Blocks[n].Start)
	}
	for _, start := range []int{from, 0} {
		if at := bytes.Index(l.Markdown[start:], []byte(passage)); at >= 0 {
			l.found[block] = start + at + len(passage)
			return start + at
		}
	}
	return -1
}

// spot finds a passage.
func (l *layout) spot(block, passage string) spot {
	at, n := l.find(block, passage), l.block(block)
	switch {
	case at < 0 && n < 0, block == "" && len(passage) == len(l.Markdown):
		return spot{place: "the whole text", noun: "text"}
	case at < 0:
		return spot{place: l.place(n), noun: nounOf(l.Blocks[n].Kind)}
	}
	from, to := l.at(at), l.at(at+max(len(strings.TrimRight(passage, " \t\r\n"))-1, 0))
	if from != to {
		return spot{place: l.place(from) + " to " + l.place(to), noun: "passage"}
	}
	return l.within(from, at, passage)
}

// at is the block at an offset.
func (l *layout) at(offset int) int {
	n := sort.Search(len(l.Blocks), func(i int) bool { return offset < l.Blocks[i].End })
	return min(n, len(l.Blocks)-1)
}

// within is where a passage stands in the nth block, by its sentences or lines.
func (l *layout) within(n, at int, passage string) spot {
	block := l.Blocks[n]
	body := string(content.TrimEnd(l.Bytes(block)))
	start, end := at-block.Start, min(at-block.Start+len(passage), len(body))
	s := spot{place: l.place(n), noun: nounOf(block.Kind)}
	if lead := content.LeadingBlank([]byte(body)); start <= lead && end == len(body) {
		return s
	}
	s.noun = "sentence"
	if content.ByLines(block.Kind) {
		s.noun = "line"
	}
	units := l.unitsOf(n, body)
	first := sort.Search(len(units), func(i int) bool { return start < units[i].end })
	last := max(sort.Search(len(units), func(i int) bool { return end <= units[i].start })-1, first)
	if len(units) > 1 && first < len(units) {
		s.place += ", " + ofAll(s.noun, first+1, last+1, len(units))
	}
	if first != last {
		s.noun = "passage"
	}
	s.before, s.after = lastRunes(body[:start]), firstRunes(body[end:])
	return s
}

// unitsOf are the sentences or lines of the nth block.
func (l *layout) unitsOf(n int, body string) []unit {
	if known, ok := l.units[n]; ok {
		return known
	}
	texts := merge.Sentences(body)
	if content.ByLines(l.Blocks[n].Kind) {
		texts = merge.Lines(body)
	}
	units, offset := make([]unit, len(texts)), 0
	for i, text := range texts {
		start := offset + strings.Index(body[offset:], text)
		offset = start + len(text)
		units[i] = unit{start, offset}
	}
	l.units[n] = units
	return units
}

// ofAll is a stretch of units among all, as in: sentences 2 to 3 of 5.
func ofAll(noun string, from, to, of int) string {
	if from == to {
		return fmt.Sprintf("%s %d of %d", noun, from, of)
	}
	return fmt.Sprintf("%ss %d to %d of %d", noun, from, to, of)
}

// place says where a block stands: below which heading, and the how many-th of its kind there.
func (l *layout) place(n int) string {
	kind := l.Blocks[n].Kind
	if kind == content.KindHeading {
		return "heading " + Quoted(l.words(n))
	}
	if kind == content.KindFrontMatter {
		return nounOf(kind)
	}
	place := fmt.Sprintf("%s %d", nounOf(kind), l.count[n])
	if l.heading[n] < 0 {
		return place
	}
	return Quoted(l.words(l.heading[n])) + ", " + place
}

// words are the words of a heading.
func (l *layout) words(n int) string { return content.Title(l.Bytes(l.Blocks[n])) }

// behind says after which block something stands.
func (l *layout) behind(block string) string {
	n := l.block(block)
	switch {
	case n < 0:
		return "at the top"
	case l.Blocks[n].Kind == content.KindHeading:
		return "after " + l.place(n)
	}
	return "after " + l.place(n) + ": " + Quoted(firstRunes(l.bytes(n)))
}
