// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// PagesService shows the history of pages.
type PagesService struct{ c *Client }

// Blame shows which revision wrote each block of a page, by whom and in which change request.
//
//	GET /v1/spaces/{spaceId}/content/page/{pageId}/blame (operation pagesBlame)
func (s PagesService) Blame(ctx context.Context, in api.BlamePageInput, options ...CallOption) (api.PageBlame, error) {
	return call(ctx, s.c, api.BlamePage, in, options)
}

// ListRevisions lists the revisions of a space that changed a page, newest first; the newest 1,000 of the space are
// looked at. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/spaces/{spaceId}/content/page/{pageId}/revisions (operation pagesListRevisions)
func (s PagesService) ListRevisions(ctx context.Context, in api.PageRevisionsInput, options ...CallOption) (api.Page[api.HistoryEntry], error) {
	return call(ctx, s.c, api.ListPageRevisions, in, options)
}
