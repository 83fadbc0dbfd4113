package pdf

import (
	"maps"
	"slices"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/server/text/content"
)

// anchor is a position within a page, or the beginning of the page.
type anchor struct{ page, fragment string }

// linkID returns the link id of an anchor, and creates the link if it does not exist.
func (w *writer) linkID(to anchor) int {
	link, known := w.links[to]
	if !known {
		link = w.pdf.AddLink()
		w.links[to] = link
	}
	return link
}

// hasTarget reports whether a target is in the document.
func (w *writer) hasTarget(to Target) bool {
	places, printed := w.fragments[to.Page]
	_, known := places[to.Fragment]
	return printed && (known || to.Fragment == "")
}

// expectLinks lists the fragments of a page that the draft has links to.
func (w *writer) expectLinks(p Page) {
	w.pending, w.dueLinks = nil, nil
	if w.draft == nil || len(p.Fragments) == 0 {
		return
	}
	w.pending = slices.SortedFunc(maps.Keys(p.Fragments), func(a, b string) int { return p.Fragments[a] - p.Fragments[b] })
	w.pending = slices.DeleteFunc(w.pending, func(place string) bool {
		_, wanted := w.draft.links[anchor{p.ID, place}]
		return !wanted
	})
}

// reachOffset is called before the text at an offset of the current piece is printed. Fragments up to the offset refer to the
// next printed line, so that those of an element without text refer to the text after it.
func (w *writer) reachOffset(offset int) {
	n := 0
	for n < len(w.pending) && w.page.Fragments[w.pending[n]] <= w.pieceStart+offset {
		n++
	}
	w.dueLinks, w.pending = append(w.dueLinks, w.pending[:n]...), w.pending[n:]
}

func (w *writer) reachNode(node ast.Node) {
	if start, ok := content.StartOf(node); ok {
		w.reachOffset(start)
	}
}

// setDueLinks sets the targets of due links to the current line and clears the list of due links.
func (w *writer) setDueLinks() {
	for _, place := range w.dueLinks {
		w.pdf.SetLink(w.linkID(anchor{w.page.ID, place}), w.y, -1)
	}
	w.dueLinks = w.dueLinks[:0]
}
