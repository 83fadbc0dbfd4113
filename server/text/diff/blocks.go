package diff

import (
	"bytes"
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// Text compares two versions of a text block by block, and edited blocks word by
// word. Blocks with the same id are one block. Equal texts have no changes, but
// every block is in the answer: the texts can be read off it. When ctx ends, the
// rest is left out: the caller looks at ctx.
func Text(ctx context.Context, old, new content.Text) []api.BlockDiff {
	c := comparison{
		old: old, new: new, oldAt: places(old.Blocks), newAt: places(new.Blocks),
		oldNumbers: numbering(old), newNumbers: numbering(new), words: newDiffer(ctx),
	}
	fates := c.splits(c.fates())
	diff := make([]api.BlockDiff, len(fates))
	for i, f := range fates {
		if ctx.Err() != nil {
			break
		}
		diff[i] = c.block(f)
	}
	return diff
}

// fate is what became of a block, or of a part of one.
type fate struct {
	change        api.BlockChange
	id, kind      string
	before, after *api.BlockSpan
	markers       [2]string // keys of the list numbers that it begins with
	divided       bool      // it was part of another, or another is part of it
}

// fates are those of the blocks of both texts, in the order of the new one.
func (c *comparison) fates() []fate {
	moved := c.outOfOrder()
	list := make([]fate, 0, len(c.new.Blocks))
	o := 0
	for n, is := range c.new.Blocks {
		at, kept := c.oldAt[is.ID]
		if !kept {
			list = append(list, fate{change: api.BlockAdded, id: is.ID, kind: is.Kind, after: span(is)})
			continue
		}
		was := c.old.Blocks[at]
		both := fate{
			change: api.BlockEdited, id: is.ID, kind: is.Kind, before: span(was), after: span(is), markers: c.markers(at, n),
		}
		if was.Kind != is.Kind {
			both.kind = content.KindCode // nothing is known of what its white space means
		}
		if moved[is.ID] {
			both.change = api.BlockMoved
		} else {
			list, o = c.gone(list, o, at), at+1
		}
		list = append(list, both)
	}
	return c.gone(list, o, len(c.old.Blocks))
}

// gone appends those of the blocks among old[from:to] that the new text lacks.
func (c *comparison) gone(list []fate, from, to int) []fate {
	for _, was := range c.old.Blocks[from:to] {
		if _, kept := c.newAt[was.ID]; !kept {
			list = append(list, fate{change: api.BlockRemoved, id: was.ID, kind: was.Kind, before: span(was)})
		}
	}
	return list
}

// block writes a fate out. What only separates a block from the next one does not
// make it an edited one.
func (c *comparison) block(f fate) api.BlockDiff {
	d := api.BlockDiff{Change: f.change, ID: f.id, Kind: f.kind, Before: f.before, After: f.after}
	switch {
	case f.before == nil:
		d.Runs = whole(api.TextAdded, bytesAt(c.new, f.after))
		return d
	case f.after == nil:
		d.Runs = whole(api.TextRemoved, bytesAt(c.old, f.before))
		return d
	}
	before, after := bytesAt(c.old, f.before), bytesAt(c.new, f.after)
	d.Runs = c.words.runs(f.kind, before, after, f.markers)
	alike := bare(before) == bare(after) && !f.divided
	if alike && f.change == api.BlockEdited {
		d.Change = api.BlockSame
	}
	d.Formatting = !alike && !f.divided && onlyFormatting(d.Runs)
	if at, ok := c.newAt[f.id]; ok {
		d.Kind = c.new.Blocks[at].Kind
	}
	return d
}

// Words counts the words that changed.
func Words(diff []api.BlockDiff) (count api.WordCount) {
	for _, block := range diff {
		for _, run := range block.Runs {
			if run.Formatting {
				continue
			}
			switch run.Change {
			case api.TextAdded:
				count.Added += len(strings.Fields(run.Text))
			case api.TextRemoved:
				count.Removed += len(strings.Fields(run.Text))
			case api.TextSame:
			}
		}
	}
	return count
}

// comparison is two texts with their blocks by id.
type comparison struct {
	old, new     content.Text
	oldAt, newAt map[string]int // by id
	words        *differ

	oldNumbers, newNumbers []numbered // of list items
}

func places(blocks content.Table) map[string]int {
	at := make(map[string]int, len(blocks))
	for i, block := range blocks {
		at[block.ID] = i
	}
	return at
}

// outOfOrder are the blocks that both texts have and that moved among them: the
// same ones in whichever direction the texts are compared.
func (c *comparison) outOfOrder() map[string]bool {
	at, blocks := c.oldAt, c.new.Blocks
	if bytes.Compare(c.old.Markdown, c.new.Markdown) > 0 {
		at, blocks = c.newAt, c.old.Blocks
	}
	var order []int
	var ids []string
	for _, block := range blocks {
		if i, ok := at[block.ID]; ok {
			order, ids = append(order, i), append(ids, block.ID)
		}
	}
	moved := map[string]bool{}
	for i, kept := range align.InOrder(order) {
		if !kept {
			moved[ids[i]] = true
		}
	}
	return moved
}

// bare is a block without the white space around it.
func bare(block string) string {
	b := []byte(block)
	return string(content.TrimEnd(b[content.LeadingBlank(b):]))
}

func bytesAt(text content.Text, at *api.BlockSpan) string {
	return string(text.Markdown[at.Start:at.End])
}

func span(block content.Block) *api.BlockSpan {
	return &api.BlockSpan{Start: block.Start, End: block.End}
}

func onlyFormatting(runs []api.TextRun) bool {
	for _, run := range runs {
		if run.Change != api.TextSame && !run.Formatting {
			return false
		}
	}
	return true
}

// markers are the keys of the numbers that two list items begin with. Readers see
// the number of the first item of a list; the others follow from it.
func (c *comparison) markers(o, n int) (keys [2]string) {
	was, is := c.oldNumbers[o], c.newNumbers[n]
	if was.start == "" || is.start == "" || is.first && was.start != is.start {
		return keys
	}
	return [2]string{sameNumber, sameNumber}
}

// numbered says of a block in which ordered list it is an item.
type numbered struct {
	start string // the number that the list starts with, as it is written; "" for other blocks
	first bool
}

func numbering(text content.Text) []numbered {
	list := make([]numbered, len(text.Blocks))
	for i, block := range text.Blocks {
		marker := markerOf(text.Bytes(block), block.Kind)
		switch {
		case marker == "":
		case i > 0 && list[i-1].start != "" && marker[len(marker)-1] == list[i-1].start[len(list[i-1].start)-1]:
			list[i].start = list[i-1].start
		default:
			list[i] = numbered{start: marker, first: true}
		}
	}
	return list
}

// markerOf is the number of an ordered list item, "" for other blocks.
func markerOf(block []byte, kind string) string {
	if kind != content.KindItem {
		return ""
	}
	block = bytes.TrimLeft(block[content.LeadingBlank(block):], " ")
	return strings.TrimRight(string(ordered.Find(block)), blanks)
}
