package content

import "bytes"

// ParseUnlimited cuts a text of any size into blocks and assigns ids as Parse does, taking those of previous for
// surviving blocks. An import uses it for a document that is going to be divided into several pages.
func ParseUnlimited(page string, markdown []byte, previous Text) Text {
	return withIDs(page, Text{Markdown: markdown, Blocks: splitBlocks(markdown)}, previous)
}

// MatchingCut returns the offset that divides the text as the offset at divides other, a different version of it. Blocks
// that only the text has stay with the blocks before them.
func (t Text) MatchingCut(other Text, at int) int {
	sides := map[string]int{}
	for _, block := range other.Blocks {
		switch {
		case block.End <= at:
			sides[block.ID] = -1
		case block.Start >= at:
			sides[block.ID] = 1
		default:
			if own, lives := t.Blocks.Find(block.ID); lives {
				return own.Start + matchingLineCut(t.Bytes(own), other.Bytes(block), at-block.Start)
			}
		}
	}
	of := make([]int, len(t.Blocks))
	for i, block := range t.Blocks {
		of[i] = sides[block.ID]
	}
	if n := bestCut(of); n < len(t.Blocks) {
		return t.Blocks[n].Start
	}
	return len(t.Markdown)
}

// matchingLineCut returns the offset that divides the lines of block as the offset at divides those of other. See MatchingCut.
func matchingLineCut(block, other []byte, at int) (offset int) {
	sides := map[string]int{}
	from := 0
	for line := range bytes.Lines(other) {
		side := 1
		if from < at {
			side = -1
		}
		if known := sides[string(line)]; known != 0 && known != side {
			sides[string(line)] = 2 // occurs on both sides: not significant
		} else {
			sides[string(line)] = side
		}
		from += len(line)
	}
	var of, ends []int
	for line := range bytes.Lines(block) {
		offset += len(line)
		side := sides[string(line)]
		of, ends = append(of, side%2), append(ends, offset)
	}
	if n := bestCut(of); n > 0 {
		return ends[n-1]
	}
	return 0
}

// bestCut returns the number of items before a cut that puts the fewest on the wrong side. sides holds for each item
// -1 for before the cut, 1 for after it, 0 for unknown.
func bestCut(sides []int) (before int) {
	score, best := 0, 0
	for i, side := range sides {
		if score -= side; score >= best {
			best, before = score, i+1
		}
	}
	return before
}

// Slice returns the part of a text between two offsets as the text of a page. Its blocks keep their ids and, where
// they begin within the part, their aliases.
func (t Text) Slice(page string, from, to int) (Text, error) {
	known := Text{Markdown: t.Markdown[from:to:to]}
	for _, block := range t.Blocks {
		if block.End <= from || block.Start >= to {
			continue
		}
		if block.Start < from {
			block.Aliases, block.TextPositions = nil, nil
		}
		block.Start, block.End = max(block.Start, from)-from, min(block.End, to)-from
		block.Hash = hashBlock(known.Bytes(block))
		known.Blocks = append(known.Blocks, block)
	}
	return Parse(page, known.Markdown, known)
}
