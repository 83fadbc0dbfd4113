// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// InstallationSpacesService manages the installations of integrations on spaces.
type InstallationSpacesService struct{ c *Client }

// Create installs an integration on a space, beside those that it was selected for.
//
//	POST /v1/integrations/{integrationName}/installations/{installationId}/spaces (operation installIntegrationOnSpace)
func (s InstallationSpacesService) Create(ctx context.Context, in api.CreateInstallationSpaceInput, options ...CallOption) (api.IntegrationSpaceInstallation, error) {
	return call(ctx, s.c, api.CreateInstallationSpace, in, options)
}

// Delete uninstalls an integration from a space; its configuration there is gone.
//
//	DELETE /v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId} (operation uninstallIntegrationFromSpace)
func (s InstallationSpacesService) Delete(ctx context.Context, in api.InstallationSpaceRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteInstallationSpace, in, options)
}

// Get shows an installation on a space.
//
//	GET /v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId} (operation getIntegrationSpaceInstallation)
func (s InstallationSpacesService) Get(ctx context.Context, in api.GetInstallationSpaceInput, options ...CallOption) (api.IntegrationSpaceInstallation, error) {
	return call(ctx, s.c, api.GetInstallationSpace, in, options)
}

// List lists the spaces that an installation is for. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/integrations/{integrationName}/installations/{installationId}/spaces (operation listIntegrationInstallationSpaces)
func (s InstallationSpacesService) List(ctx context.Context, in api.ListInstallationContentsInput, options ...CallOption) (api.Page[api.IntegrationSpaceInstallation], error) {
	return call(ctx, s.c, api.ListInstallationSpaces, in, options)
}

// Update configures an installation on a space.
//
//	PATCH /v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId} (operation updateIntegrationSpaceInstallation)
func (s InstallationSpacesService) Update(ctx context.Context, in api.UpdateInstallationSpaceInput, options ...CallOption) (api.IntegrationSpaceInstallation, error) {
	return call(ctx, s.c, api.UpdateInstallationSpace, in, options)
}
