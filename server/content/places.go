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
	return o.anchors.places(t.Blocks)
}

// anchors are the fragments of a text by what they are made of.
type anchors struct{ said, usual, ascii Places }

func newAnchors() anchors { return anchors{Places{}, Places{}, Places{}} }

// sorted are all fragments.
func (a anchors) sorted() []string {
	return slices.Sorted(maps.Keys(a.places(nil)))
}

// places join the fragments of a text with the aliases of its blocks.
func (a anchors) places(blocks Table) Places {
	for _, block := range blocks {
		for _, name := range block.Aliases {
			a.said.add(name, block.Start)
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
