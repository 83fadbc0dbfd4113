package tui

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/tui/text"
)

// This file turns what the server says of changes into what is drawn.

// pageChange is what became of a page.
type pageChange struct {
	page             api.ChangedPage
	created, deleted bool
	moved            *api.ParentChange
	attributes       map[string]api.AttributeChange
}

func (c pageChange) sign() string {
	switch {
	case c.created:
		return "+"
	case c.deleted:
		return "-"
	default:
		return "~"
	}
}

func (c pageChange) tone() text.Tone {
	return map[string]text.Tone{"+": text.Added, "-": text.Removed, "~": text.Accent}[c.sign()]
}

// shown is the page as pages of the screen name it.
func (c pageChange) shown() api.RevisionPage {
	return api.RevisionPage{ID: c.page.ID, Type: c.page.Type, Title: c.page.Title, Path: c.page.Path}
}

// what says what happened to the page, for people.
func (c pageChange) what() string {
	switch {
	case c.created:
		return "new"
	case c.deleted:
		return "deleted"
	}
	var parts []string
	settings := false
	for name := range c.attributes {
		settings = settings || name != "document" && name != "title" && name != "slug"
	}
	if _, ok := c.attributes["document"]; ok {
		parts = append(parts, "edited")
	}
	if was, ok := c.before("title"); ok {
		parts = append(parts, "was “"+was+"”")
	}
	if was, ok := c.before("slug"); ok {
		parts = append(parts, "was at "+was)
	}
	if c.moved != nil {
		parts = append(parts, "moved"+from(*c.moved))
	}
	if settings {
		parts = append(parts, "settings")
	}
	return strings.Join(parts, ", ")
}

// before is what an attribute was.
func (c pageChange) before(name string) (was string, ok bool) {
	a, ok := c.attributes[name]
	return was, ok && json.Unmarshal(a.Before, &was) == nil
}

// from says where a page came from, if that is another parent.
func from(parent api.ParentChange) string {
	switch {
	case parent.Before == nil && parent.After == nil:
		return ""
	case parent.Before == nil:
		return " from the top"
	case parent.After != nil && parent.After.ID == parent.Before.ID:
		return ""
	}
	return " from “" + parent.Before.Title + "”"
}

// proposed is what a change request changes: its pages, each once, and the rest in words.
type proposed struct {
	pages []pageChange
	rest  []string
	more  int
}

func proposedBy(c api.SemanticChanges) proposed {
	p := proposed{more: c.More}
	for _, change := range c.Changes {
		if change.Page == nil {
			p.rest = append(p.rest, inWords(change)...)
			continue
		}
		if n := len(p.pages); n == 0 || p.pages[n-1].page.ID != change.Page.ID {
			p.pages = append(p.pages, pageChange{page: *change.Page})
		}
		last := &p.pages[len(p.pages)-1]
		switch change.Type {
		case api.PageCreated:
			last.created = true
		case api.PageDeleted:
			last.deleted = true
		case api.PageMoved:
			last.moved = change.Parent
		default:
			last.attributes = change.Attributes
		}
	}
	return p
}

// inWords says what happened to something that is no page.
func inWords(c api.SemanticChange) []string {
	signs := map[api.SemanticChangeType]string{
		api.FileCreated: "+ file ", api.FileEdited: "~ file ", api.FileDeleted: "- file ",
		api.ReusableContentCreated: "+ reusable ", api.ReusableContentEdited: "~ reusable ", api.ReusableContentDeleted: "- reusable ",
	}
	switch {
	case c.File != nil:
		return []string{signs[c.Type] + c.File.Name}
	case c.ReusableContent != nil:
		return []string{signs[c.Type] + titled(c.ReusableContent.Title)}
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		v := c.Variables[name]
		switch {
		case v.Before == nil:
			lines = append(lines, fmt.Sprintf("+ variable %s: %s", name, *v.After))
		case v.After == nil:
			lines = append(lines, fmt.Sprintf("- variable %s: %s", name, *v.Before))
		default:
			lines = append(lines, fmt.Sprintf("~ variable %s: %s, was %s", name, *v.After, *v.Before))
		}
	}
	return lines
}

// operation is what happened to a piece of a text.
type operation int

const (
	same operation = iota
	removed
	added
	edited
	moved       // it stands elsewhere now, and may be edited
	divided     // split off another block or joined to it, and may be edited
	reformatted // readers see no difference
)

// blockChange is what became of a block.
type blockChange struct {
	op       operation
	old, new passage
	pieces   []piece
}

// piece is a run of a text that has one fate.
type piece struct {
	op   operation
	text string
}

// blockChanges are the blocks of a diff, as they are drawn.
func blockChanges(d api.DocumentDiff) []blockChange {
	page := ""
	if d.Page != nil {
		page = d.Page.ID
	}
	out := make([]blockChange, len(d.Blocks))
	for i, b := range d.Blocks {
		c := blockChange{op: operationOf(b), pieces: pieces(b.Runs)}
		before, after := bothTexts(b.Runs)
		c.old = passage{page: page, id: b.ID, kind: b.Kind, text: trimmed(before)}
		c.new = passage{page: page, id: b.ID, kind: b.Kind, text: trimmed(after)}
		c.new.inList = b.Kind == "item" && i+1 < len(d.Blocks) && d.Blocks[i+1].Kind == "item"
		out[i] = c
	}
	return out
}

func operationOf(b api.BlockDiff) operation {
	switch b.Change {
	case api.BlockAdded:
		return added
	case api.BlockRemoved:
		return removed
	case api.BlockMoved:
		return moved
	case api.BlockSplit, api.BlockJoined:
		return divided
	case api.BlockEdited:
		if b.Formatting {
			return reformatted
		}
		return edited
	default:
		return same
	}
}

// bothTexts are what runs were and what they are.
func bothTexts(runs []api.TextRun) (before, after string) {
	var was, is strings.Builder
	for _, r := range runs {
		if r.Change != api.TextAdded {
			was.WriteString(r.Text)
		}
		if r.Change != api.TextRemoved {
			is.WriteString(r.Text)
		}
	}
	return was.String(), is.String()
}

func trimmed(block string) string { return strings.Trim(block, "\r\n") }

// pieces are runs without what is formatting only, and without the line ends around them.
func pieces(runs []api.TextRun) []piece {
	var out []piece
	for _, r := range runs {
		op := map[api.TextChange]operation{api.TextSame: same, api.TextAdded: added, api.TextRemoved: removed}[r.Change]
		if r.Formatting {
			if op == removed {
				continue
			}
			op = same
		}
		out = joinPiece(out, piece{op, r.Text})
	}
	for len(out) > 0 && strings.Trim(out[len(out)-1].text, "\r\n") == "" {
		out = out[:len(out)-1]
	}
	for i := range out {
		if i == 0 {
			out[i].text = strings.TrimLeft(out[i].text, "\r\n")
		}
		if i == len(out)-1 {
			out[i].text = strings.TrimRight(out[i].text, "\r\n")
		}
	}
	return out
}

func joinPiece(out []piece, p piece) []piece {
	if last := len(out) - 1; last >= 0 && out[last].op == p.op {
		out[last].text += p.text
		return out
	}
	return append(out, p)
}

// cutLine is a whole line of a comparison: the same on both sides, or of one side and with something that differs.
type cutLine struct {
	op    operation
	parts []piece // same, and what differs
}

func (l cutLine) text() string {
	var whole strings.Builder
	for _, p := range l.parts {
		whole.WriteString(p.text)
	}
	return whole.String()
}

// lines cuts pieces into whole lines: those that are the same, and those of each side that differ in something.
func lines(pieces []piece) []cutLine {
	l := lineCutter{}
	for _, p := range pieces {
		for rest := p.text; rest != ""; {
			part, after, ended := strings.Cut(rest, "\n")
			l.add(p.op, part)
			if ended {
				l.end(p.op)
			}
			rest = after
		}
	}
	l.end(same)
	l.flush()
	return l.out
}

// lineCutter is what lines knows of the line that it is in.
type lineCutter struct {
	out        []cutLine
	gone, come []cutLine // that are not written yet
	old, new   []piece
	changed    bool
}

func (l *lineCutter) add(op operation, part string) {
	if part == "" {
		return
	}
	l.changed = l.changed || op != same
	if op != added {
		l.old = append(l.old, piece{op, part})
	}
	if op != removed {
		l.new = append(l.new, piece{op, part})
	}
}

// end ends the line of one side, or of both.
func (l *lineCutter) end(op operation) {
	switch {
	case op == removed:
		l.gone, l.old = append(l.gone, cutLine{removed, l.old}), nil
	case op == added:
		l.come, l.new = append(l.come, cutLine{added, l.new}), nil
	case l.changed:
		l.gone, l.come = append(l.gone, cutLine{removed, l.old}), append(l.come, cutLine{added, l.new})
		l.old, l.new, l.changed = nil, nil, false
	default:
		l.flush()
		l.out = append(l.out, cutLine{same, l.new})
		l.old, l.new = nil, nil
	}
	if op != same {
		l.changed = len(l.old)+len(l.new) > 0
	}
}

func (l *lineCutter) flush() {
	l.out = slices.Concat(l.out, l.gone, l.come)
	l.gone, l.come = nil, nil
}
