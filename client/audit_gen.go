// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// AuditService shows who has changed what in an organization.
type AuditService struct{ c *Client }

// Get shows a change with its request, the address of the client and what was there before.
//
//	GET /v1/orgs/{organizationId}/audit-events/{auditEventId} (operation getOrganizationAuditEvent)
func (s AuditService) Get(ctx context.Context, in api.AuditEventRef, options ...CallOption) (api.AuditEventDetails, error) {
	return call(ctx, s.c, api.GetAudit, in, options)
}

// List lists who has changed what in an organization, the latest first. It answers a page of the log; [All] of [Log]
// goes through all of it.
//
//	GET /v1/orgs/{organizationId}/audit-events (operation listOrganizationAuditEvents)
func (s AuditService) List(ctx context.Context, in api.ListAuditInput, options ...CallOption) (api.LogPage[api.AuditEvent], error) {
	return call(ctx, s.c, api.ListAudit, in, options)
}

// ListActions lists the actions of audit events.
//
//	GET /v1/orgs/{organizationId}/audit-event-actions (operation listOrganizationAuditEventActions)
func (s AuditService) ListActions(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.AuditEventActions, error) {
	return call(ctx, s.c, api.ListAuditActions, in, options)
}

// Oldest shows how far the event log of an organization goes back, its size and how much of it is kept.
//
//	GET /v1/orgs/{organizationId}/audit-event-log (operation auditOldest)
func (s AuditService) Oldest(ctx context.Context, in api.OrganizationRef, options ...CallOption) (api.EventLog, error) {
	return call(ctx, s.c, api.OldestAudit, in, options)
}
