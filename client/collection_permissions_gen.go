// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// CollectionPermissionsService manages the permissions of collections.
type CollectionPermissionsService struct{ c *Client }

// Create gives members and teams a role in a collection.
//
//	POST /v1/collections/{collectionId}/permissions (operation inviteToCollection)
func (s CollectionPermissionsService) Create(ctx context.Context, in api.CreateCollectionPermissionInput, options ...CallOption) error {
	return perform(ctx, s.c, api.CreateCollectionPermission, in, options)
}

// DeleteTeam takes away what a team was given in a collection.
//
//	DELETE /v1/collections/{collectionId}/permissions/teams/{teamId} (operation removeTeamFromCollection)
func (s CollectionPermissionsService) DeleteTeam(ctx context.Context, in api.CollectionTeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollectionPermissionTeam, in, options)
}

// DeleteUser takes away what a member was given in a collection by name.
//
//	DELETE /v1/collections/{collectionId}/permissions/users/{userId} (operation removeUserFromCollection)
func (s CollectionPermissionsService) DeleteUser(ctx context.Context, in api.CollectionUserRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteCollectionPermissionUser, in, options)
}

// List lists everybody who may read a collection, with what they may do there. It answers a page of the list; [All]
// goes through all of it.
//
//	GET /v1/collections/{collectionId}/permissions/aggregate (operation listPermissionsAggregateInCollection)
func (s CollectionPermissionsService) List(ctx context.Context, in api.ListCollectionPermissionsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissions, in, options)
}

// ListTeams lists the teams that were given a role in a collection. It answers a page of the list; [All] goes through
// all of it.
//
//	GET /v1/collections/{collectionId}/permissions/teams (operation listTeamPermissionsInCollection)
func (s CollectionPermissionsService) ListTeams(ctx context.Context, in api.ListCollectionGrantsInput, options ...CallOption) (api.Page[api.TeamPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissionTeams, in, options)
}

// ListUsers lists the members who were given a role in a collection by name. It answers a page of the list; [All]
// goes through all of it.
//
//	GET /v1/collections/{collectionId}/permissions/users (operation listUserPermissionsInCollection)
func (s CollectionPermissionsService) ListUsers(ctx context.Context, in api.ListCollectionGrantsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListCollectionPermissionUsers, in, options)
}

// UpdateTeam changes the role that a team was given in a collection.
//
//	PATCH /v1/collections/{collectionId}/permissions/teams/{teamId} (operation updateTeamPermissionInCollection)
func (s CollectionPermissionsService) UpdateTeam(ctx context.Context, in api.UpdateCollectionTeamInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateCollectionPermissionTeam, in, options)
}

// UpdateUser changes the role that a member was given in a collection.
//
//	PATCH /v1/collections/{collectionId}/permissions/users/{userId} (operation updateUserPermissionInCollection)
func (s CollectionPermissionsService) UpdateUser(ctx context.Context, in api.UpdateCollectionUserInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateCollectionPermissionUser, in, options)
}
