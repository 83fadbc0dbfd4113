package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// InvitesService manages invites by e-mail address.
type InvitesService struct{ c *Client }

// List lists the invites that are open.
func (s InvitesService) List(ctx context.Context, in api.ListInvitesInput, options ...CallOption) (api.Page[api.Invite], error) {
	return call(ctx, s.c, api.ListInvites, in, options)
}

// Create invites people; each gets a secret that is shown once.
func (s InvitesService) Create(ctx context.Context, in api.CreateInviteInput, options ...CallOption) (api.Invited, error) {
	return call(ctx, s.c, api.CreateInvite, in, options)
}

// Delete takes back an invite.
func (s InvitesService) Delete(ctx context.Context, in api.InviteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteInvite, in, options)
}

// Accept accepts an invite, with or without an account.
func (s InvitesService) Accept(ctx context.Context, in api.AcceptInviteInput, options ...CallOption) (api.Accepted, error) {
	return call(ctx, s.c, api.AcceptInvite, in, options)
}
