package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CollectionPermissionsService manages who was given access to collections.
type CollectionPermissionsService struct{ c *Client }

// List lists everybody who may read a collection, with what they may do there.
func (s CollectionPermissionsService) List(ctx context.Context, in api.ListCollectionPermissionsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissions, in, options)
}

// Create gives members and teams a role in a collection.
func (s CollectionPermissionsService) Create(ctx context.Context, in api.CreateCollectionPermissionInput, options ...CallOption) error {
	return perform(ctx, s.c, api.CreateCollectionPermission, in, options)
}

// ListUsers lists the members who were given a role in a collection by name.
func (s CollectionPermissionsService) ListUsers(ctx context.Context, in api.ListCollectionGrantsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissionUsers, in, options)
}

// UpdateUser changes the role that a member was given in a collection.
func (s CollectionPermissionsService) UpdateUser(ctx context.Context, in api.UpdateCollectionUserInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateCollectionPermissionUser, in, options)
}

// DeleteUser takes away what a member was given in a collection by name.
func (s CollectionPermissionsService) DeleteUser(ctx context.Context, in api.CollectionUserRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollectionPermissionUser, in, options)
}

// ListTeams lists the teams that were given a role in a collection.
func (s CollectionPermissionsService) ListTeams(ctx context.Context, in api.ListCollectionGrantsInput, options ...CallOption) (api.Page[api.TeamPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissionTeams, in, options)
}

// UpdateTeam changes the role that a team was given in a collection.
func (s CollectionPermissionsService) UpdateTeam(ctx context.Context, in api.UpdateCollectionTeamInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateCollectionPermissionTeam, in, options)
}

// DeleteTeam takes away what a team was given in a collection.
func (s CollectionPermissionsService) DeleteTeam(ctx context.Context, in api.CollectionTeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollectionPermissionTeam, in, options)
}
