// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// ShareLinksService manages the share links of docs sites.
type ShareLinksService struct{ c *Client }

// Create creates a share link: whoever has its URL can read the published site. The answer holds a secret, so a
// repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/share-links (operation createSiteShareLink)
func (s ShareLinksService) Create(ctx context.Context, in api.CreateShareLinkInput, options ...CallOption) (api.ShareLink, error) {
	return call(ctx, s.c, api.CreateShareLink, in, options)
}

// Delete deletes a share link; its key stops at once.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId} (operation deleteSiteShareLinkById)
func (s ShareLinksService) Delete(ctx context.Context, in api.ShareLinkRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteShareLink, in, options)
}

// List lists the share links of a docs site; their URLs hold the keys. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/share-links (operation listSiteShareLinks)
func (s ShareLinksService) List(ctx context.Context, in api.ListShareLinksInput, options ...CallOption) (api.Page[api.ShareLink], error) {
	return call(ctx, s.c, api.ListShareLinks, in, options)
}

// Update renames a share link, or switches it off or on. The answer holds a secret, so a repeat with the same
// [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId} (operation updateSiteShareLinkById)
func (s ShareLinksService) Update(ctx context.Context, in api.UpdateShareLinkInput, options ...CallOption) (api.ShareLink, error) {
	return call(ctx, s.c, api.UpdateShareLink, in, options)
}
