// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// MembersService manages the members of organizations.
type MembersService struct{ c *Client }

// Delete removes a member from an organization, or leaves it yourself.
//
//	DELETE /v1/orgs/{organizationId}/members/{userId} (operation removeMemberFromOrganizationById)
func (s MembersService) Delete(ctx context.Context, in api.MemberRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteMember, in, options)
}

// Get shows a member of an organization.
//
//	GET /v1/orgs/{organizationId}/members/{userId} (operation getMemberInOrganizationById)
func (s MembersService) Get(ctx context.Context, in api.MemberRef, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.GetMember, in, options)
}

// List lists the members of an organization. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/members (operation listMembersInOrganizationById)
func (s MembersService) List(ctx context.Context, in api.ListMembersInput, options ...CallOption) (api.Page[api.Member], error) {
	return call(ctx, s.c, api.ListMembers, in, options)
}

// ListSpaces lists the spaces that a member may read, with the member's role in each. It answers a page of the list;
// [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/members/{userId}/spaces (operation listSpacesForOrganizationMember)
func (s MembersService) ListSpaces(ctx context.Context, in api.ListMemberSpacesInput, options ...CallOption) (api.Page[api.MemberSpace], error) {
	return call(ctx, s.c, api.ListMemberSpaces, in, options)
}

// ListTeams lists the teams that a member is in. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/members/{userId}/teams (operation listTeamsForOrganizationMember)
func (s MembersService) ListTeams(ctx context.Context, in api.ListMemberTeamsInput, options ...CallOption) (api.Page[api.MemberTeam], error) {
	return call(ctx, s.c, api.ListMemberTeams, in, options)
}

// Ping says that you are here: sets when you were last seen, and answers a token for visiting the organization's site
// for authenticated visitors.
//
//	POST /v1/orgs/{organizationId}/ping (operation updateOrganizationMemberLastSeenAt)
func (s MembersService) Ping(ctx context.Context, in api.PingInput, options ...CallOption) (api.Ping, error) {
	return call(ctx, s.c, api.PingMember, in, options)
}

// SetSSO makes a member sign in by single sign-on.
//
//	POST /v1/orgs/{organizationId}/members/{userId}/sso (operation setUserAsSSOMemberForOrganization)
func (s MembersService) SetSSO(ctx context.Context, in api.MemberRef, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.SetMemberSSO, in, options)
}

// Update changes a member's role in the organization.
//
//	PATCH /v1/orgs/{organizationId}/members/{userId} (operation updateMemberInOrganizationById)
func (s MembersService) Update(ctx context.Context, in api.UpdateMemberInput, options ...CallOption) (api.Member, error) {
	return call(ctx, s.c, api.UpdateMember, in, options)
}
