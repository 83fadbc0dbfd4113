// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TeamsService manages teams and their members.
type TeamsService struct{ c *Client }

// AddMember adds a member to a team, or changes what they are in it. Body may be zero.
//
//	PUT /v1/orgs/{organizationId}/teams/{teamId}/members/{userId} (operation addMemberToOrganizationTeamById)
func (s TeamsService) AddMember(ctx context.Context, in api.AddTeamMemberInput, options ...CallOption) error {
	return perform(ctx, s.c, api.AddTeamMember, in, options)
}

// Create creates a team.
//
//	PUT /v1/orgs/{organizationId}/teams (operation createOrganizationTeam)
func (s TeamsService) Create(ctx context.Context, in api.CreateTeamInput, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.CreateTeam, in, options)
}

// Delete deletes a team; what its members had through it, they lose.
//
//	DELETE /v1/orgs/{organizationId}/teams/{teamId} (operation removeTeamFromOrganizationById)
func (s TeamsService) Delete(ctx context.Context, in api.TeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteTeam, in, options)
}

// Get shows a team.
//
//	GET /v1/orgs/{organizationId}/teams/{teamId} (operation getTeamInOrganizationById)
func (s TeamsService) Get(ctx context.Context, in api.TeamRef, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.GetTeam, in, options)
}

// List lists the teams of an organization. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/teams (operation listTeamsInOrganizationById)
func (s TeamsService) List(ctx context.Context, in api.ListTeamsInput, options ...CallOption) (api.Page[api.Team], error) {
	return call(ctx, s.c, api.ListTeams, in, options)
}

// ListMembers lists the members of a team. It answers a page of the list; [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/teams/{teamId}/members (operation listTeamMembersInOrganizationById)
func (s TeamsService) ListMembers(ctx context.Context, in api.ListTeamMembersInput, options ...CallOption) (api.Page[api.TeamMemberItem], error) {
	return call(ctx, s.c, api.ListTeamMembers, in, options)
}

// RemoveMember removes a member from a team.
//
//	DELETE /v1/orgs/{organizationId}/teams/{teamId}/members/{userId} (operation deleteMemberFromOrganizationTeamById)
func (s TeamsService) RemoveMember(ctx context.Context, in api.TeamMemberRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveTeamMember, in, options)
}

// Update renames a team.
//
//	PATCH /v1/orgs/{organizationId}/teams/{teamId} (operation updateTeamInOrganizationById)
func (s TeamsService) Update(ctx context.Context, in api.UpdateTeamInput, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.UpdateTeam, in, options)
}

// UpdateMembers adds, removes and changes several members of a team at once.
//
//	PUT /v1/orgs/{organizationId}/teams/{teamId}/members (operation updateMembersInOrganizationTeam)
func (s TeamsService) UpdateMembers(ctx context.Context, in api.UpdateTeamMembersInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateTeamMembers, in, options)
}
