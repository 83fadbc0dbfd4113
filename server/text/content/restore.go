package content

import (
	"maps"
	"slices"
)

// Restore returns the present text with the given blocks restored from the past one: edited blocks get their earlier
// bytes, deleted ones are inserted after the block that they followed, and blocks missing in the past text are
// removed. All other bytes stay. Use the result as the previous text to parse its Markdown: restored blocks have
// their ids in it, and those of their aliases that are still unused.
func Restore(present, past Text, blocks []string) Text {
	order := make([]string, 0, len(present.Blocks))
	versions := map[string]blockVersion{}
	for _, b := range present.Blocks {
		order = append(order, b.ID)
		versions[b.ID] = blockVersion{b, present.Bytes(b)}
	}
	taken := present.Blocks.Aliases()
	for at, b := range past.Blocks {
		if !slices.Contains(blocks, b.ID) {
			continue
		}
		then := blockVersion{b, past.Bytes(b)}
		if now, ok := versions[b.ID]; ok {
			then.Aliases, then.TextPositions = now.Aliases, now.TextPositions
		} else {
			order = slices.Insert(order, positionAfter(order, past.Blocks[:at]), b.ID)
			then.Aliases = slices.DeleteFunc(slices.Clone(b.Aliases), func(name string) bool { return taken[name] != "" })
			then.TextPositions = maps.Clone(b.TextPositions)
			maps.DeleteFunc(then.TextPositions, func(name string, _ TextPosition) bool { return taken[name] != "" })
		}
		versions[b.ID] = then
	}
	var t Text
	for _, id := range order {
		if _, was := past.Blocks.Find(id); was || !slices.Contains(blocks, id) {
			t.append(versions[id])
		}
	}
	return t
}

// blockVersion is a block with its bytes.
type blockVersion struct {
	Block

	bytes []byte
}

func (t *Text) append(v blockVersion) {
	v.Start = len(t.Markdown)
	t.Markdown = append(t.Markdown, v.bytes...)
	v.End = len(t.Markdown)
	t.Blocks = append(t.Blocks, v.Block)
}

// positionAfter returns the index in order after the last block of earlier that order contains, or 0 if it contains none of
// them.
func positionAfter(order []string, earlier Table) int {
	for _, b := range slices.Backward(earlier) {
		if at := slices.Index(order, b.ID); at >= 0 {
			return at + 1
		}
	}
	return 0
}
