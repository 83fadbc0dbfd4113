package reader

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/text/content"
	"docspace.dev/wsd/store/objects"
)

// WithDefinitions returns a text of a page with the link reference definitions that it uses and that are in other parts of
// its document. Before the document was split, they applied to all of it. Of equal labels the first in the document
// is used.
func (v *View) WithDefinitions(ctx context.Context, p *revision.Page, markdown []byte) ([]byte, error) {
	if p.Origin == nil {
		return markdown, nil
	}
	labels := content.UndefinedLabels(markdown)
	if len(labels) == 0 {
		return markdown, nil
	}
	known, err := v.definitions(ctx, p)
	if err != nil {
		return nil, err
	}
	var used []content.Definition
	for _, d := range known {
		if _, is := slices.BinarySearch(labels, d.Label); is {
			used = append(used, d)
			labels = slices.DeleteFunc(labels, func(label string) bool { return label == d.Label })
		}
	}
	if with := content.WithDefinitions(markdown, used); fitsPage(with) {
		return with, nil
	}
	return markdown, nil
}

// fitsPage reports whether a text is within the limits of a page.
func fitsPage(text []byte) bool {
	return len(text) <= content.MaxTextBytes && (bytes.Count(text, []byte("\n")) < content.MaxBlocks ||
		len(content.Blocks(text)) <= content.MaxBlocks)
}

// definitions returns the definitions in all parts of the document that a page is a part of.
func (v *View) definitions(ctx context.Context, p *revision.Page) (found []content.Definition, err error) {
	r, err := v.Resolver(ctx)
	if err != nil {
		return nil, err
	}
	parts := r.Parts(p.ID)
	if len(parts) < 2 {
		return nil, nil
	}
	key := objects.KeyOf(v.content, []string{v.Revision.Pages}, p.Origin.Source+" "+p.Origin.Path)
	if found, ok := v.service.Caches.definitions.Get(key); ok {
		return found, nil
	}
	for _, id := range parts {
		part := v.Tree.Page(id)
		if part == nil || part.Text == "" {
			continue
		}
		text, err := v.content.Object(ctx, part.Text)
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", id, err)
		}
		for _, d := range content.Definitions(text) {
			d.Text = bytes.Clone(d.Text) // releases the rest of the text
			found = append(found, d)
		}
	}
	v.service.Caches.definitions.Put(key, found)
	return found, nil
}

// definitionBytes estimates the memory of definitions.
func definitionBytes(definitions []content.Definition) int {
	const each = 64
	size := each
	for _, d := range definitions {
		size += each + len(d.Label) + len(d.Text)
	}
	return size
}
