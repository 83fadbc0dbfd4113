package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

func (s *Server) spacePermissionEndpoints() []Endpoint {
	return []Endpoint{
		op(api.ListSpacePermissions, auth.InSpace(api.RoleCreate), s.listSpacePermissions),
		write(api.CreateSpacePermission, auth.InSpace(api.RoleCreate), s.createSpacePermission).withScopeAdmin(),
		op(api.ListSpacePermissionUsers, auth.InSpace(api.RoleCreate), s.listSpacePermissionUsers),
		write(api.UpdateSpacePermissionUser, auth.InSpace(api.RoleCreate), s.updateSpacePermissionUser).withScopeAdmin(),
		write(api.DeleteSpacePermissionUser, auth.InSpace(api.RoleCreate), s.deleteSpacePermissionUser).withScopeAdmin(),
		op(api.ListSpacePermissionTeams, auth.InSpace(api.RoleCreate), s.listSpacePermissionTeams),
		write(api.UpdateSpacePermissionTeam, auth.InSpace(api.RoleCreate), s.updateSpacePermissionTeam).withScopeAdmin(),
		write(api.DeleteSpacePermissionTeam, auth.InSpace(api.RoleCreate), s.deleteSpacePermissionTeam).withScopeAdmin(),
	}
}

func (s *Server) listSpacePermissions(ctx context.Context, c *call, in api.ListSpacePermissionsInput) (Result[api.Page[api.UserPermission]], error) {
	return s.effectivePermissions(ctx, c, in.Space, in.ListOptions, in.Role)
}

func (s *Server) createSpacePermission(ctx context.Context, c *call, tx *store.Tx, in api.CreateSpacePermissionInput) (Result[api.None], error) {
	return grant(c, tx, in.Space, in.Body)
}

func (s *Server) listSpacePermissionUsers(ctx context.Context, c *call, in api.ListSpaceGrantsInput) (Result[api.Page[api.UserPermission]], error) {
	return s.grantsOfUsers(ctx, c, in.Space, in.ListOptions)
}

func (s *Server) updateSpacePermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.UpdateSpaceUserInput) (Result[api.None], error) {
	return regrantUser(c, tx, in.Space, in.User, in.Body.Role)
}

func (s *Server) deleteSpacePermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.SpaceUserRef) (Result[api.None], error) {
	return regrantUser(c, tx, in.Space, in.User, api.Null[api.Role]())
}

func (s *Server) listSpacePermissionTeams(ctx context.Context, c *call, in api.ListSpaceGrantsInput) (Result[api.Page[api.TeamPermission]], error) {
	return s.grantsOfTeams(ctx, c, in.Space, in.ListOptions)
}

func (s *Server) updateSpacePermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.UpdateSpaceTeamInput) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Space, in.Team, in.Body.Role)
}

func (s *Server) deleteSpacePermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.SpaceTeamRef) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Space, in.Team, api.Null[api.Role]())
}
