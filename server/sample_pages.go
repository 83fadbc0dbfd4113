package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/content"
	"docspace.dev/wsd/server/revision"
	"docspace.dev/wsd/store"
)

// samplePage is a page that a new space begins with.
type samplePage struct{ title, markdown string }

// addTo puts the page at the end of a draft.
func (p samplePage) addTo(ctx context.Context, d *revision.Worktree, tx *store.Tx) error {
	now := api.At(tx.Now())
	made := &revision.Page{ID: tx.NewID(revision.PagePrefix), Type: api.PageDocument, CreatedAt: now, UpdatedAt: now}
	made.Slug = d.FreeSlug("", made.ID, content.Slug(p.title))
	var err error
	if made.Order, err = d.Order("", made.ID, -1); err != nil {
		return err
	}
	if err := d.SetMarkdown(ctx, made, []byte(p.markdown), "spaces"); err != nil {
		return err
	}
	d.Put(made)
	return nil
}
