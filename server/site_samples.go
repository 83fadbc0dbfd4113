package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store"
)

// samplePage is a page that a new space begins with.
type samplePage struct{ title, markdown string }

// samplePages are what the space has that is made for a site, by the word that asks for it.
var samplePages = map[string][]samplePage{
	api.SpaceEmpty: nil,
	api.SpaceSample: {
		{"Welcome", "# Welcome\n\nThis is the first page of your site. Change it in a change request, and merge that.\n"},
		{"Write", "# Write\n\nPages are Markdown. What readers see is the merged text; drafts stay in change requests.\n\n- Link pages by their path.\n- Put files next to the text that shows them.\n"},
	},
}

// addTo puts the page at the end of a draft.
func (p samplePage) addTo(ctx context.Context, d *draft, tx *store.Tx) error {
	now := api.At(tx.Now())
	made := &page{ID: tx.NewID(pagePrefix), Type: api.PageDocument, CreatedAt: now, UpdatedAt: now}
	made.Slug = d.freeSlug("", made.ID, content.Slug(p.title))
	var err error
	if made.Order, err = d.order("", made.ID, -1); err != nil {
		return err
	}
	if err := d.setMarkdown(ctx, made, []byte(p.markdown), "spaces"); err != nil {
		return err
	}
	d.put(made)
	return nil
}
