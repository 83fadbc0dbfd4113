package content

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api/markdown"
)

// FragmentOffsets maps the fragments of a text to the byte offsets of the blocks that they lead to.
type FragmentOffsets map[string]int

// add records the offset of a fragment. If a fragment occurs several times, the first offset is kept.
func (p FragmentOffsets) add(fragment string, offset int) {
	if at, taken := p[fragment]; fragment != "" && (!taken || offset < at) {
		p[fragment] = offset
	}
}

// Find returns the fragment that a link refers to: the given one or, if that does not exist, its lower-case form. ok is false
// if neither exists.
func (p FragmentOffsets) Find(fragment string) (found string, ok bool) {
	for _, found = range []string{fragment, strings.ToLower(fragment)} {
		if _, ok = p[found]; ok {
			return found, true
		}
	}
	return "", false
}

// ReadFragmentOffsets returns the fragment offsets of a text. Explicit ids and aliases take precedence over headings whose text
// gives the same fragment.
func ReadFragmentOffsets(t Text) FragmentOffsets {
	o := newOutliner(t.Markdown)
	o.walk(markdown.ParseWords(o.finder.source), ignoreNode)
	return o.anchors.offsets(t, o.starts)
}

// anchors holds the fragments of a text by their origin: explicit ids, and the usual and the ASCII form of those derived from
// headings.
type anchors struct{ explicit, usual, ascii FragmentOffsets }

func newAnchors() anchors { return anchors{FragmentOffsets{}, FragmentOffsets{}, FragmentOffsets{}} }

// sorted returns all fragments, sorted.
func (a anchors) sorted() []string {
	return slices.Sorted(maps.Keys(a.offsets(Text{}, nil)))
}

// offsets combines the fragments of a text with the aliases of its blocks. starts are the offsets of all blocks,
// including nested ones.
func (a anchors) offsets(t Text, starts []int) FragmentOffsets {
	for _, block := range t.Blocks {
		inside := t.Offsets(block)
		for _, name := range block.Aliases {
			at := block.Start
			if offset, ok := inside[name]; ok {
				if n, _ := slices.BinarySearch(starts, offset+1); n > 0 {
					at = max(at, starts[n-1])
				}
			}
			a.explicit.add(name, at)
		}
	}
	all := a.explicit
	for _, headings := range []FragmentOffsets{a.usual, a.ascii} {
		for fragment, offset := range headings {
			if _, taken := all[fragment]; !taken {
				all[fragment] = offset
			}
		}
	}
	return all
}
