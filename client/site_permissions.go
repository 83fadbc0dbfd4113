package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SitePermissionsService manages who was given access to docs sites.
type SitePermissionsService struct{ c *Client }

// List lists everybody who may read a docs site, with what they may do there, and why.
func (s SitePermissionsService) List(ctx context.Context, in api.ListSitePermissionsInput, options ...CallOption) (api.Page[api.SitePermission], error) {
	return call(ctx, s.c, api.ListSitePermissions, in, options)
}

// Create gives members and teams a role in a docs site.
func (s SitePermissionsService) Create(ctx context.Context, in api.CreateSitePermissionInput, options ...CallOption) error {
	return perform(ctx, s.c, api.CreateSitePermission, in, options)
}

// ListUsers lists the members who were given a role in a docs site by name.
func (s SitePermissionsService) ListUsers(ctx context.Context, in api.ListSiteGrantsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListSitePermissionUsers, in, options)
}

// UpdateUser changes the role that a member was given in a docs site.
func (s SitePermissionsService) UpdateUser(ctx context.Context, in api.UpdateSiteUserInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSitePermissionUser, in, options)
}

// DeleteUser takes away what a member was given in a docs site by name.
func (s SitePermissionsService) DeleteUser(ctx context.Context, in api.SiteUserRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSitePermissionUser, in, options)
}

// ListTeams lists the teams that were given a role in a docs site.
func (s SitePermissionsService) ListTeams(ctx context.Context, in api.ListSiteGrantsInput, options ...CallOption) (api.Page[api.TeamPermission], error) {
	return call(ctx, s.c, api.ListSitePermissionTeams, in, options)
}

// UpdateTeam changes the role that a team was given in a docs site.
func (s SitePermissionsService) UpdateTeam(ctx context.Context, in api.UpdateSiteTeamInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSitePermissionTeam, in, options)
}

// DeleteTeam takes away what a team was given in a docs site.
func (s SitePermissionsService) DeleteTeam(ctx context.Context, in api.SiteTeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSitePermissionTeam, in, options)
}
