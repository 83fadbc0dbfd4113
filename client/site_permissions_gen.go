// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// SitePermissionsService manages the permissions of docs sites.
type SitePermissionsService struct{ c *Client }

// Create gives members and teams a role in a docs site.
//
//	POST /v1/orgs/{organizationId}/sites/{siteId}/permissions (operation inviteToSite)
func (s SitePermissionsService) Create(ctx context.Context, in api.CreateSitePermissionInput, options ...CallOption) error {
	return perform(ctx, s.c, api.CreateSitePermission, in, options)
}

// DeleteTeam takes away what a team was given in a docs site.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId} (operation removeTeamFromSite)
func (s SitePermissionsService) DeleteTeam(ctx context.Context, in api.SiteTeamRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSitePermissionTeam, in, options)
}

// DeleteUser takes away what a member was given in a docs site by name.
//
//	DELETE /v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId} (operation removeUserFromSite)
func (s SitePermissionsService) DeleteUser(ctx context.Context, in api.SiteUserRef, options ...CallOption) error {
	return perform(ctx, s.c, api.DeleteSitePermissionUser, in, options)
}

// List lists everybody who may read a docs site, with what they may do there, and why. It answers a page of the list;
// [All] goes through all of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/permissions/aggregate (operation listPermissionsAggregateInSite)
func (s SitePermissionsService) List(ctx context.Context, in api.ListSitePermissionsInput, options ...CallOption) (api.Page[api.SitePermission], error) {
	return call(ctx, s.c, api.ListSitePermissions, in, options)
}

// ListTeams lists the teams that were given a role in a docs site. It answers a page of the list; [All] goes through
// all of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/permissions/teams (operation listTeamPermissionsInSite)
func (s SitePermissionsService) ListTeams(ctx context.Context, in api.ListSiteGrantsInput, options ...CallOption) (api.Page[api.TeamPermission], error) {
	return call(ctx, s.c, api.ListSitePermissionTeams, in, options)
}

// ListUsers lists the members who were given a role in a docs site by name. It answers a page of the list; [All] goes
// through all of it.
//
//	GET /v1/orgs/{organizationId}/sites/{siteId}/permissions/users (operation listUserPermissionsInSite)
func (s SitePermissionsService) ListUsers(ctx context.Context, in api.ListSiteGrantsInput, options ...CallOption) (api.Page[api.UserPermission], error) {
	return call(ctx, s.c, api.ListSitePermissionUsers, in, options)
}

// UpdateTeam changes the role that a team was given in a docs site.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId} (operation updateTeamPermissionInSite)
func (s SitePermissionsService) UpdateTeam(ctx context.Context, in api.UpdateSiteTeamInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSitePermissionTeam, in, options)
}

// UpdateUser changes the role that a member was given in a docs site.
//
//	PATCH /v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId} (operation updateUserPermissionInSite)
func (s SitePermissionsService) UpdateUser(ctx context.Context, in api.UpdateSiteUserInput, options ...CallOption) error {
	return perform(ctx, s.c, api.UpdateSitePermissionUser, in, options)
}
