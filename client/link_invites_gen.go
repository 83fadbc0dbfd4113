// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// LinkInvitesService manages invite links.
type LinkInvitesService struct{ c *Client }

// Create makes an invite link into the organization, or into one space or collection. The answer holds a secret, so a
// repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/orgs/{organizationId}/link-invites (operation createOrganizationInvite)
func (s LinkInvitesService) Create(ctx context.Context, in api.CreateLinkInviteInput, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.CreateLinkInvite, in, options)
}

// Delete deletes an invite link; who came by it stays.
//
//	DELETE /v1/orgs/{organizationId}/link-invites/{inviteId} (operation deleteOrganizationInviteById)
func (s LinkInvitesService) Delete(ctx context.Context, in api.LinkInviteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteLinkInvite, in, options)
}

// Get shows an invite link with its secret.
//
//	GET /v1/orgs/{organizationId}/link-invites/{inviteId} (operation getOrganizationInviteLink)
func (s LinkInvitesService) Get(ctx context.Context, in api.LinkInviteRef, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.GetLinkInvite, in, options)
}

// List lists the invite links that you may manage. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/link-invites (operation listOrganizationInviteLinks)
func (s LinkInvitesService) List(ctx context.Context, in api.ListLinkInvitesInput, options ...CallOption) (api.Page[api.LinkInvite], error) {
	return call(ctx, s.c, api.ListLinkInvites, in, options)
}

// Update changes what an invite link gives to those who come by it from now on. The answer holds a secret, so a
// repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	PATCH /v1/orgs/{organizationId}/link-invites/{inviteId} (operation updateOrganizationInviteById)
func (s LinkInvitesService) Update(ctx context.Context, in api.UpdateLinkInviteInput, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.UpdateLinkInvite, in, options)
}
