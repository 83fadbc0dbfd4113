// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SitesService manages docs sites.
type SitesService struct{ c *Client }

// Create creates a docs site; it is not published yet. Body may be zero.
//
//	POST /v1/orgs/{organizationId}/sites (operation createSite)
func (s SitesService) Create(ctx context.Context, in api.CreateSiteInput, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.CreateSite, in, options)
}

// Delete deletes a docs site with its sections and share links; the spaces stay.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId} (operation deleteSiteById)
func (s SitesService) Delete(ctx context.Context, in api.SiteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSite, in, options)
}

// Get shows a docs site.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId} (operation getSiteById)
func (s SitesService) Get(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.GetSite, in, options)
}

// GetAdaptiveSchema shows which claims a docs site expects of its visitors.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema (operation getSiteAdaptiveSchema)
func (s SitesService) GetAdaptiveSchema(ctx context.Context, in api.SiteRef, options ...CallOption) (api.SiteAdaptiveSchema, error) {
	return call(ctx, s.c, api.GetSiteAdaptiveSchema, in, options)
}

// GetAuth shows how visitors of a docs site are authenticated, with the key that signs their tokens.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/publishing/auth (operation sitesGetAuth)
func (s SitesService) GetAuth(ctx context.Context, in api.SiteRef, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.GetSiteAuth, in, options)
}

// GetCustomization shows how a docs site is to look.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/customization (operation getSiteCustomizationById)
func (s SitesService) GetCustomization(ctx context.Context, in api.GetSiteCustomizationInput, options ...CallOption) (api.SiteCustomization, error) {
	return call(ctx, s.c, api.GetSiteCustomization, in, options)
}

// GetPreview makes an address at which a docs site can be looked at for an hour, as a visitor with the claims that
// you give.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/publishing/preview (operation getSitePublishingPreviewById)
func (s SitesService) GetPreview(ctx context.Context, in api.SitePreviewInput, options ...CallOption) (api.SitePreview, error) {
	return call(ctx, s.c, api.GetSitePreview, in, options)
}

// GetPublished shows all that a renderer needs of a docs site.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/published (operation getPublishedContentSite)
func (s SitesService) GetPublished(ctx context.Context, in api.SiteVisit, options ...CallOption) (api.PublishedSite, error) {
	return call(ctx, s.c, api.GetSitePublished, in, options)
}

// GetStructure shows the sections and spaces of a docs site, in their order.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/structure (operation getSiteStructure)
func (s SitesService) GetStructure(ctx context.Context, in api.SiteVisit, options ...CallOption) (api.SiteStructure, error) {
	return call(ctx, s.c, api.GetSiteStructure, in, options)
}

// List lists the docs sites of an organization that you can see. It answers a page of the list; [All] goes through
// all of it.
//
//	GET /v1/orgs/{organizationId}/sites (operation listSites)
func (s SitesService) List(ctx context.Context, in api.ListSitesInput, options ...CallOption) (api.Page[api.Site], error) {
	return call(ctx, s.c, api.ListSites, in, options)
}

// ListTemplateConditions lists conditions that the expected claims suggest.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema/template-conditions (operation listSiteAdaptiveTemplateConditions)
func (s SitesService) ListTemplateConditions(ctx context.Context, in api.SiteRef, options ...CallOption) (api.TemplateConditions, error) {
	return call(ctx, s.c, api.ListSiteTemplateConditions, in, options)
}

// Publish publishes a docs site to the audience that its visibility names.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/publish (operation publishSite)
func (s SitesService) Publish(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.PublishSite, in, options)
}

// RegenerateAuth makes a new key that signs the tokens of visitors; the old one stops at once. The answer holds a
// secret, so a repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/publishing/auth/regenerate (operation sitesRegenerateAuth)
func (s SitesService) RegenerateAuth(ctx context.Context, in api.SiteRef, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.RegenerateSiteAuth, in, options)
}

// Search finds pages in the spaces of a docs site that you can read, by space. It answers a page of the list; [All]
// goes through all of it.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/search (operation searchSiteContent)
func (s SitesService) Search(ctx context.Context, in api.SearchSiteInput, options ...CallOption) (api.Page[api.SiteHit], error) {
	return call(ctx, s.c, api.SearchSite, in, options)
}

// SortStructure moves a section, a section group or a site space next to another one.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/structure/sort (operation sortSiteStructure)
func (s SitesService) SortStructure(ctx context.Context, in api.SortSiteStructureInput, options ...CallOption) (api.SiteStructureItem, error) {
	return call(ctx, s.c, api.SortSiteStructure, in, options)
}

// Unpublish takes a docs site off the air; nothing of it is lost.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/unpublish (operation unpublishSite)
func (s SitesService) Unpublish(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.UnpublishSite, in, options)
}

// Update changes a docs site: its title, audience, addresses, icon and defaults.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId} (operation updateSiteById)
func (s SitesService) Update(ctx context.Context, in api.UpdateSiteInput, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.UpdateSite, in, options)
}

// UpdateAdaptiveSchema sets which claims a docs site expects of its visitors.
//
//	PUT /v1/orgs/{organizationId}/sites/{siteId}/adaptive-schema (operation updateSiteAdaptiveSchema)
func (s SitesService) UpdateAdaptiveSchema(ctx context.Context, in api.UpdateAdaptiveSchemaInput, options ...CallOption) (api.SiteAdaptiveSchema, error) {
	return call(ctx, s.c, api.UpdateSiteAdaptiveSchema, in, options)
}

// UpdateAuth changes where visitors of a docs site sign in. The answer holds a secret, so a repeat with the same
// [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/publishing/auth (operation sitesUpdateAuth)
func (s SitesService) UpdateAuth(ctx context.Context, in api.UpdateSiteAuthInput, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.UpdateSiteAuth, in, options)
}

// UpdateCustomization says how a docs site is to look; what is left out gets its default.
//
//	PUT /v1/orgs/{organizationId}/sites/{siteId}/customization (operation updateSiteCustomizationById)
func (s SitesService) UpdateCustomization(ctx context.Context, in api.UpdateSiteCustomizationInput, options ...CallOption) (api.SiteCustomization, error) {
	return call(ctx, s.c, api.UpdateSiteCustomization, in, options)
}
