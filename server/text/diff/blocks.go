package diff

import (
	"bytes"
	"context"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
	"docspace.dev/wsd/server/text/content"
)

// Text compares two versions of a text block by block, and edited blocks word by word. Blocks are matched by id. The
// result contains every block, so both texts can be reconstructed from it. If ctx is cancelled, the result is
// incomplete; the caller must check ctx.
func Text(ctx context.Context, old, new content.Text) []api.BlockDiff {
	c := comparison{
		old: old, new: new, oldIndex: indexByID(old.Blocks), newIndex: indexByID(new.Blocks),
		oldPositions: listPositions(old), newPositions: listPositions(new), differ: newDiffer(ctx),
	}
	fates := c.findSplits(c.outcomes())
	diff := make([]api.BlockDiff, len(fates))
	for i, f := range fates {
		if ctx.Err() != nil {
			break
		}
		diff[i] = c.blockDiff(f)
	}
	return diff
}

// outcome is the change of a block, or of a part of one.
type outcome struct {
	change        api.BlockChange
	id, kind      string
	before, after *api.BlockSpan
	markers       [2]string // keys of the block's list numbers
	divided       bool      // it was split off another block, or joined with one
}

// outcomes returns the changes of the blocks of both texts, in the order of the new one.
func (c *comparison) outcomes() []outcome {
	moved := c.movedBlocks()
	list := make([]outcome, 0, len(c.new.Blocks))
	o := 0
	for n, is := range c.new.Blocks {
		at, kept := c.oldIndex[is.ID]
		if !kept {
			list = append(list, outcome{change: api.BlockAdded, id: is.ID, kind: is.Kind, after: span(is)})
			continue
		}
		was := c.old.Blocks[at]
		both := outcome{
			change: api.BlockEdited, id: is.ID, kind: is.Kind, before: span(was), after: span(is), markers: c.markers(at, n),
		}
		if was.Kind != is.Kind {
			both.kind = content.KindCode // the kinds differ: the significance of white space is unknown
		}
		if moved[is.ID] {
			both.change = api.BlockMoved
		} else {
			list, o = c.appendRemoved(list, o, at), at+1
		}
		list = append(list, both)
	}
	return c.appendRemoved(list, o, len(c.old.Blocks))
}

// appendRemoved appends the blocks of old[from:to] that the new text lacks.
func (c *comparison) appendRemoved(list []outcome, from, to int) []outcome {
	for _, was := range c.old.Blocks[from:to] {
		if _, kept := c.newIndex[was.ID]; !kept {
			list = append(list, outcome{change: api.BlockRemoved, id: was.ID, kind: was.Kind, before: span(was)})
		}
	}
	return list
}

// blockDiff returns the diff of a block. The white space after a block is not compared.
func (c *comparison) blockDiff(f outcome) api.BlockDiff {
	d := api.BlockDiff{Change: f.change, ID: f.id, Kind: f.kind, Before: f.before, After: f.after}
	switch {
	case f.before == nil:
		d.Runs = singleRun(api.TextAdded, bytesAt(c.new, f.after))
		return d
	case f.after == nil:
		d.Runs = singleRun(api.TextRemoved, bytesAt(c.old, f.before))
		return d
	}
	before, after := bytesAt(c.old, f.before), bytesAt(c.new, f.after)
	d.Runs = c.differ.runs(f.kind, before, after, f.markers)
	alike := trimBlank(before) == trimBlank(after) && !f.divided
	if alike && f.change == api.BlockEdited {
		d.Change = api.BlockSame
	}
	d.Formatting = !alike && !f.divided && onlyFormatting(d.Runs)
	if at, ok := c.newIndex[f.id]; ok {
		d.Kind = c.new.Blocks[at].Kind
	}
	return d
}

// CountWords counts the changed words.
func CountWords(diff []api.BlockDiff) (count api.WordCount) {
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

// comparison holds two texts with their blocks by id.
type comparison struct {
	old, new           content.Text
	oldIndex, newIndex map[string]int // index by id
	differ             *differ

	oldPositions, newPositions []listPosition // of list items
}

func indexByID(blocks content.Table) map[string]int {
	at := make(map[string]int, len(blocks))
	for i, block := range blocks {
		at[block.ID] = i
	}
	return at
}

// movedBlocks returns the common blocks that moved. The result does not depend on the direction of the comparison.
func (c *comparison) movedBlocks() map[string]bool {
	at, blocks := c.oldIndex, c.new.Blocks
	if bytes.Compare(c.old.Markdown, c.new.Markdown) > 0 {
		at, blocks = c.newIndex, c.old.Blocks
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

// trimBlank returns a block without surrounding white space.
func trimBlank(block string) string {
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

// markers returns the keys of the numbers of two list items. Only the number of the first item of a list is displayed
// as written.
func (c *comparison) markers(o, n int) (keys [2]string) {
	was, is := c.oldPositions[o], c.newPositions[n]
	if was.start == "" || is.start == "" || is.first && was.start != is.start {
		return keys
	}
	return [2]string{sameNumber, sameNumber}
}

// listPosition is the position of a block in an ordered list.
type listPosition struct {
	start string // first number of the list as written, "" for other blocks
	first bool
}

func listPositions(text content.Text) []listPosition {
	list := make([]listPosition, len(text.Blocks))
	for i, block := range text.Blocks {
		marker := markerOf(text.Bytes(block), block.Kind)
		switch {
		case marker == "":
		case i > 0 && list[i-1].start != "" && marker[len(marker)-1] == list[i-1].start[len(list[i-1].start)-1]:
			list[i].start = list[i-1].start
		default:
			list[i] = listPosition{start: marker, first: true}
		}
	}
	return list
}

// markerOf returns the number of an ordered list item, or "" for other blocks.
func markerOf(block []byte, kind string) string {
	if kind != content.KindItem {
		return ""
	}
	block = bytes.TrimLeft(block[content.LeadingBlank(block):], " ")
	return strings.TrimRight(string(orderedMarker.Find(block)), blanks)
}
