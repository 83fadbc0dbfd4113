package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SitesService manages docs sites.
type SitesService struct{ c *Client }

// List lists the docs sites of an organization that you can see.
func (s SitesService) List(ctx context.Context, in api.ListSitesInput, options ...CallOption) (api.Page[api.Site], error) {
	return call(ctx, s.c, api.ListSites, in, options)
}

// Create creates a docs site.
func (s SitesService) Create(ctx context.Context, in api.CreateSiteInput, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.CreateSite, in, options)
}

// Get shows a docs site.
func (s SitesService) Get(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.GetSite, in, options)
}

// Update changes a docs site.
func (s SitesService) Update(ctx context.Context, in api.UpdateSiteInput, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.UpdateSite, in, options)
}

// Delete deletes a docs site with its sections and share links.
func (s SitesService) Delete(ctx context.Context, in api.SiteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSite, in, options)
}

// Publish publishes a docs site to the audience that its visibility names.
func (s SitesService) Publish(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.PublishSite, in, options)
}

// Unpublish takes a docs site off the air.
func (s SitesService) Unpublish(ctx context.Context, in api.SiteRef, options ...CallOption) (api.Site, error) {
	return call(ctx, s.c, api.UnpublishSite, in, options)
}

// GetPublished shows all that a renderer needs of a docs site.
func (s SitesService) GetPublished(ctx context.Context, in api.SiteVisit, options ...CallOption) (api.PublishedSite, error) {
	return call(ctx, s.c, api.GetSitePublished, in, options)
}

// GetAdaptiveSchema shows which claims a site expects of its visitors.
func (s SitesService) GetAdaptiveSchema(ctx context.Context, in api.SiteRef, options ...CallOption) (api.SiteAdaptiveSchema, error) {
	return call(ctx, s.c, api.GetSiteAdaptiveSchema, in, options)
}

// UpdateAdaptiveSchema sets which claims a site expects of its visitors.
func (s SitesService) UpdateAdaptiveSchema(ctx context.Context, in api.UpdateAdaptiveSchemaInput, options ...CallOption) (api.SiteAdaptiveSchema, error) {
	return call(ctx, s.c, api.UpdateSiteAdaptiveSchema, in, options)
}

// ListTemplateConditions lists conditions that the expected claims suggest.
func (s SitesService) ListTemplateConditions(ctx context.Context, in api.SiteRef, options ...CallOption) (api.TemplateConditions, error) {
	return call(ctx, s.c, api.ListSiteTemplateConditions, in, options)
}

// GetAuth shows how visitors of a site are authenticated.
func (s SitesService) GetAuth(ctx context.Context, in api.SiteRef, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.GetSiteAuth, in, options)
}

// UpdateAuth changes where visitors of a site sign in.
func (s SitesService) UpdateAuth(ctx context.Context, in api.UpdateSiteAuthInput, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.UpdateSiteAuth, in, options)
}

// RegenerateAuth makes a new key that signs the tokens of visitors.
func (s SitesService) RegenerateAuth(ctx context.Context, in api.SiteRef, options ...CallOption) (api.PublishingAuth, error) {
	return call(ctx, s.c, api.RegenerateSiteAuth, in, options)
}
