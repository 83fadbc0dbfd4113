package spaces

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) spacePermissionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListSpacePermissions, auth.InSpace(api.RoleCreate), s.listSpacePermissions),
		rest.Write(api.CreateSpacePermission, auth.InSpace(api.RoleCreate), s.createSpacePermission).WithScopeAdmin().On(rest.Space),
		rest.Op(api.ListSpacePermissionUsers, auth.InSpace(api.RoleCreate), s.listSpacePermissionUsers),
		rest.Write(api.UpdateSpacePermissionUser, auth.InSpace(api.RoleCreate), s.updateSpacePermissionUser).WithScopeAdmin().On(rest.Space),
		rest.Write(api.DeleteSpacePermissionUser, auth.InSpace(api.RoleCreate), s.deleteSpacePermissionUser).WithScopeAdmin().On(rest.Space).AllowAbsent(auth.InSpace(api.RoleCreate)),
		rest.Op(api.ListSpacePermissionTeams, auth.InSpace(api.RoleCreate), s.listSpacePermissionTeams),
		rest.Write(api.UpdateSpacePermissionTeam, auth.InSpace(api.RoleCreate), s.updateSpacePermissionTeam).WithScopeAdmin().On(rest.Space),
		rest.Write(api.DeleteSpacePermissionTeam, auth.InSpace(api.RoleCreate), s.deleteSpacePermissionTeam).WithScopeAdmin().On(rest.Space).AllowAbsent(auth.InSpace(api.RoleCreate)),
	}
}

func (s *Service) listSpacePermissions(ctx context.Context, c *rest.Call, in api.ListSpacePermissionsInput) (rest.Result[api.Page[api.UserPermission]], error) {
	return s.effectivePermissions(c, in.Space, in.ListOptions, in.Role)
}

func (s *Service) createSpacePermission(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateSpacePermissionInput) (rest.Result[api.None], error) {
	return Grant(c, tx, in.Space, in.Body)
}

func (s *Service) listSpacePermissionUsers(ctx context.Context, c *rest.Call, in api.ListSpaceGrantsInput) (rest.Result[api.Page[api.UserPermission]], error) {
	return s.ListUserGrants(c, in.Space, in.ListOptions)
}

func (s *Service) updateSpacePermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSpaceUserInput) (rest.Result[api.None], error) {
	return ChangeUserGrant(c, tx, in.Space, in.User, in.Body.Role)
}

func (s *Service) deleteSpacePermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceUserRef) (rest.Result[api.None], error) {
	return ChangeUserGrant(c, tx, in.Space, in.User, api.Null[api.Role]())
}

func (s *Service) listSpacePermissionTeams(ctx context.Context, c *rest.Call, in api.ListSpaceGrantsInput) (rest.Result[api.Page[api.TeamPermission]], error) {
	return s.ListTeamGrants(c, in.Space, in.ListOptions)
}

func (s *Service) updateSpacePermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSpaceTeamInput) (rest.Result[api.None], error) {
	return ChangeTeamGrant(c, tx, in.Space, in.Team, in.Body.Role)
}

func (s *Service) deleteSpacePermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SpaceTeamRef) (rest.Result[api.None], error) {
	return ChangeTeamGrant(c, tx, in.Space, in.Team, api.Null[api.Role]())
}
