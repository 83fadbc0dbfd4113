// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IntegrationInstallationsService manages the installations of integrations.
type IntegrationInstallationsService struct{ c *Client }

// Create installs an integration in an organization.
//
//	POST /v1/integrations/{integrationName}/installations (operation installIntegration)
func (s IntegrationInstallationsService) Create(ctx context.Context, in api.CreateInstallationInput, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.CreateIntegrationInstallation, in, options)
}

// Delete uninstalls an integration; its configuration is gone.
//
//	DELETE /v1/integrations/{integrationName}/installations/{installationId} (operation uninstallIntegration)
func (s IntegrationInstallationsService) Delete(ctx context.Context, in api.InstallationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteIntegrationInstallation, in, options)
}

// Get shows an installation.
//
//	GET /v1/integrations/{integrationName}/installations/{installationId} (operation getIntegrationInstallationById)
func (s IntegrationInstallationsService) Get(ctx context.Context, in api.InstallationRef, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.GetIntegrationInstallation, in, options)
}

// List lists the installations of an integration in your organizations; its owner's admins see all. It answers a page
// of the list; [All] goes through all of it.
//
//	GET /v1/integrations/{integrationName}/installations (operation listIntegrationInstallations)
func (s IntegrationInstallationsService) List(ctx context.Context, in api.ListInstallationsInput, options ...CallOption) (api.Page[api.IntegrationInstallation], error) {
	return call(ctx, s.c, api.ListIntegrationInstallations, in, options)
}

// Update configures an installation.
//
//	PATCH /v1/integrations/{integrationName}/installations/{installationId} (operation updateIntegrationInstallation)
func (s IntegrationInstallationsService) Update(ctx context.Context, in api.UpdateInstallationInput, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.UpdateIntegrationInstallation, in, options)
}
