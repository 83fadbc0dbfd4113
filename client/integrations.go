package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IntegrationsService publishes and finds integrations.
type IntegrationsService struct{ c *Client }

// List lists the integrations that can be installed.
func (s IntegrationsService) List(ctx context.Context, in api.ListIntegrationsInput, options ...CallOption) (api.Page[api.Integration], error) {
	return call(ctx, s.c, api.ListIntegrations, in, options)
}

// Get shows an integration.
func (s IntegrationsService) Get(ctx context.Context, in api.IntegrationRef, options ...CallOption) (api.Integration, error) {
	return call(ctx, s.c, api.GetIntegration, in, options)
}

// Publish publishes an integration, or the next version of one.
func (s IntegrationsService) Publish(ctx context.Context, in api.PublishIntegrationInput, options ...CallOption) (api.Integration, error) {
	return call(ctx, s.c, api.PublishIntegration, in, options)
}

// Unpublish unpublishes an integration.
func (s IntegrationsService) Unpublish(ctx context.Context, in api.IntegrationRef, options ...CallOption) error {
	return perform(ctx, s.c, api.UnpublishIntegration, in, options)
}
