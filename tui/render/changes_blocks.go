package render

import (
	"cmp"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
)

// operation is the kind of change made to a part of a text.
type operation int

const (
	same operation = iota
	removed
	added
	edited
	moved         // at another position, and possibly edited
	splitOrJoined // split off another block or joined to it, and possibly edited
	reformatted   // no visible difference
)

// BlockChange is the change of one block between two versions of a page.
type BlockChange struct {
	Old, New Passage

	op       operation
	segments []segment
}

// Removed reports whether the block was removed.
func (c BlockChange) Removed() bool { return c.op == removed }

// Changed reports whether the change is visible to readers.
func (c BlockChange) Changed() bool { return c.op != same && c.op != reformatted }

// ID returns the id of the block in the new version.
func (c BlockChange) ID() string { return c.New.ID }

// Rewritten reports whether an existing block was edited, moved or removed.
func (c BlockChange) Rewritten() bool { return c.Changed() && c.op != added }

// FirstAddedOffset returns the offset of the first added words in the new text, or 0 if no words were added.
func (c BlockChange) FirstAddedOffset() int {
	offset := 0
	for _, p := range c.segments {
		switch {
		case p.op == added && strings.TrimSpace(p.text) != "":
			return offset + len(p.text) - len(strings.TrimLeft(p.text, " \t\r\n"))
		case p.op != removed:
			offset += len(p.text)
		}
	}
	return 0
}

// segment is a run of text with the same operation.
type segment struct {
	op   operation
	text string
}

// Blocks returns the block changes of a diff in display order.
func Blocks(d api.DocumentDiff) []BlockChange {
	page := ""
	if d.Page != nil {
		page = d.Page.ID
	}
	out := make([]BlockChange, len(d.Blocks))
	for i, b := range d.Blocks {
		c := BlockChange{op: operationOf(b), segments: textSegments(b.Runs)}
		before, after := sideTexts(b.Runs)
		c.Old = Passage{Page: page, ID: b.ID, kind: b.Kind, Text: trimNewlines(before)}
		c.New = Passage{
			Page: page, ID: b.ID, kind: b.Kind, Text: trimNewlines(after),
			Lead: len(after) - len(strings.TrimLeft(after, "\r\n")),
		}
		c.New.InList = b.Kind == "item" && i+1 < len(d.Blocks) && d.Blocks[i+1].Kind == "item"
		out[i] = c
	}
	return orderRemovedFirst(out)
}

// orderRemovedFirst moves removed blocks before the blocks that replaced them, which is the order people read them
// in.
func orderRemovedFirst(all []BlockChange) []BlockChange {
	order := map[operation]int{removed: 0, added: 1}
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && (all[to].op == added || all[to].op == removed) {
			to++
		}
		slices.SortStableFunc(all[from:to], func(a, b BlockChange) int { return cmp.Compare(order[a.op], order[b.op]) })
		from = to + 1
	}
	return all
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
		return splitOrJoined
	case api.BlockEdited:
		if b.Formatting {
			return reformatted
		}
		return edited
	default:
		return same
	}
}

// sideTexts returns the text of runs before and after the change.
func sideTexts(runs []api.TextRun) (before, after string) {
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

func trimNewlines(block string) string { return strings.Trim(block, "\r\n") }

// textSegments converts runs to pieces. It drops formatting-only differences and the line ends at both ends.
func textSegments(runs []api.TextRun) []segment {
	var out []segment
	for _, r := range runs {
		op := map[api.TextChange]operation{api.TextSame: same, api.TextAdded: added, api.TextRemoved: removed}[r.Change]
		if r.Formatting {
			if op == removed {
				continue
			}
			op = same
		}
		out = appendSegment(out, segment{op, r.Text})
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

func appendSegment(out []segment, p segment) []segment {
	if last := len(out) - 1; last >= 0 && out[last].op == p.op {
		out[last].text += p.text
		return out
	}
	return append(out, p)
}

// contextBlocks is the number of unchanged blocks shown before and after a change.
const contextBlocks = 1

// WithContext marks the blocks to show: those selected by toSee, their neighbours, and the heading above them.
func WithContext(blocks []BlockChange, toSee func(BlockChange) bool) []bool {
	near := make([]bool, len(blocks))
	heading := -1
	for i, b := range blocks {
		if b.New.kind == "heading" {
			heading = i
		}
		if !toSee(b) {
			continue
		}
		for j := max(i-contextBlocks, 0); j <= min(i+contextBlocks, len(blocks)-1); j++ {
			near[j] = true
		}
		if heading >= 0 {
			near[heading] = true
		}
	}
	return near
}
