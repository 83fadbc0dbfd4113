package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSpacesService manages the spaces that docs sites show.
type SiteSpacesService struct{ c *Client }

// List lists the spaces that a docs site shows, in their order.
func (s SiteSpacesService) List(ctx context.Context, in api.ListSiteSpacesInput, options ...CallOption) (api.Page[api.SiteSpace], error) {
	return call(ctx, s.c, api.ListSiteSpaces, in, options)
}

// Create shows a space on a docs site.
func (s SiteSpacesService) Create(ctx context.Context, in api.CreateSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.CreateSiteSpace, in, options)
}

// Update changes the path, the condition or the space of a site space.
func (s SiteSpacesService) Update(ctx context.Context, in api.UpdateSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.UpdateSiteSpace, in, options)
}

// Delete takes a space off a docs site.
func (s SiteSpacesService) Delete(ctx context.Context, in api.SiteSpaceRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSpace, in, options)
}

// Move moves a site space next to another.
func (s SiteSpacesService) Move(ctx context.Context, in api.MoveSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.MoveSiteSpace, in, options)
}
