package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

func (s *Server) collectionPermissionEndpoints() []Endpoint {
	return []Endpoint{
		op(api.ListCollectionPermissions, auth.InCollection(api.RoleCreate), s.listCollectionPermissions),
		write(api.CreateCollectionPermission, auth.InCollection(api.RoleCreate), s.createCollectionPermission).withScopeAdmin(),
		op(api.ListCollectionPermissionUsers, auth.InCollection(api.RoleCreate), s.listCollectionPermissionUsers),
		write(api.UpdateCollectionPermissionUser, auth.InCollection(api.RoleCreate), s.updateCollectionPermissionUser).withScopeAdmin(),
		write(api.DeleteCollectionPermissionUser, auth.InCollection(api.RoleCreate), s.deleteCollectionPermissionUser).withScopeAdmin(),
		op(api.ListCollectionPermissionTeams, auth.InCollection(api.RoleCreate), s.listCollectionPermissionTeams),
		write(api.UpdateCollectionPermissionTeam, auth.InCollection(api.RoleCreate), s.updateCollectionPermissionTeam).withScopeAdmin(),
		write(api.DeleteCollectionPermissionTeam, auth.InCollection(api.RoleCreate), s.deleteCollectionPermissionTeam).withScopeAdmin(),
	}
}

func (s *Server) listCollectionPermissions(ctx context.Context, c *call, in api.ListCollectionPermissionsInput) (Result[api.Page[api.UserPermission]], error) {
	return s.effectivePermissions(ctx, c, in.Collection, in.ListOptions, in.Role)
}

func (s *Server) createCollectionPermission(ctx context.Context, c *call, tx *store.Tx, in api.CreateCollectionPermissionInput) (Result[api.None], error) {
	return grant(c, tx, in.Collection, in.Body)
}

func (s *Server) listCollectionPermissionUsers(ctx context.Context, c *call, in api.ListCollectionGrantsInput) (Result[api.Page[api.UserPermission]], error) {
	return s.grantsOfUsers(ctx, c, in.Collection, in.ListOptions)
}

func (s *Server) updateCollectionPermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.UpdateCollectionUserInput) (Result[api.None], error) {
	return regrantUser(c, tx, in.Collection, in.User, in.Body.Role)
}

func (s *Server) deleteCollectionPermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.CollectionUserRef) (Result[api.None], error) {
	return regrantUser(c, tx, in.Collection, in.User, api.Null[api.Role]())
}

func (s *Server) listCollectionPermissionTeams(ctx context.Context, c *call, in api.ListCollectionGrantsInput) (Result[api.Page[api.TeamPermission]], error) {
	return s.grantsOfTeams(ctx, c, in.Collection, in.ListOptions)
}

func (s *Server) updateCollectionPermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.UpdateCollectionTeamInput) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Collection, in.Team, in.Body.Role)
}

func (s *Server) deleteCollectionPermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.CollectionTeamRef) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Collection, in.Team, api.Null[api.Role]())
}
