package pdf

import (
	"maps"
	"slices"

	"github.com/yuin/goldmark/ast"

	"docspace.dev/wsd/server/text/content"
)

// anchor is a place of a page, or its beginning.
type anchor struct{ page, place string }

// link is the link to an anchor.
func (w *writer) link(to anchor) int {
	link, known := w.links[to]
	if !known {
		link = w.pdf.AddLink()
		w.links[to] = link
	}
	return link
}

// has reports whether a target is in the document.
func (w *writer) has(to Target) bool {
	places, printed := w.places[to.Page]
	_, known := places[to.Place]
	return printed && (known || to.Place == "")
}

// expect lists the places of a page that the draft has links to.
func (w *writer) expect(p Page) {
	w.coming, w.due = nil, nil
	if w.draft == nil || len(p.Places) == 0 {
		return
	}
	w.coming = slices.SortedFunc(maps.Keys(p.Places), func(a, b string) int { return p.Places[a] - p.Places[b] })
	w.coming = slices.DeleteFunc(w.coming, func(place string) bool {
		_, wanted := w.draft.links[anchor{p.ID, place}]
		return !wanted
	})
}

// reach is called where an offset of the piece begins to be written: what is printed next is where the places up to it
// are, so that those of an element without text lead to what stands behind it.
func (w *writer) reach(offset int) {
	n := 0
	for n < len(w.coming) && w.page.Places[w.coming[n]] <= w.piece+offset {
		n++
	}
	w.due, w.coming = append(w.due, w.coming[:n]...), w.coming[n:]
}

func (w *writer) reachNode(node ast.Node) {
	if start, ok := content.StartOf(node); ok {
		w.reach(start)
	}
}

// arrive lets the links to what is due lead to this line.
func (w *writer) arrive() {
	for _, place := range w.due {
		w.pdf.SetLink(w.link(anchor{w.page.ID, place}), w.y, -1)
	}
	w.due = w.due[:0]
}
