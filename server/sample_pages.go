package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/store"
)

// samplePage is a page that a new space begins with.
type samplePage struct{ title, markdown string }

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
