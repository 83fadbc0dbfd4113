// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// InvitesService manages invites by e-mail address.
type InvitesService struct{ c *Client }

// Accept accepts an invite, or comes in by an invite link: makes you a member and, if you have no account, gives you
// one and its first token. The answer holds a secret, so a repeat with the same [IdempotencyKey] fails with
// [api.ReasonAnswerSecret].
//
//	POST /v1/invites/accept (operation invitesAccept)
func (s InvitesService) Accept(ctx context.Context, in api.AcceptInviteInput, options ...CallOption) (api.Accepted, error) {
	return call(ctx, s.c, api.AcceptInvite, in, options)
}

// Create invites people by e-mail address; each new invite has a secret that is shown once, and an open one is
// changed. The answer holds a secret, so a repeat with the same [IdempotencyKey] fails with [api.ReasonAnswerSecret].
//
//	POST /v1/orgs/{organizationId}/invites (operation inviteUsersToOrganization)
func (s InvitesService) Create(ctx context.Context, in api.CreateInviteInput, options ...CallOption) (api.Invited, error) {
	return call(ctx, s.c, api.CreateInvite, in, options)
}

// Delete takes back an invite; its secret is worth nothing any more.
//
//	DELETE /v1/orgs/{organizationId}/invites/{inviteId} (operation invitesDelete)
func (s InvitesService) Delete(ctx context.Context, in api.InviteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteInvite, in, options)
}

// Join becomes a member by an invite as who you are: with its secret in the place of its id, or with the id of one to
// an e-mail address that is proven to be yours.
//
//	POST /v1/orgs/{organizationId}/invites/{inviteId} (operation joinOrganizationWithInvite)
func (s InvitesService) Join(ctx context.Context, in api.JoinInviteInput, options ...CallOption) (api.Accepted, error) {
	return call(ctx, s.c, api.JoinInvite, in, options)
}

// List lists the invites that are open, without their secrets. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/orgs/{organizationId}/invites (operation invitesList)
func (s InvitesService) List(ctx context.Context, in api.ListInvitesInput, options ...CallOption) (api.Page[api.Invite], error) {
	return call(ctx, s.c, api.ListInvites, in, options)
}
