package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ShareLinksService manages the share links of docs sites.
type ShareLinksService struct{ c *Client }

// List lists the share links of a docs site.
func (s ShareLinksService) List(ctx context.Context, in api.ListShareLinksInput, options ...CallOption) (api.Page[api.ShareLink], error) {
	return call(ctx, s.c, api.ListShareLinks, in, options)
}

// Create creates a share link.
func (s ShareLinksService) Create(ctx context.Context, in api.CreateShareLinkInput, options ...CallOption) (api.ShareLink, error) {
	return call(ctx, s.c, api.CreateShareLink, in, options)
}

// Update renames a share link, or switch it off or on.
func (s ShareLinksService) Update(ctx context.Context, in api.UpdateShareLinkInput, options ...CallOption) (api.ShareLink, error) {
	return call(ctx, s.c, api.UpdateShareLink, in, options)
}

// Delete deletes a share link.
func (s ShareLinksService) Delete(ctx context.Context, in api.ShareLinkRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteShareLink, in, options)
}
