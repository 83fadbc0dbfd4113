package content

import "bytes"

// Identified cuts a text into blocks that have the ids of previous where they live on, as Parse does, but whatever its
// size. An import calls it with a document that will be several pages.
func Identified(page string, markdown []byte, previous Text) Text {
	return identified(page, Text{Markdown: markdown, Blocks: split(markdown)}, previous)
}

// CutAs returns where a text is to be cut so that either piece has what the piece of another version of it has, which is
// cut at an offset. Blocks that only the text has stay with what stands before them.
func (t Text) CutAs(other Text, at int) int {
	sides := map[string]int{}
	for _, block := range other.Blocks {
		switch {
		case block.End <= at:
			sides[block.ID] = -1
		case block.Start >= at:
			sides[block.ID] = 1
		default:
			if own, lives := t.Blocks.Find(block.ID); lives {
				return own.Start + cutLines(t.Bytes(own), other.Bytes(block), at-block.Start)
			}
		}
	}
	of := make([]int, len(t.Blocks))
	for i, block := range t.Blocks {
		of[i] = sides[block.ID]
	}
	if n := balance(of); n < len(t.Blocks) {
		return t.Blocks[n].Start
	}
	return len(t.Markdown)
}

// cutLines is CutAs for the lines of a block.
func cutLines(block, other []byte, at int) (offset int) {
	sides := map[string]int{}
	from := 0
	for line := range bytes.Lines(other) {
		side := 1
		if from < at {
			side = -1
		}
		if known := sides[string(line)]; known != 0 && known != side {
			sides[string(line)] = 2 // on both: it says nothing
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
	if n := balance(of); n > 0 {
		return ends[n-1]
	}
	return 0
}

// balance returns how many things belong before a cut, given the side of each: -1 before it, 1 behind it, 0 unknown. The
// fewest are on the wrong side then.
func balance(sides []int) (before int) {
	score, best := 0, 0
	for i, side := range sides {
		if score -= side; score >= best {
			best, before = score, i+1
		}
	}
	return before
}

// Slice is the stretch of a text between two offsets as the text of a page. Its blocks keep their ids and, where they begin
// in it, their aliases.
func (t Text) Slice(page string, from, to int) (Text, error) {
	known := Text{Markdown: t.Markdown[from:to:to]}
	for _, block := range t.Blocks {
		if block.End <= from || block.Start >= to {
			continue
		}
		if block.Start < from {
			block.Aliases, block.Spots = nil, nil
		}
		block.Start, block.End = max(block.Start, from)-from, min(block.End, to)-from
		block.Hash = hashBlock(known.Bytes(block))
		known.Blocks = append(known.Blocks, block)
	}
	return Parse(page, known.Markdown, known)
}
