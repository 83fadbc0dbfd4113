// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSpacesService manages the spaces that docs sites show.
type SiteSpacesService struct{ c *Client }

// Create shows a space on a docs site.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/site-spaces (operation addSpaceToSite)
func (s SiteSpacesService) Create(ctx context.Context, in api.CreateSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.CreateSiteSpace, in, options)
}

// Delete takes a space off a docs site; the space itself stays.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId} (operation deleteSiteSpaceById)
func (s SiteSpacesService) Delete(ctx context.Context, in api.SiteSpaceRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSpace, in, options)
}

// List lists the spaces that a docs site shows, in their order. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/site-spaces (operation listSiteSpaces)
func (s SiteSpacesService) List(ctx context.Context, in api.ListSiteSpacesInput, options ...CallOption) (api.Page[api.SiteSpace], error) {
	return call(ctx, s.c, api.ListSiteSpaces, in, options)
}

// Move moves a site space next to another. Body may be zero.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move (operation moveSiteSpace)
//
// Deprecated: use [SitesService.SortStructure].
func (s SiteSpacesService) Move(ctx context.Context, in api.MoveSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.MoveSiteSpace, in, options)
}

// Update changes the path, the condition or the space of a site space.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId} (operation updateSiteSpaceById)
func (s SiteSpacesService) Update(ctx context.Context, in api.UpdateSiteSpaceInput, options ...CallOption) (api.SiteSpace, error) {
	return call(ctx, s.c, api.UpdateSiteSpace, in, options)
}
