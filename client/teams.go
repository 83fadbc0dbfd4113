package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// TeamsService manages teams and who is in them.
type TeamsService struct{ c *Client }

// List lists the teams of an organization.
func (s TeamsService) List(ctx context.Context, in api.ListTeamsInput, options ...CallOption) (api.Page[api.Team], error) {
	return call(ctx, s.c, api.ListTeams, in, options)
}

// Create creates a team.
func (s TeamsService) Create(ctx context.Context, in api.CreateTeamInput, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.CreateTeam, in, options)
}

// Get shows a team.
func (s TeamsService) Get(ctx context.Context, in api.TeamRef, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.GetTeam, in, options)
}

// Update renames a team.
func (s TeamsService) Update(ctx context.Context, in api.UpdateTeamInput, options ...CallOption) (api.Team, error) {
	return call(ctx, s.c, api.UpdateTeam, in, options)
}

// Delete deletes a team.
func (s TeamsService) Delete(ctx context.Context, in api.TeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteTeam, in, options)
}

// ListMembers lists the members of a team.
func (s TeamsService) ListMembers(ctx context.Context, in api.ListTeamMembersInput, options ...CallOption) (api.Page[api.TeamMemberItem], error) {
	return call(ctx, s.c, api.ListTeamMembers, in, options)
}

// UpdateMembers adds, removes and changes several members of a team at once.
func (s TeamsService) UpdateMembers(ctx context.Context, in api.UpdateTeamMembersInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateTeamMembers, in, options)
}

// AddMember adds a member to a team, or changes what they are in it.
func (s TeamsService) AddMember(ctx context.Context, in api.AddTeamMemberInput, options ...CallOption) error {
	return perform(ctx, s.c, api.AddTeamMember, in, options)
}

// RemoveMember removes a member from a team.
func (s TeamsService) RemoveMember(ctx context.Context, in api.TeamMemberRef, options ...CallOption) error {
	return perform(ctx, s.c, api.RemoveTeamMember, in, options)
}
