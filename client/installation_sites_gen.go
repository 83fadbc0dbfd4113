// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// InstallationSitesService manages the installations of integrations on sites.
type InstallationSitesService struct{ c *Client }

// Create installs an integration on a site, beside those that it was selected for.
//
//	POST /v1/integrations/{integrationName}/installations/{installationId}/sites (operation installIntegrationOnSite)
func (s InstallationSitesService) Create(ctx context.Context, in api.CreateInstallationSiteInput, options ...CallOption) (api.IntegrationSiteInstallation, error) {
	return call(ctx, s.c, api.CreateInstallationSite, in, options)
}

// Delete uninstalls an integration from a site; its configuration there is gone.
//
//	DELETE /v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId} (operation uninstallIntegrationFromSite)
func (s InstallationSitesService) Delete(ctx context.Context, in api.InstallationSiteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteInstallationSite, in, options)
}

// Get shows an installation on a site.
//
//	GET /v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId} (operation getIntegrationSiteInstallation)
func (s InstallationSitesService) Get(ctx context.Context, in api.GetInstallationSiteInput, options ...CallOption) (api.IntegrationSiteInstallation, error) {
	return call(ctx, s.c, api.GetInstallationSite, in, options)
}

// List lists the sites that an installation is for. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/integrations/{integrationName}/installations/{installationId}/sites (operation listIntegrationInstallationSites)
func (s InstallationSitesService) List(ctx context.Context, in api.ListInstallationContentsInput, options ...CallOption) (api.Page[api.IntegrationSiteInstallation], error) {
	return call(ctx, s.c, api.ListInstallationSites, in, options)
}

// Update configures an installation on a site.
//
//	PATCH /v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId} (operation updateIntegrationSiteInstallation)
func (s InstallationSitesService) Update(ctx context.Context, in api.UpdateInstallationSiteInput, options ...CallOption) (api.IntegrationSiteInstallation, error) {
	return call(ctx, s.c, api.UpdateInstallationSite, in, options)
}
