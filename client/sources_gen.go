// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SourcesService lists the import sources of a space.
type SourcesService struct{ c *Client }

// List lists what the pages and files of a space were imported from. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/spaces/{spaceId}/sources (operation sourcesList)
func (s SourcesService) List(ctx context.Context, in api.ListSourcesInput, options ...CallOption) (api.Page[api.Source], error) {
	return call(ctx, s.c, api.ListSources, in, options)
}
