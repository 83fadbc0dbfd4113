package diff

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/align"
)

// minCommonWords is the minimum number of common words, in addition to half of its words, at which a block counts as split
// off another.
const minCommonWords = 3

// findSplits finds blocks that were split off or joined with their neighbours, so that their words do not count as new.
func (c *comparison) findSplits(list []outcome) []outcome {
	for i := 1; i < len(list); i++ {
		c.divide(&list[i-1], &list[i])
	}
	for i := len(list) - 1; i > 0; i-- {
		c.divide(&list[i-1], &list[i])
	}
	return list
}

// divide handles two neighbours of which one is edited and the other added or removed: if the words of both occur in the other
// version of the edited one, that version is divided between them.
func (c *comparison) divide(left, right *outcome) {
	known, other := left, right
	if !divisible(left.change) {
		known, other = right, left
	}
	if !divisible(known.change) || left.kind != right.kind {
		return
	}
	switch {
	case other.change == api.BlockAdded:
		at, ok := c.cutOffset(known.kind, bytesAt(c.old, known.before), bytesAt(c.new, left.after), bytesAt(c.new, right.after))
		if ok {
			left.before, right.before = splitSpan(known.before, at)
			other.change, left.divided, right.divided = api.BlockSplit, true, true
		}
	case other.change == api.BlockRemoved && left.before.End == right.before.Start:
		at, ok := c.cutOffset(known.kind, bytesAt(c.new, known.after), bytesAt(c.old, left.before), bytesAt(c.old, right.before))
		if ok {
			left.after, right.after = splitSpan(known.after, at)
			other.change, left.divided, right.divided = api.BlockJoined, true, true
		}
	}
}

func divisible(change api.BlockChange) bool {
	return change == api.BlockEdited || change == api.BlockSplit || change == api.BlockJoined
}

func splitSpan(whole *api.BlockSpan, at int) (left, right *api.BlockSpan) {
	middle := whole.Start + at
	return &api.BlockSpan{Start: whole.Start, End: middle}, &api.BlockSpan{Start: middle, End: whole.End}
}

// cutOffset returns the offset in text that separates left from right. ok is false if one of them has too few words of the
// text.
func (c *comparison) cutOffset(kind, text, left, right string) (offset int, ok bool) {
	whole, parts := c.differ.tokens(kind, text, ""), c.differ.tokens(kind, left, "")
	border := len(parts) - 1
	parts = append(parts[:border:border], c.differ.tokens(kind, right, "")...)
	last, first := align.None, len(whole)-1
	var kept, words [2]int
	for j, i := range c.differ.Align(c.differ.keys(whole, false), c.differ.keys(parts, false)) {
		side := 0
		if j >= border {
			side = 1
		}
		if !isWord(parts[j].text) {
			continue
		}
		words[side]++
		switch {
		case i == align.None:
			continue
		case side == 0:
			last = i
		default:
			first = min(first, i)
		}
		kept[side]++
	}
	if kept[0] < minCommonWords || kept[1] < minCommonWords || 2*kept[0] < words[0] || 2*kept[1] < words[1] {
		return 0, false
	}
	at := first
	for i := first; i > last; i-- {
		if boundaryScore(whole, i) > 1 {
			at = i
		}
	}
	return len(textWithLead(whole[:at])) + len(whole[at].lead), true
}

func isWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { c := classOf(r); return c == classWord || c == classCJK })
}
