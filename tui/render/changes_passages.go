package render

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// Passage is a block of a page with its text.
type Passage struct {
	Page   string // page id
	ID     string // block id, empty for text outside of blocks
	Text   string // without surrounding white space
	Lead   int    // number of bytes of line ends in the block before Text
	InList bool   // whether the next block is an item of the same list

	kind string
}

// Passages splits a page into its blocks. The block offsets of the server are validated, and text outside of all
// blocks becomes passages of its own, so that nothing is hidden.
func Passages(p api.RevisionPage) []Passage {
	if p.Markdown == nil {
		return nil
	}
	source := *p.Markdown
	var out []Passage
	offset := 0
	for _, b := range p.Blocks {
		if b.Start < offset || b.End < b.Start || b.End > len(source) {
			continue
		}
		out = appendPassage(out, Passage{Page: p.ID, Text: source[offset:b.Start]})
		out = appendPassage(out, Passage{Page: p.ID, ID: b.ID, kind: b.Kind, Text: source[b.Start:b.End]})
		offset = b.End
	}
	out = appendPassage(out, Passage{Page: p.ID, Text: source[offset:]})
	for i := range out[:max(len(out)-1, 0)] {
		out[i].InList = out[i].kind == "item" && out[i+1].kind == "item"
	}
	return out
}

func appendPassage(out []Passage, p Passage) []Passage {
	p.Lead = len(p.Text) - len(strings.TrimLeft(p.Text, "\r\n"))
	p.Text = strings.Trim(p.Text, "\r\n")
	if strings.TrimSpace(p.Text) == "" {
		return out
	}
	return append(out, p)
}

// Lines draws the passage as rendered Markdown in lines of at most width cells, with wide parts at the position at.
func (p Passage) Lines(width, at int) ([]Line, Pan) {
	pan := panner{position: at}
	lines := p.lines(width, &pan)
	return lines, pan.pan()
}

func (p Passage) lines(width int, pan *panner) []Line {
	if p.kind == "frontmatter" {
		return pan.drawSource(p.Text, Style{Tone: Dim}, width)
	}
	lines := renderMarkdown(p.Text, width, pan)
	if p.kind != "table" {
		pan.headerLine = 0
	}
	return lines
}
