package content

import (
	"maps"
	"slices"
)

// Restore returns the present text with the named blocks as they were in the past one: edited blocks get their
// earlier bytes, deleted ones come back behind the block that they followed, and blocks that the past text does not
// have are taken out. All other bytes stay. The table is one to parse the Markdown with: blocks that come back have
// their ids in it, and those of their aliases that lead nowhere else now.
func Restore(present, past Text, blocks []string) Text {
	order := make([]string, 0, len(present.Blocks))
	versions := map[string]version{}
	for _, b := range present.Blocks {
		order = append(order, b.ID)
		versions[b.ID] = version{b, present.Bytes(b)}
	}
	taken := present.Blocks.Aliases()
	for at, b := range past.Blocks {
		if !slices.Contains(blocks, b.ID) {
			continue
		}
		then := version{b, past.Bytes(b)}
		if now, ok := versions[b.ID]; ok {
			then.Aliases, then.Spots = now.Aliases, now.Spots
		} else {
			order = slices.Insert(order, placeAfter(order, past.Blocks[:at]), b.ID)
			then.Aliases = slices.DeleteFunc(slices.Clone(b.Aliases), func(name string) bool { return taken[name] != "" })
			then.Spots = maps.Clone(b.Spots)
			maps.DeleteFunc(then.Spots, func(name string, _ Spot) bool { return taken[name] != "" })
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

// version is a block in one of the texts.
type version struct {
	Block

	bytes []byte
}

func (t *Text) append(v version) {
	v.Start = len(t.Markdown)
	t.Markdown = append(t.Markdown, v.bytes...)
	v.End = len(t.Markdown)
	t.Blocks = append(t.Blocks, v.Block)
}

// placeAfter is the place behind the nearest of the earlier blocks that is in the order, 0 without one.
func placeAfter(order []string, earlier Table) int {
	for _, b := range slices.Backward(earlier) {
		if at := slices.Index(order, b.ID); at >= 0 {
			return at + 1
		}
	}
	return 0
}
