// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// IntegrationEventsService shows what has happened to the installations of integrations.
type IntegrationEventsService struct{ c *Client }

// Get shows an event of an integration with its trace.
//
//	GET /v1/integrations/{integrationName}/events/{eventId} (operation getIntegrationEvent)
func (s IntegrationEventsService) Get(ctx context.Context, in api.IntegrationEventRef, options ...CallOption) (api.IntegrationEventDetails, error) {
	return call(ctx, s.c, api.GetIntegrationEvent, in, options)
}

// List lists what has happened to the installations of an integration of yours, the latest first. It answers a page
// of the log; [All] of [Log] goes through all of it.
//
//	GET /v1/integrations/{integrationName}/events (operation listIntegrationEvents)
func (s IntegrationEventsService) List(ctx context.Context, in api.ListIntegrationEventsInput, options ...CallOption) (api.LogPage[api.IntegrationEvent], error) {
	return call(ctx, s.c, api.ListIntegrationEvents, in, options)
}
