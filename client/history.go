package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ListRevisions lists the revisions of a space, newest first.
func (s SpacesService) ListRevisions(ctx context.Context, in api.SpaceRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListSpaceRevisions, in, options)
}

// ListRevisions lists the revisions that were made in a change request, newest first.
func (s ChangeRequestsService) ListRevisions(ctx context.Context, in api.ChangeRequestRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListChangeRequestRevisions, in, options)
}

// PagesService tells what became of pages over time.
type PagesService struct{ c *Client }

// ListRevisions lists the revisions of a space that changed a page, newest first.
func (s PagesService) ListRevisions(ctx context.Context, in api.PageRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListPageRevisions, in, options)
}

// Blame shows which revision wrote each block of a page, by whom and in which change request.
func (s PagesService) Blame(ctx context.Context, in api.BlamePageInput, options ...CallOption) (api.PageBlame, error) {
	return call(ctx, s.c, api.BlamePage, in, options)
}
