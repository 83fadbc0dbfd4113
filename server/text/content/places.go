package content

import (
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api/markdown"
)

// Places say where the fragments of a text lead: to the byte offsets at which blocks begin.
type Places map[string]int

// add notes a place. Of equal fragments the first in the text counts.
func (p Places) add(fragment string, offset int) {
	if at, taken := p[fragment]; fragment != "" && (!taken || offset < at) {
		p[fragment] = offset
	}
}

// Find returns the fragment of the places that a link means: compared as browsers do, but for case. ok is false for one
// that leads nowhere.
func (p Places) Find(fragment string) (found string, ok bool) {
	for _, found = range []string{fragment, strings.ToLower(fragment)} {
		if _, ok = p[found]; ok {
			return found, true
		}
	}
	return "", false
}

// PlacesOf reads the places of a text. What a name leads to that the text says or that its source had, goes before the
// headings whose text makes the same fragment.
func PlacesOf(t Text) Places {
	o := newOutliner(t.Markdown)
	o.walk(markdown.Words(o.finder.source), nothing)
	return o.anchors.places(t, o.begun)
}

// anchors are the fragments of a text by what they are made of.
type anchors struct{ said, usual, ascii Places }

func newAnchors() anchors { return anchors{Places{}, Places{}, Places{}} }

// sorted are all fragments.
func (a anchors) sorted() []string {
	return slices.Sorted(maps.Keys(a.places(Text{}, nil)))
}

// places join the fragments of a text with the aliases of its blocks. begun are the offsets at which blocks, and those in
// them, begin.
func (a anchors) places(t Text, begun []int) Places {
	for _, block := range t.Blocks {
		inside := t.Offsets(block)
		for _, name := range block.Aliases {
			at := block.Start
			if offset, ok := inside[name]; ok {
				if n, _ := slices.BinarySearch(begun, offset+1); n > 0 {
					at = max(at, begun[n-1])
				}
			}
			a.said.add(name, at)
		}
	}
	all := a.said
	for _, headings := range []Places{a.usual, a.ascii} {
		for fragment, offset := range headings {
			if _, taken := all[fragment]; !taken {
				all[fragment] = offset
			}
		}
	}
	return all
}
