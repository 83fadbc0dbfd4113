package content

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
)

// Limits of the aliases of a page. What a source has beyond them is left out.
const (
	maxAliases    = 10_000
	maxAliasBytes = 200
)

// Alias is a name by which the source of a page calls a place in it, and the line of the page's Markdown where that
// is, counted from 0. Importers hand them to WithAliases.
type Alias struct {
	Name string
	Line int
}

// WithAliases returns the text with these aliases in the place of those that it had. A name leads to one place: of
// several equal ones the first in the text counts. Names that no fragment can say are left out.
func (t Text) WithAliases(aliases []Alias) Text {
	starts := lineStarts(t.Markdown)
	ordered := slices.Clone(aliases)
	slices.SortStableFunc(ordered, func(a, b Alias) int { return a.Line - b.Line })
	blockOf := make(map[string]string, len(aliases))
	finder := 0
	for _, a := range ordered {
		if _, taken := blockOf[a.Name]; taken || !validAlias(a.Name) || a.Line < 0 || len(t.Blocks) == 0 || len(blockOf) == maxAliases {
			continue
		}
		offset := starts[min(a.Line, len(starts)-1)]
		for finder < len(t.Blocks)-1 && t.Blocks[finder].End <= offset {
			finder++
		}
		blockOf[a.Name] = t.Blocks[finder].ID
	}
	t.Blocks = t.Blocks.WithAliases(blockOf)
	return t
}

// WithAliases returns the table with the given aliases, each of the block that it names by id, and no others. A merge
// calls it with what it made of both sides. A table that has them already is returned as it is.
func (t Table) WithAliases(blockOf map[string]string) Table {
	names := map[string][]string{}
	for name, block := range blockOf {
		names[block] = append(names[block], name)
	}
	made := slices.Clone(t)
	same := true
	for i := range made {
		own := names[made[i].ID]
		slices.Sort(own)
		same = same && slices.Equal(own, t[i].Aliases)
		made[i].Aliases = own
	}
	if same {
		return t
	}
	return made
}

// Aliases returns the id of the block that each alias leads to.
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

// lineStarts are the offsets of the lines of a text; there is at least one.
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
