// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SpacePermissionsService manages the permissions of spaces.
type SpacePermissionsService struct{ c *Client }

// Create gives members and teams a role in a space.
//
//	POST /v1/spaces/{spaceId}/permissions (operation inviteToSpace)
func (s SpacePermissionsService) Create(ctx context.Context, in api.CreateSpacePermissionInput, options ...CallOption) error {
	return perform(ctx, s.c, api.CreateSpacePermission, in, options)
}

// DeleteTeam takes away what a team was given in a space.
//
//	DELETE /v1/spaces/{spaceId}/permissions/teams/{teamId} (operation removeTeamFromSpace)
func (s SpacePermissionsService) DeleteTeam(ctx context.Context, in api.SpaceTeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSpacePermissionTeam, in, options)
}

// DeleteUser takes away what a member was given in a space by name.
//
//	DELETE /v1/spaces/{spaceId}/permissions/users/{userId} (operation removeUserFromSpace)
func (s SpacePermissionsService) DeleteUser(ctx context.Context, in api.SpaceUserRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSpacePermissionUser, in, options)
}

// List lists everybody who may read a space, with what they may do there. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/spaces/{spaceId}/permissions/aggregate (operation listPermissionsAggregateInSpace)
func (s SpacePermissionsService) List(ctx context.Context, in api.ListSpacePermissionsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListSpacePermissions, in, options)
}

// ListTeams lists the teams that were given a role in a space. It answers a page of the list; [All] goes through all
// of it.
//
//	GET /v1/spaces/{spaceId}/permissions/teams (operation listTeamPermissionsInSpace)
func (s SpacePermissionsService) ListTeams(ctx context.Context, in api.ListSpaceGrantsInput, options ...CallOption) (api.Page[api.TeamPermission], error) {
	return call(ctx, s.c, api.ListSpacePermissionTeams, in, options)
}

// ListUsers lists the members who were given a role in a space by name. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/spaces/{spaceId}/permissions/users (operation listUserPermissionsInSpace)
func (s SpacePermissionsService) ListUsers(ctx context.Context, in api.ListSpaceGrantsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListSpacePermissionUsers, in, options)
}

// UpdateTeam changes the role that a team was given in a space.
//
//	PATCH /v1/spaces/{spaceId}/permissions/teams/{teamId} (operation updateTeamPermissionInSpace)
func (s SpacePermissionsService) UpdateTeam(ctx context.Context, in api.UpdateSpaceTeamInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSpacePermissionTeam, in, options)
}

// UpdateUser changes the role that a member was given in a space.
//
//	PATCH /v1/spaces/{spaceId}/permissions/users/{userId} (operation updateUserPermissionInSpace)
func (s SpacePermissionsService) UpdateUser(ctx context.Context, in api.UpdateSpaceUserInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSpacePermissionUser, in, options)
}
