package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// LinkInvitesService manages invite links.
type LinkInvitesService struct{ c *Client }

// List lists the invite links that you may manage.
func (s LinkInvitesService) List(ctx context.Context, in api.ListLinkInvitesInput, options ...CallOption) (api.Page[api.LinkInvite], error) {
	return call(ctx, s.c, api.ListLinkInvites, in, options)
}

// Create makes an invite link.
func (s LinkInvitesService) Create(ctx context.Context, in api.CreateLinkInviteInput, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.CreateLinkInvite, in, options)
}

// Get shows an invite link with its secret.
func (s LinkInvitesService) Get(ctx context.Context, in api.LinkInviteRef, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.GetLinkInvite, in, options)
}

// Update changes what an invite link gives.
func (s LinkInvitesService) Update(ctx context.Context, in api.UpdateLinkInviteInput, options ...CallOption) (api.LinkInvite, error) {
	return call(ctx, s.c, api.UpdateLinkInvite, in, options)
}

// Delete deletes an invite link.
func (s LinkInvitesService) Delete(ctx context.Context, in api.LinkInviteRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteLinkInvite, in, options)
}
