package content

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Limits of the aliases of a page. Aliases beyond them are dropped.
const (
	maxAliases    = 10_000
	maxAliasBytes = 200
)

// Alias is a name that the source of a page defines for a position in it: a line of the page's Markdown, counted from
// 0, and the position in the line if it is known. Importers pass aliases to WithAliases.
type Alias struct {
	Name     string
	Line     int
	Position TextPosition
}

// WithAliases returns the text with the given aliases instead of its previous ones. If several aliases have the same
// name, the first in the text counts. Names that are not valid fragments are dropped.
func (t Text) WithAliases(aliases []Alias) Text {
	starts := lineStarts(t.Markdown)
	ordered := slices.Clone(aliases)
	slices.SortStableFunc(ordered, func(a, b Alias) int { return a.Line - b.Line })
	blockOf, offsets := make(map[string]string, len(aliases)), map[string][]int{}
	at := map[string]int{} // offset within the block by alias name
	inLine := t.aliasOffsets(ordered, starts)
	finder := 0
	for _, a := range ordered {
		if _, taken := blockOf[a.Name]; taken || !validAlias(a.Name) || a.Line < 0 || len(t.Blocks) == 0 || len(blockOf) == maxAliases {
			continue
		}
		offset := starts[min(a.Line, len(starts)-1)]
		for finder < len(t.Blocks)-1 && t.Blocks[finder].End <= offset {
			finder++
		}
		block := t.Blocks[finder]
		blockOf[a.Name] = block.ID
		if from, known := inLine[a.Name]; known {
			offset = from
		} else {
			offset += firstWordOffset(t.Markdown[offset:])
		}
		if inside := offset - block.Start; inside > 0 && offset < block.End && hasTextBefore(t.Bytes(block), inside) {
			at[a.Name] = inside
			offsets[block.ID] = append(offsets[block.ID], inside)
		}
	}
	t.Blocks = t.Blocks.WithAliases(blockOf, t.positions(blockOf, at, offsets))
	return t
}

// aliasOffsets returns the offsets of the aliases that have a position within their line, by name.
func (t Text) aliasOffsets(ordered []Alias, starts []int) map[string]int {
	found := map[string]int{}
	for from := 0; from < len(ordered); {
		line, positions := ordered[from].Line, map[string]TextPosition{}
		for ; from < len(ordered) && ordered[from].Line == line; from++ {
			a := ordered[from]
			if _, taken := found[a.Name]; !taken && a.Position.Text != "" {
				positions[a.Name] = a.Position
			}
		}
		if line < 0 || line >= len(starts) || len(positions) == 0 {
			continue
		}
		end := len(t.Markdown)
		if line+1 < len(starts) {
			end = starts[line+1]
		}
		for name, offset := range findTextPositions(t.Markdown[starts[line]:end], positions) {
			found[name] = starts[line] + offset
		}
	}
	return found
}

// positions returns the positions of aliases within their blocks, by name. at holds their offsets within the blocks by name,
// offsets the same offsets by block id.
func (t Text) positions(blockOf map[string]string, at map[string]int, offsets map[string][]int) map[string]TextPosition {
	inBlock := map[string]map[int]TextPosition{}
	for _, block := range t.Blocks {
		if wanted := offsets[block.ID]; len(wanted) > 0 {
			inBlock[block.ID] = TextPositions(t.Bytes(block), wanted)
		}
	}
	positions := make(map[string]TextPosition, len(at))
	for name, offset := range at {
		if position, ok := inBlock[blockOf[name]][offset]; ok {
			positions[name] = position
		}
	}
	return positions
}

// WithAliases returns the table with exactly the given aliases, as block id by name, and their positions. A merge calls
// it with the merged aliases. If nothing changes, the table itself is returned.
func (t Table) WithAliases(blockOf map[string]string, positions map[string]TextPosition) Table {
	names := map[string][]string{}
	for name, block := range blockOf {
		names[block] = append(names[block], name)
	}
	made := slices.Clone(t)
	same := true
	for i := range made {
		own := names[made[i].ID]
		slices.Sort(own)
		var inside map[string]TextPosition
		for _, name := range own {
			if position, ok := positions[name]; ok {
				if inside == nil {
					inside = map[string]TextPosition{}
				}
				inside[name] = position
			}
		}
		same = same && slices.Equal(own, t[i].Aliases) && maps.Equal(inside, t[i].TextPositions)
		made[i].Aliases, made[i].TextPositions = own, inside
	}
	if same {
		return t
	}
	return made
}

// TextPositions returns the positions of the aliases that refer to a position within their block, by name.
func (t Table) TextPositions() map[string]TextPosition {
	positions := map[string]TextPosition{}
	for _, block := range t {
		for name, position := range block.TextPositions {
			if _, taken := positions[name]; !taken {
				positions[name] = position
			}
		}
	}
	return positions
}

// Offsets returns the offsets in the text of the block's aliases that do not refer to its beginning, by name. An alias whose
// words no longer exist refers to the beginning and is omitted.
func (t Text) Offsets(block Block) map[string]int {
	if len(block.TextPositions) == 0 {
		return nil
	}
	found := findTextPositions(t.Bytes(block), block.TextPositions)
	for name := range found {
		found[name] += block.Start
	}
	return found
}

// Aliases returns the id of the block that each alias refers to.
func (t Table) Aliases() map[string]string {
	blockOf := map[string]string{}
	for _, block := range t {
		for _, name := range block.Aliases {
			if _, taken := blockOf[name]; !taken {
				blockOf[name] = block.ID
			}
		}
	}
	return blockOf
}

func validAlias(name string) bool {
	return name != "" && len(name) <= maxAliasBytes && invalidUTF8([]byte(name)) < 0 &&
		!strings.ContainsFunc(name, func(r rune) bool { return r != ' ' && unicode.IsSpace(r) || unicode.IsControl(r) })
}

// lineStarts returns the offsets of the lines of a text; there is at least one.
func lineStarts(markdown []byte) []int {
	starts := []int{0}
	for at := 0; ; {
		n := bytes.IndexByte(markdown[at:], '\n')
		if n < 0 {
			return starts
		}
		at += n + 1
		starts = append(starts, at)
	}
}
