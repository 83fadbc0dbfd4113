// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SiteSectionsService manages the sections of docs sites.
type SiteSectionsService struct{ c *Client }

// Create adds a section with a space to a docs site; the first one takes over the site's spaces.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/sections (operation addSectionToSite)
func (s SiteSectionsService) Create(ctx context.Context, in api.CreateSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.CreateSiteSection, in, options)
}

// Delete removes a section from a docs site; its spaces stay.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId} (operation deleteSiteSectionById)
func (s SiteSectionsService) Delete(ctx context.Context, in api.SiteSectionRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSiteSection, in, options)
}

// List lists the sections of a docs site, in their order. It answers a page of the list; [All] goes through all of
// it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/sections (operation listSiteSections)
func (s SiteSectionsService) List(ctx context.Context, in api.ListSiteSectionsInput, options ...CallOption) (api.Page[api.SiteSection], error) {
	return call(ctx, s.c, api.ListSiteSections, in, options)
}

// Move moves a section next to another. Body may be zero.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move (operation moveSiteSection)
//
// Deprecated: use [SitesService.SortStructure].
func (s SiteSectionsService) Move(ctx context.Context, in api.MoveSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.MoveSiteSection, in, options)
}

// Update changes a section of a docs site.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId} (operation updateSiteSectionById)
func (s SiteSectionsService) Update(ctx context.Context, in api.UpdateSiteSectionInput, options ...CallOption) (api.SiteSection, error) {
	return call(ctx, s.c, api.UpdateSiteSection, in, options)
}
