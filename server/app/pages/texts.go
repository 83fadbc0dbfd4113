package pages

import (
	"context"
	"errors"
	"strings"
	"sync"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/reader"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/server/text/documents"
	"docspace.dev/wsd/store/objects"
)

// written is the text of a page or a reusable content in the form that a request asks for.
type written struct {
	content.Text

	document *api.JSONDocument // where it was asked for
}

// write writes the text of a page or a reusable content of a revision. The stored text costs nothing more than to be read.
func (s *Service) write(ctx context.Context, objects *objects.Content, head string, p *revision.Page, stored content.Text, o api.PageOptions) (written, error) {
	asDocument, stable := o.Format == api.FormatDocument, o.Format == api.FormatMarkdown && o.Refs == api.RefsStable
	if !o.Variables() && !o.Includes() && !asDocument && !stable {
		return written{Text: stored}, nil
	}
	turn, err := s.Slow.Begin(ctx, len(stored.Markdown)*budgets.WrittenFactor)
	if err != nil {
		return written{}, err
	}
	defer turn.End()
	v, err := s.Reading.AtRevision(ctx, objects, head)
	if err != nil {
		return written{}, err
	}
	text, err := replaced(ctx, v, p, stored, o)
	if err != nil {
		return written{}, err
	}
	switch {
	case asDocument:
		d, err := documentOf(ctx, v, p, text, api.DocumentData{
			Page: p.ID, Text: p.TextID(), Evaluated: o.Variables(), Dereferenced: o.Includes(),
		})
		return written{text, d}, err
	case stable:
		at := placesOf(ctx, v, p)
		text = text.WithLinks(func(link content.Link) (string, bool) { return at.stable(link, s.View.PublicURL, objects.Space()) })
		err = at.err
	}
	return written{Text: text}, err
}

// replaced is a text with what a request wants to have in its place.
func replaced(ctx context.Context, v *reader.View, p *revision.Page, stored content.Text, o api.PageOptions) (content.Text, error) {
	switch {
	case o.Variables() || o.Includes():
		read, err := v.Replace(ctx, p, stored, reader.Replaced{Variables: o.Variables(), Includes: o.Includes()})
		return read.Text, err
	case o.Format == api.FormatDocument:
		return v.Linked(ctx, p, stored)
	}
	return stored, nil
}

// addTo adds the text to an answer, and its blocks.
func (w written) addTo(answer *api.RevisionPage, format api.Format) {
	if format == api.FormatMarkdown {
		answer.Markdown = new(string(w.Markdown))
	}
	answer.Document = w.document
	for _, block := range w.Blocks {
		answer.Blocks = append(answer.Blocks, api.Block{ID: block.ID, Kind: block.Kind, Start: block.Start, End: block.End, Aliases: block.Aliases, Offsets: w.Offsets(block)})
	}
}

// documentOf writes the text of a page as a document. Links and pictures that lead nowhere are text.
func documentOf(ctx context.Context, v *reader.View, p *revision.Page, text content.Text, made api.DocumentData) (*api.JSONDocument, error) {
	places := placesOf(ctx, v, p)
	d := documents.Write(documents.Source{Text: text, Title: p.Name(), Place: places.find, Data: made})
	return &d, places.err
}

// places find what the links of a page lead to. What that takes is read when the first is looked for.
type places struct {
	page     *revision.Page
	resolver func() (*revision.Resolver, error)
	err      error
}

func placesOf(ctx context.Context, v *reader.View, p *revision.Page) *places {
	found := &places{page: p}
	found.resolver = sync.OnceValues(func() (*revision.Resolver, error) {
		r, err := v.Resolver(ctx)
		if err != nil {
			return nil, err
		}
		read := map[string]revision.PageLinks{}
		return r.WithTexts(func(page string) revision.PageLinks {
			if _, known := read[page]; !known {
				var failed error
				read[page], failed = v.LinksRead(ctx, page)
				found.err = errors.Join(found.err, failed)
			}
			return read[page]
		}), nil
	})
	return found
}

// find implements documents.Place.
func (f *places) find(destination string, image bool) (ref api.ContentRef, ok bool) {
	if !reader.InSpace(destination) {
		return ref, false
	}
	r, err := f.resolver()
	if err != nil {
		f.err = err
		return ref, false
	}
	if found, ok := r.ResolvePlace(f.page, destination, image); ok {
		return reader.RefOf(found), true
	}
	if ref, ok = revision.Beyond(destination); ok && !image {
		return ref, true
	}
	return api.ContentRef{}, false
}

// stable writes a link by the id of what it leads to; ok is false for one that leads nowhere or elsewhere, or of which a
// variable says where it leads.
func (f *places) stable(link content.Link, publicURL, space string) (destination string, ok bool) {
	if strings.Contains(link.Destination, "{{") {
		return "", false
	}
	ref, ok := reader.InApp(publicURL, link.Destination)
	if !ok {
		ref, ok = f.find(link.Destination, link.Image)
	}
	if !ok {
		return "", false
	}
	if ref.Space == space && ref.Page != "" {
		ref.Space = ""
	}
	to, fragment, hasFragment := strings.Cut(reader.Destination(ref), "#")
	given, _, _ := strings.Cut(link.Destination, "#")
	if _, query, ok := strings.Cut(given, "?"); ok {
		to += "?" + query
	}
	if hasFragment {
		to += "#" + fragment
	}
	return to, true
}
