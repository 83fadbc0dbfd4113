package content

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api/markdown"
)

// FragmentOffsets maps the fragments of a text to the byte offsets of the blocks that they lead to.
type FragmentOffsets map[string]int

// add records the offset of a fragment. Of equal fragments the first one counts.
func (p FragmentOffsets) add(fragment string, offset int) {
	if at, taken := p[fragment]; fragment != "" && (!taken || offset < at) {
		p[fragment] = offset
	}
}

// Find returns the fragment that a link refers to, compared as browsers do except that case is ignored. ok is false
// if there is none.
func (p FragmentOffsets) Find(fragment string) (found string, ok bool) {
	for _, found = range []string{fragment, strings.ToLower(fragment)} {
		if _, ok = p[found]; ok {
			return found, true
		}
	}
	return "", false
}

// ReadFragmentOffsets returns the places of a text. Explicit ids and aliases take precedence over headings whose text gives the
// same fragment.
func ReadFragmentOffsets(t Text) FragmentOffsets {
	o := newOutliner(t.Markdown)
	o.walk(markdown.ParseWords(o.finder.source), ignoreNode)
	return o.anchors.places(t, o.starts)
}

// anchors holds the fragments of a text by their origin.
type anchors struct{ explicit, usual, ascii FragmentOffsets }

func newAnchors() anchors { return anchors{FragmentOffsets{}, FragmentOffsets{}, FragmentOffsets{}} }

// sorted returns all fragments, sorted.
func (a anchors) sorted() []string {
	return slices.Sorted(maps.Keys(a.places(Text{}, nil)))
}

// places combines the fragments of a text with the aliases of its blocks. starts are the offsets of all blocks,
// including nested ones.
func (a anchors) places(t Text, starts []int) FragmentOffsets {
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
