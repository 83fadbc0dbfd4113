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
	"docspace.dev/wsd/server/text/resolve"
	"docspace.dev/wsd/store/objects"
)

// renderedText is the text of a page or reusable content in the requested format.
type renderedText struct {
	content.Text

	document *api.JSONDocument // nil unless requested
}

// renderText returns the text of a page or reusable content of a revision in the requested format. For the stored
// text it loads nothing else.
func (s *Service) renderText(ctx context.Context, objects *objects.Content, head string, p *revision.Page, stored content.Text,
	o api.PageOptions,
) (renderedText, error) {
	asDocument, stable := o.Format == api.FormatDocument, o.Format == api.FormatMarkdown && o.Refs == api.RefsStable
	if !o.Variables() && !o.Includes() && !asDocument && !stable {
		return renderedText{Text: stored}, nil
	}
	work, err := s.Slow.Begin(ctx, len(stored.Markdown)*budgets.RenderFactor)
	if err != nil {
		return renderedText{}, err
	}
	defer work.End()
	v, err := s.Reading.AtRevision(ctx, objects, head)
	if err != nil {
		return renderedText{}, err
	}
	text, err := applyReplacements(ctx, v, p, stored, o)
	if err != nil {
		return renderedText{}, err
	}
	switch {
	case asDocument:
		d, err := newDocument(ctx, v, p, text, api.DocumentData{
			Page: p.ID, Text: p.TextID(), Evaluated: o.Variables(), Dereferenced: o.Includes(),
		})
		return renderedText{text, d}, err
	case stable:
		targets := newLinkTargets(ctx, v, p)
		text = text.WithLinks(func(link content.Link) (string, bool) {
			return targets.stableDestination(link, s.View.PublicURL, objects.Space())
		})
		err = targets.err
	}
	return renderedText{Text: text}, err
}

// applyReplacements replaces variables, includes and links in a text as the options request.
func applyReplacements(
	ctx context.Context, v *reader.View, p *revision.Page, stored content.Text, o api.PageOptions,
) (content.Text, error) {
	switch {
	case o.Variables() || o.Includes():
		read, err := v.Replace(ctx, p, stored, reader.Expressions{Variables: o.Variables(), Includes: o.Includes()})
		return read.Text, err
	case o.Format == api.FormatDocument:
		return v.ReadLinked(ctx, p, stored)
	}
	return stored, nil
}

// addTo adds the text and its blocks to a page.
func (t renderedText) addTo(answer *api.RevisionPage, format api.Format) {
	if format == api.FormatMarkdown {
		answer.Markdown = new(string(t.Markdown))
	}
	answer.Document = t.document
	for _, block := range t.Blocks {
		answer.Blocks = append(answer.Blocks, api.Block{
			ID: block.ID, Kind: block.Kind, Start: block.Start, End: block.End, Aliases: block.Aliases, Offsets: t.Offsets(block),
		})
	}
}

// newDocument converts the text of a page to a document. Broken links and images become text.
func newDocument(
	ctx context.Context, v *reader.View, p *revision.Page, text content.Text, made api.DocumentData,
) (*api.JSONDocument, error) {
	targets := newLinkTargets(ctx, v, p)
	d := documents.Write(documents.Source{Text: text, Title: p.Name(), Resolve: targets.find, Data: made})
	return &d, targets.err
}

// linkTargets resolves the links of a page. The resolver is loaded on first use.
type linkTargets struct {
	page     *revision.Page
	resolver func() (*resolve.Resolver, error)
	err      error
}

func newLinkTargets(ctx context.Context, v *reader.View, p *revision.Page) *linkTargets {
	t := &linkTargets{page: p}
	t.resolver = sync.OnceValues(func() (*resolve.Resolver, error) {
		r, err := v.Resolver(ctx)
		if err != nil {
			return nil, err
		}
		read := map[string]revision.PageLinks{}
		return r.WithAnchors(func(page string) resolve.Anchors {
			if _, known := read[page]; !known {
				var failed error
				read[page], failed = v.ReaderLinks(ctx, page)
				t.err = errors.Join(t.err, failed)
			}
			return read[page].Targets()
		}), nil
	})
	return t
}

// find implements documents.Resolver.
func (t *linkTargets) find(destination string, image bool) (ref api.ContentRef, ok bool) {
	if !reader.InSpace(destination) {
		return ref, false
	}
	r, err := t.resolver()
	if err != nil {
		t.err = err
		return ref, false
	}
	if found, ok := r.ResolveFragment(t.page.LinkSource(), destination, image); ok {
		return reader.RefOf(found), true
	}
	if ref, ok = resolve.ExternalRef(destination); ok && !image {
		return ref, true
	}
	return api.ContentRef{}, false
}

// stableDestination returns the destination of a link with the id of its target. It reports false if the link is
// broken, leads to another site, or contains a variable.
func (t *linkTargets) stableDestination(link content.Link, publicURL, space string) (destination string, ok bool) {
	if strings.Contains(link.Destination, "{{") {
		return "", false
	}
	ref, ok := reader.InApp(publicURL, link.Destination)
	if !ok {
		ref, ok = t.find(link.Destination, link.Image)
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
