package review

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/merge"
)

// textLayout is an index of a text by block, for describing positions. It is shared by all conflicts in the text.
type textLayout struct {
	content.Text
	index     map[string]int // index by block id
	ordinals  []int          // number of a block among those of its kind below its heading
	headings  []int          // index of the heading above a block, -1 if there is none
	units     map[int][]unit // sentences or lines by block
	lastFound map[string]int // end of the last passage found in a block; passages are looked up in order
}

// unit is the byte range of a sentence or line within its block.
type unit struct{ start, end int }

func newTextLayout(text content.Text) *textLayout {
	l := &textLayout{
		Text: text, index: make(map[string]int, len(text.Blocks)), ordinals: make([]int, len(text.Blocks)), headings: make([]int,
			len(text.Blocks)),
		units: map[int][]unit{}, lastFound: map[string]int{},
	}
	heading, first, counts := -1, true, map[string]int{}
	for i, block := range text.Blocks {
		l.index[block.ID] = i
		counts[block.Kind]++
		l.ordinals[i], l.headings[i] = counts[block.Kind], heading
		if block.Kind != content.KindHeading {
			continue
		}
		if counts = map[string]int{}; !first {
			heading = i
		}
		first = false // the first heading is the title of the page
	}
	return l
}

// blockIndex returns the index of a block, or -1 if it does not exist.
func (l *textLayout) blockIndex(id string) int {
	if n, ok := l.index[id]; ok {
		return n
	}
	return -1
}

// blockText returns the text of the nth block.
func (l *textLayout) blockText(n int) string { return string(l.Bytes(l.Blocks[n])) }

// passageLocation describes the position of a passage in a text.
type passageLocation struct {
	label         string // such as: paragraph 3, sentence 2 of 3
	noun          string // kind of passage, such as: sentence
	before, after string // the rest of its block
}

// blockNouns maps the kinds of blocks to their display names.
var blockNouns = map[string]string{
	content.KindFrontMatter: "front matter", content.KindHeading: "heading", content.KindParagraph: "paragraph",
	content.KindItem: "list item", content.KindTable: "table", content.KindCode: "code block", content.KindQuote: "quote",
	content.KindHTML: "HTML block", content.KindRule: "line", content.KindDefinition: "link definition", content.KindBlank: "blank text",
	content.KindHint: "hint", content.KindTabs: "tabs", content.KindStepper: "steps", content.KindColumns: "columns",
	content.KindContainer: "block",
}

// blockNoun returns the display name of a kind of block.
func blockNoun(kind string) string {
	if noun := blockNouns[kind]; noun != "" {
		return noun
	}
	return "block"
}

// findPassage returns the offset of a passage, or -1. It searches the block first, from the end of the passage last
// found there, and then the whole text.
func (l *textLayout) findPassage(block, passage string) int {
	from := l.lastFound[block]
	if n := l.blockIndex(block); n >= 0 {
		from = max(from, l.Blocks[n].Start)
	}
	for _, start := range []int{from, 0} {
		if at := bytes.Index(l.Markdown[start:], []byte(passage)); at >= 0 {
			l.lastFound[block] = start + at + len(passage)
			return start + at
		}
	}
	return -1
}

// locate returns the location of a passage of a block.
func (l *textLayout) locate(block, passage string) passageLocation {
	at, n := l.findPassage(block, passage), l.blockIndex(block)
	switch {
	case at < 0 && n < 0, block == "" && len(passage) == len(l.Markdown):
		return passageLocation{label: "the whole text", noun: "text"}
	case at < 0:
		return passageLocation{label: l.blockLabel(n), noun: blockNoun(l.Blocks[n].Kind)}
	}
	from, to := l.blockAt(at), l.blockAt(at+max(len(strings.TrimRight(passage, " \t\r\n"))-1, 0))
	if from != to {
		return passageLocation{label: l.blockLabel(from) + " to " + l.blockLabel(to), noun: "passage"}
	}
	return l.locateInBlock(from, at, passage)
}

// blockAt returns the index of the block at an offset.
func (l *textLayout) blockAt(offset int) int {
	n := sort.Search(len(l.Blocks), func(i int) bool { return offset < l.Blocks[i].End })
	return min(n, len(l.Blocks)-1)
}

// locateInBlock returns the location of a passage within the nth block, by sentences or lines. at is its offset in
// the text.
func (l *textLayout) locateInBlock(n, at int, passage string) passageLocation {
	block := l.Blocks[n]
	body := string(content.TrimEnd(l.Bytes(block)))
	start, end := at-block.Start, min(at-block.Start+len(passage), len(body))
	s := passageLocation{label: l.blockLabel(n), noun: blockNoun(block.Kind)}
	if lead := content.LeadingBlank([]byte(body)); start <= lead && end == len(body) {
		return s
	}
	s.noun = "sentence"
	if content.LineBased(block.Kind) {
		s.noun = "line"
	}
	units := l.blockUnits(n, body)
	first := sort.Search(len(units), func(i int) bool { return start < units[i].end })
	last := max(sort.Search(len(units), func(i int) bool { return end <= units[i].start })-1, first)
	if len(units) > 1 && first < len(units) {
		s.label += ", " + rangeLabel(s.noun, first+1, last+1, len(units))
	}
	if first != last {
		s.noun = "passage"
	}
	s.before, s.after = lastRunes(body[:start]), firstRunes(body[end:])
	return s
}

// blockUnits returns the sentences or lines of the nth block.
func (l *textLayout) blockUnits(n int, body string) []unit {
	if known, ok := l.units[n]; ok {
		return known
	}
	texts := merge.Sentences(body)
	if content.LineBased(l.Blocks[n].Kind) {
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

// rangeLabel returns a label such as "sentences 2 to 3 of 5".
func rangeLabel(noun string, from, to, of int) string {
	if from == to {
		return fmt.Sprintf("%s %d of %d", noun, from, of)
	}
	return fmt.Sprintf("%ss %d to %d of %d", noun, from, to, of)
}

// blockLabel describes the position of a block: its heading, and its number among the blocks of its kind below that
// heading.
func (l *textLayout) blockLabel(n int) string {
	kind := l.Blocks[n].Kind
	if kind == content.KindHeading {
		return "heading " + Quote(l.headingTitle(n))
	}
	if kind == content.KindFrontMatter {
		return blockNoun(kind)
	}
	place := fmt.Sprintf("%s %d", blockNoun(kind), l.ordinals[n])
	if l.headings[n] < 0 {
		return place
	}
	return Quote(l.headingTitle(l.headings[n])) + ", " + place
}

// headingTitle returns the text of a heading.
func (l *textLayout) headingTitle(n int) string { return content.Title(l.Bytes(l.Blocks[n])) }

// afterLabel describes the position after a block; "" and unknown blocks mean the top of the text.
func (l *textLayout) afterLabel(block string) string {
	n := l.blockIndex(block)
	switch {
	case n < 0:
		return "at the top"
	case l.Blocks[n].Kind == content.KindHeading:
		return "after " + l.blockLabel(n)
	}
	return "after " + l.blockLabel(n) + ": " + Quote(firstRunes(l.blockText(n)))
}
