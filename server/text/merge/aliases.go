package merge

import (
	"bytes"
	"slices"

	"docspace.dev/wsd/server/text/content"
)

// withAliases sets the aliases of a merged text's blocks by three-way merge of the versions' aliases. It never
// reports a conflict: if the sides gave one name to different blocks, the first of them in the page gets it.
func withAliases(merged, base, ours, theirs content.Text) content.Text {
	var sides [3]aliases
	some := false
	for v, text := range []content.Text{base, ours, theirs} {
		sides[v] = aliasesOf(text, merged)
		some = some || len(sides[v].block) > 0
	}
	if !some {
		return merged
	}
	sides[inOurs].followReplaced(ours, merged, sides[inBase].blockIDs)
	sides[inTheirs].followReplaced(theirs, merged, sides[inBase].blockIDs)
	position := make(map[string]int, len(merged.Blocks))
	for i, block := range merged.Blocks {
		position[block.ID] = i
	}
	blockOf, positions := map[string]string{}, map[string]content.TextPosition{}
	for _, side := range []int{inOurs, inTheirs} {
		for name := range sides[side].block {
			if block, ok := mergedAlias(name, sides, position); ok {
				blockOf[name] = block
				if position := mergedPosition(name, sides); position.Text != "" {
					positions[name] = position
				}
			}
		}
	}
	merged.Blocks = merged.Blocks.WithAliases(blockOf, positions)
	return merged
}

// aliases holds the aliases of one version and the ids of its blocks.
type aliases struct {
	block     map[string]string
	positions map[string]content.TextPosition
	blockIDs  map[string]bool
}

// mergedPosition returns the position within its block that an alias of the merged text refers to: that of the side that
// changed it.
func mergedPosition(name string, sides [3]aliases) content.TextPosition {
	if sides[inTheirs].block[name] == "" || sides[inTheirs].positions[name] == sides[inBase].positions[name] &&
		sides[inOurs].block[name] != "" {
		return sides[inOurs].positions[name]
	}
	return sides[inTheirs].positions[name]
}

// aliasesOf returns the aliases of a version. If the version's Markdown equals the merged one, block ids are
// translated to those of the merged text.
func aliasesOf(text, merged content.Text) aliases {
	a := aliases{block: text.Blocks.Aliases(), positions: text.Blocks.TextPositions(), blockIDs: make(map[string]bool, len(text.Blocks))}
	here := map[string]string{}
	twins := len(text.Blocks) == len(merged.Blocks) && bytes.Equal(text.Markdown, merged.Markdown)
	for i, block := range text.Blocks {
		if twins {
			here[block.ID] = merged.Blocks[i].ID
			a.blockIDs[merged.Blocks[i].ID] = true
		}
		a.blockIDs[block.ID] = true
	}
	for name, block := range a.block {
		if id, ok := here[block]; ok {
			a.block[name] = id
		}
	}
	return a
}

// followReplaced lets the aliases of inserted blocks that the merged text does not have refer to the block that the other side inserted
// in place of them: an equal one, or else the first that begins or ends with the same words. before has the ids of the base.
func (a aliases) followReplaced(text, merged content.Text, before map[string]bool) {
	inserted := content.Text{Markdown: merged.Markdown}
	twins, there := map[string][]string{}, map[string]bool{}
	for _, block := range merged.Blocks {
		there[block.ID] = true
		if !before[block.ID] {
			twins[block.Hash] = append(twins[block.Hash], block.ID)
			inserted.Blocks = append(inserted.Blocks, block)
		}
	}
	var bodies [][]string
	count := map[string]int{}
	for _, block := range text.Blocks {
		if before[block.ID] {
			continue
		}
		n := count[block.Hash]
		count[block.Hash]++
		if len(block.Aliases) == 0 || there[block.ID] {
			continue
		}
		id := ""
		if list := twins[block.Hash]; len(list) > 0 {
			id = list[min(n, len(list)-1)]
		} else {
			if bodies == nil {
				bodies = bodiesOf(inserted)
			}
			own := tokens(string(content.TrimEnd(text.Bytes(block))))
			if i := slices.IndexFunc(bodies, func(body []string) bool { return beginsOrEndsWith(body, own) }); i >= 0 {
				id = inserted.Blocks[i].ID
			}
		}
		for _, name := range block.Aliases {
			if id != "" && a.block[name] == block.ID {
				a.block[name] = id
			}
		}
	}
}

// bodiesOf returns the tokens of a text's blocks.
func bodiesOf(text content.Text) (list [][]string) {
	for _, block := range text.Blocks {
		list = append(list, tokens(string(content.TrimEnd(text.Bytes(block)))))
	}
	return list
}

// mergedAlias returns the block that a name refers to in the merged text. A side that deleted the block keeps the
// name: it follows the block if the merge keeps it.
func mergedAlias(name string, sides [3]aliases, position map[string]int) (block string, ok bool) {
	was := sides[inBase].block[name]
	var is [3]string
	for _, v := range []int{inOurs, inTheirs} {
		is[v] = sides[v].block[name]
		if is[v] == "" && was != "" && !sides[v].blockIDs[was] {
			is[v] = was
		}
	}
	if chosen, clean := threeWay(was, is[inOurs], is[inTheirs]); clean {
		_, there := position[chosen]
		if there || chosen == "" {
			return chosen, there
		}
	}
	first := -1
	for _, candidate := range []string{is[inOurs], is[inTheirs]} {
		if pos, there := position[candidate]; there && (first < 0 || pos < first) {
			block, first = candidate, pos
		}
	}
	return block, first >= 0
}
