package spaces

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) collectionPermissionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListCollectionPermissions, auth.InCollection(api.RoleCreate), s.listCollectionPermissions),
		rest.Write(api.CreateCollectionPermission, auth.InCollection(api.RoleCreate), s.createCollectionPermission).WithScopeAdmin().On(rest.Collection),
		rest.Op(api.ListCollectionPermissionUsers, auth.InCollection(api.RoleCreate), s.listCollectionPermissionUsers),
		rest.Write(api.UpdateCollectionPermissionUser, auth.InCollection(api.RoleCreate), s.updateCollectionPermissionUser).WithScopeAdmin().On(rest.Collection),
		rest.Write(api.DeleteCollectionPermissionUser, auth.InCollection(api.RoleCreate), s.deleteCollectionPermissionUser).WithScopeAdmin().On(rest.Collection).AllowAbsent(auth.InCollection(api.RoleCreate)),
		rest.Op(api.ListCollectionPermissionTeams, auth.InCollection(api.RoleCreate), s.listCollectionPermissionTeams),
		rest.Write(api.UpdateCollectionPermissionTeam, auth.InCollection(api.RoleCreate), s.updateCollectionPermissionTeam).WithScopeAdmin().On(rest.Collection),
		rest.Write(api.DeleteCollectionPermissionTeam, auth.InCollection(api.RoleCreate), s.deleteCollectionPermissionTeam).WithScopeAdmin().On(rest.Collection).AllowAbsent(auth.InCollection(api.RoleCreate)),
	}
}

func (s *Service) listCollectionPermissions(ctx context.Context, c *rest.Call, in api.ListCollectionPermissionsInput) (rest.Result[api.Page[api.UserPermission]], error) {
	return s.effectivePermissions(c, in.Collection, in.ListOptions, in.Role)
}

func (s *Service) createCollectionPermission(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateCollectionPermissionInput) (rest.Result[api.None], error) {
	return Grant(c, tx, in.Collection, in.Body)
}

func (s *Service) listCollectionPermissionUsers(ctx context.Context, c *rest.Call, in api.ListCollectionGrantsInput) (rest.Result[api.Page[api.UserPermission]], error) {
	return s.ListUserGrants(c, in.Collection, in.ListOptions)
}

func (s *Service) updateCollectionPermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateCollectionUserInput) (rest.Result[api.None], error) {
	return ChangeUserGrant(c, tx, in.Collection, in.User, in.Body.Role)
}

func (s *Service) deleteCollectionPermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CollectionUserRef) (rest.Result[api.None], error) {
	return ChangeUserGrant(c, tx, in.Collection, in.User, api.Null[api.Role]())
}

func (s *Service) listCollectionPermissionTeams(ctx context.Context, c *rest.Call, in api.ListCollectionGrantsInput) (rest.Result[api.Page[api.TeamPermission]], error) {
	return s.ListTeamGrants(c, in.Collection, in.ListOptions)
}

func (s *Service) updateCollectionPermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateCollectionTeamInput) (rest.Result[api.None], error) {
	return ChangeTeamGrant(c, tx, in.Collection, in.Team, in.Body.Role)
}

func (s *Service) deleteCollectionPermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CollectionTeamRef) (rest.Result[api.None], error) {
	return ChangeTeamGrant(c, tx, in.Collection, in.Team, api.Null[api.Role]())
}
