package resolve

import (
	"slices"
	"strings"
)

// Anchors are the anchors of a page. Both lists are sorted.
type Anchors struct {
	Aliases []string // additional anchors of its source
	Own     []string // anchors in the text
}

// Find returns the anchor that a fragment refers to. Fragments are compared like in browsers, but also without
// regard to case. ok is false if there is none.
func (a Anchors) Find(fragment string) (anchor string, ok bool) {
	anchor, way := a.find(fragment)
	return anchor, way < noAnchor
}

// noAnchor is greater than the rank of every match of a fragment.
const noAnchor = 4

func (a Anchors) find(fragment string) (anchor string, way int) {
	for _, anchor := range []string{fragment, strings.ToLower(fragment)} {
		for _, names := range [][]string{a.Aliases, a.Own} {
			if _, found := slices.BinarySearch(names, anchor); found {
				return anchor, way
			}
			way++
		}
	}
	return "", noAnchor
}
