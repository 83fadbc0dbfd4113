package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// MembersService manages the members of organizations.
type MembersService struct{ c *Client }

// List lists the members of an organization.
func (s MembersService) List(ctx context.Context, in api.ListMembersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListMembers, in, options)
}

// Get shows a member of an organization.
func (s MembersService) Get(ctx context.Context, in api.MemberRef, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.GetMember, in, options)
}

// Update changes a member's role in the organization.
func (s MembersService) Update(ctx context.Context, in api.UpdateMemberInput, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.UpdateMember, in, options)
}

// Delete removes a member from an organization, or leaves it.
func (s MembersService) Delete(ctx context.Context, in api.MemberRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteMember, in, options)
}

// Ping sets when the caller was last seen in an organization.
func (s MembersService) Ping(ctx context.Context, in api.PingInput, options ...CallOption) (api.Ping, error) {
	return call(ctx, s.c, api.PingMember, in, options)
}

// ListSpaces lists the spaces that a member may read.
func (s MembersService) ListSpaces(ctx context.Context, in api.ListMemberSpacesInput, options ...CallOption) (api.Page[api.MemberSpace], error) {
	return call(ctx, s.c, api.ListMemberSpaces, in, options)
}

// ListTeams lists the teams that a member is in.
func (s MembersService) ListTeams(ctx context.Context, in api.ListMemberTeamsInput, options ...CallOption) (api.Page[api.MemberTeam], error) {
	return call(ctx, s.c, api.ListMemberTeams, in, options)
}

// SetSSO makes a member sign in by single sign-on.
func (s MembersService) SetSSO(ctx context.Context, in api.MemberRef, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.SetMemberSSO, in, options)
}
