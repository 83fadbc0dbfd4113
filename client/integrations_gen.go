// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IntegrationsService publishes and finds integrations.
type IntegrationsService struct{ c *Client }

// Get shows an integration.
//
//	GET /v1/integrations/{integrationName} (operation getIntegrationByName)
func (s IntegrationsService) Get(ctx context.Context, in api.IntegrationRef, options ...CallOption) (api.Integration, error) {
	return call(ctx, s.c, api.GetIntegration, in, options)
}

// List lists the integrations that can be installed: the public ones and those of your organizations. It answers a
// page of the list; [All] goes through all of it.
//
//	GET /v1/integrations (operation listIntegrations)
func (s IntegrationsService) List(ctx context.Context, in api.ListIntegrationsInput, options ...CallOption) (api.Page[api.Integration], error) {
	return call(ctx, s.c, api.ListIntegrations, in, options)
}

// Publish publishes an integration, or the next version of one.
//
//	POST /v1/integrations/{integrationName} (operation publishIntegration)
func (s IntegrationsService) Publish(ctx context.Context, in api.PublishIntegrationInput, options ...CallOption) (api.Integration, error) {
	return call(ctx, s.c, api.PublishIntegration, in, options)
}

// Unpublish unpublishes an integration: its installations pause, its name stays yours.
//
//	DELETE /v1/integrations/{integrationName} (operation unpublishIntegration)
func (s IntegrationsService) Unpublish(ctx context.Context, in api.IntegrationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.UnpublishIntegration, in, options)
}
