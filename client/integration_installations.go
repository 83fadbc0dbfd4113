package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IntegrationInstallationsService manages the installations of integrations.
type IntegrationInstallationsService struct{ c *Client }

// List lists the installations of an integration.
func (s IntegrationInstallationsService) List(ctx context.Context, in api.ListInstallationsInput, options ...CallOption) (api.Page[api.IntegrationInstallation], error) {
	return call(ctx, s.c, api.ListIntegrationInstallations, in, options)
}

// Create installs an integration in an organization.
func (s IntegrationInstallationsService) Create(ctx context.Context, in api.CreateInstallationInput, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.CreateIntegrationInstallation, in, options)
}

// Get shows an installation.
func (s IntegrationInstallationsService) Get(ctx context.Context, in api.InstallationRef, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.GetIntegrationInstallation, in, options)
}

// Update configures an installation.
func (s IntegrationInstallationsService) Update(ctx context.Context, in api.UpdateInstallationInput, options ...CallOption) (api.IntegrationInstallation, error) {
	return call(ctx, s.c, api.UpdateIntegrationInstallation, in, options)
}

// Delete uninstalls an integration.
func (s IntegrationInstallationsService) Delete(ctx context.Context, in api.InstallationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteIntegrationInstallation, in, options)
}
