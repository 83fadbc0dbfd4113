package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSectionsService manages the sections of docs sites.
type SiteSectionsService struct{ c *Client }

// List lists the sections of a docs site, in their order.
func (s SiteSectionsService) List(ctx context.Context, in api.ListSiteSectionsInput, options ...CallOption) (api.Page[api.SiteSection], error) {
	return call(ctx, s.c, api.ListSiteSections, in, options)
}

// Create adds a section with a space to a docs site.
func (s SiteSectionsService) Create(ctx context.Context, in api.CreateSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.CreateSiteSection, in, options)
}

// Update changes a section of a docs site.
func (s SiteSectionsService) Update(ctx context.Context, in api.UpdateSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.UpdateSiteSection, in, options)
}

// Delete removes a section from a docs site.
func (s SiteSectionsService) Delete(ctx context.Context, in api.SiteSectionRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSection, in, options)
}

// Move moves a section next to another.
func (s SiteSectionsService) Move(ctx context.Context, in api.MoveSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.MoveSiteSection, in, options)
}
