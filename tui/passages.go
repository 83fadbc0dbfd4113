package tui

import (
	"strings"

	"docspace.dev/wsd/client/api"
)

// passage is a block of a page with its text.
type passage struct {
	page   string
	id     string
	kind   string
	text   string // without white space around it
	inList bool   // the next block is an item of the same list
}

// passages cuts a page into its blocks. What the server says of them is checked: text outside of every block is a
// passage of its own, so that nothing is hidden.
func passages(p api.RevisionPage) []passage {
	if p.Markdown == nil {
		return nil
	}
	source := *p.Markdown
	var out []passage
	at := 0
	for _, b := range p.Blocks {
		if b.Start < at || b.End < b.Start || b.End > len(source) {
			continue
		}
		out = appendPassage(out, passage{page: p.ID, text: source[at:b.Start]})
		out = appendPassage(out, passage{page: p.ID, id: b.ID, kind: b.Kind, text: source[b.Start:b.End]})
		at = b.End
	}
	out = appendPassage(out, passage{page: p.ID, text: source[at:]})
	for i := range out[:max(len(out)-1, 0)] {
		out[i].inList = out[i].kind == "item" && out[i+1].kind == "item"
	}
	return out
}

func appendPassage(out []passage, p passage) []passage {
	p.text = strings.Trim(p.text, "\r\n")
	if strings.TrimSpace(p.text) == "" {
		return out
	}
	return append(out, p)
}
