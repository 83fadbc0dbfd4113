package folder

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/dialects"
	"docspace.dev/wsd/server/text/divide"
)

// division is a document that several pages make up: its parts in order, which an import of it would have, too.
type division struct {
	text   []byte
	parts  []divide.Part
	ids    []string          // of the pages of the parts; the path for the page of a new document, references for other new ones
	before map[string]string // texts by id, as in the space
	unused []string          // ids of the pages whose parts were removed from the text
}

// isNew reports whether a part has no page yet. That of the first part is planned with the tree.
func (v *division) isNew(i int) bool {
	_, known := v.before[v.ids[i]]
	return i > 0 && !known
}

// divide returns the division of a document, nil if it is one page. Parts that the space has keep their pages as in an import. ok is
// false if the text that the parts are known by is not kept.
func (p *pusher) divide(d Difference, text []byte) (v *division, ok bool) {
	earlier, ok := p.folder.earlierParts(d.Entry)
	if !ok {
		return nil, false
	}
	t := divide.Text{Title: content.Title(text), Markdown: text}
	v = &division{text: text, before: map[string]string{}}
	if len(text) > 0 {
		v.parts = divide.Parts(t, maxPageBytes, earlier)
	}
	if len(v.parts) == 0 {
		if len(earlier) == 0 {
			return nil, true
		}
		v.parts = []divide.Part{{End: len(text)}}
	}
	pages := map[string]string{}
	for i, e := range earlier {
		v.before[d.Entry.IDs[i]] = string(e.Markdown)
		if i > 0 {
			pages[e.Key] = d.Entry.IDs[i]
		}
	}
	first := d.File.Path
	if len(d.Entry.IDs) > 0 {
		first = d.Entry.IDs[0]
	}
	v.ids = []string{first}
	for _, part := range v.parts[1:] {
		id := pages[part.PreviousKey]
		if id == "" {
			p.newParts++
			id = fmt.Sprintf("part-%d", p.newParts)
		}
		v.ids = append(v.ids, id)
	}
	for i, id := range d.Entry.IDs {
		if i > 0 && !slices.Contains(v.ids, id) {
			v.unused = append(v.unused, id)
		}
	}
	return v, true
}

// earlierParts returns the parts of a document in the space, nil if it is one page. ok is false if its text is not kept.
func (f *Folder) earlierParts(e Entry) (earlier []divide.PreviousPart, ok bool) {
	if len(e.IDs) < 2 {
		return nil, true
	}
	base, ok := f.base(e)
	if !ok || len(e.Parts) != len(e.IDs)-1 {
		return nil, false
	}
	for _, part := range divide.At(divide.Text{Markdown: base}, append([]int{0}, e.Parts...)) {
		earlier = append(earlier, divide.PreviousPart{Key: part.Key, Markdown: base[part.Start:part.End]})
	}
	return earlier, true
}

// readDocument checks that a text can be that of a page or of several, and divides it.
func (p *pusher) readDocument(d Difference, data []byte) {
	at := d.File.Path
	if isSummaryName(at) {
		p.checkPage(at, data, 0, data)
		return
	}
	v, ok := p.divide(d, data)
	switch {
	case !ok:
		p.refuse(RuleSize, at, "is a page of several parts, and the text that they are based on is not known; pull first")
	case v == nil:
		p.checkPage(at, data, 0, data)
	default:
		for _, part := range v.parts {
			p.checkPage(at, data, part.Start, data[part.Start:part.End])
		}
		p.divided[at] = v
	}
}

// checkPage refuses a page that the server would refuse. Its text begins at an offset of that of the file at a path.
func (p *pusher) checkPage(at string, file []byte, offset int, text []byte) {
	if err := checkText(text); err != nil {
		p.refuseLine(RuleText, at, lineAt(file, offset+err.Offset), "cannot be a page: %v", err)
	}
}

func isSummaryName(at string) bool {
	return strings.EqualFold(path.Base(at), dialects.SummaryName)
}

// addParts plans the operations for a document of several pages. change is that of the first one.
func (p *pusher) addParts(change api.ContentChange, changed bool, d Difference, v *division) {
	first := change.Page
	if change.Operation == api.InsertPage {
		first = change.Ref
	}
	isPlaced := d.Kind == Moved // the pages get a path and a part
	for i := range v.parts {
		isPlaced = isPlaced || v.isNew(i)
	}
	p.removeParts(d, v)
	isListed := false
	for i, part := range v.parts {
		next, isChanged := change, changed
		switch {
		case i == 0:
		case v.isNew(i):
			next, isChanged = p.newPart(first, v, i), true
		default:
			next, isChanged = api.ContentChange{Operation: api.UpdatePage, Page: v.ids[i]}, false
		}
		if isPlaced {
			next.SourceName, next.Path, next.Part = p.source(d.Entry), d.File.Path, part.Key
			isChanged = true
			if page := p.pages.byID[v.ids[i]]; page != nil {
				page.Path = d.File.Path
			}
		}
		text := string(v.text[part.Start:part.End])
		if before, known := v.before[v.ids[i]]; !known || before != text {
			next.Document, isChanged = &api.Document{Markdown: api.Some(text)}, true
		}
		switch {
		case !isChanged:
		case !isListed:
			isListed = true
			p.add(d, next, len(text))
		default:
			p.push.operations = append(p.push.operations, operation{change: next, size: len(text)})
		}
	}
	if !isListed && len(v.unused) > 0 {
		p.list(d)
	}
}

// newPart returns the operation that makes the page of a part: below that of the first part, after that of the part before.
func (p *pusher) newPart(first string, v *division, i int) api.ContentChange {
	part, id := v.parts[i], v.ids[i]
	p.pages.byID[id] = &api.ExportedPage{ID: id, Type: api.PageDocument, Title: part.Title}
	previous := ""
	if i > 1 {
		previous = v.ids[i-1]
	}
	change := api.ContentChange{Operation: api.InsertPage, Ref: id, Into: api.Some(first)}
	change.At = api.Some(p.pages.place(id, first, previous))
	change.Slug = api.Some(p.slug(id, content.Slug(part.Title)))
	if content.Title(v.text[part.Start:part.End]) != part.Title {
		change.Title = api.Some(part.Title)
	}
	return change
}

// removeParts plans the deletion of the pages of parts that the text no longer has.
func (p *pusher) removeParts(d Difference, v *division) {
	for _, id := range v.unused {
		switch {
		case p.pages.byID[id] == nil:
		case len(p.pages.children[id]) > 0:
			p.refuse(RuleOrder, d.File.Path, "no longer has its part %q, and the page of that has others below it; move these first",
				p.pages.byID[id].Title)
		default:
			p.pages.drop(id)
			p.addQuietly(api.ContentChange{Operation: api.DeletePage, Page: id})
		}
	}
}

// setParts sets the pages of an entry to those of the parts.
func (v *division) setParts(e *Entry) {
	e.IDs, e.Parts = slices.Clone(v.ids), nil
	for _, part := range v.parts[1:] {
		e.Parts = append(e.Parts, part.Start)
	}
}
