package server

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

func (s *Server) sitePermissionEndpoints() []Endpoint {
	return []Endpoint{
		op(api.ListSitePermissions, auth.InSite(api.RoleCreate), s.listSitePermissions),
		write(api.CreateSitePermission, auth.InSite(api.RoleCreate), s.createSitePermission).withScopeAdmin(),
		op(api.ListSitePermissionUsers, auth.InSite(api.RoleCreate), s.listSitePermissionUsers),
		write(api.UpdateSitePermissionUser, auth.InSite(api.RoleCreate), s.updateSitePermissionUser).withScopeAdmin(),
		write(api.DeleteSitePermissionUser, auth.InSite(api.RoleCreate), s.deleteSitePermissionUser).withScopeAdmin(),
		op(api.ListSitePermissionTeams, auth.InSite(api.RoleCreate), s.listSitePermissionTeams),
		write(api.UpdateSitePermissionTeam, auth.InSite(api.RoleCreate), s.updateSitePermissionTeam).withScopeAdmin(),
		write(api.DeleteSitePermissionTeam, auth.InSite(api.RoleCreate), s.deleteSitePermissionTeam).withScopeAdmin(),
	}
}

// listSitePermissions lists everybody who may read a site, with their role and where it comes from.
func (s *Server) listSitePermissions(ctx context.Context, c *call, in api.ListSitePermissionsInput) (Result[api.Page[api.SitePermission]], error) {
	return userPermissions[api.SitePermission](ctx, c, s, in.ListOptions, in.Role, func(sh *access.Model, p *access.Person) access.EffectiveRole {
		return sh.SiteRoleOrigin(sh.CallerOf(&access.Caller{User: p.User.ID}, p), in.Site)
	})
}

func (s *Server) createSitePermission(ctx context.Context, c *call, tx *store.Tx, in api.CreateSitePermissionInput) (Result[api.None], error) {
	return grant(c, tx, in.Site, in.Body)
}

func (s *Server) listSitePermissionUsers(ctx context.Context, c *call, in api.ListSiteGrantsInput) (Result[api.Page[api.UserPermission]], error) {
	return s.grantsOfUsers(ctx, c, in.Site, in.ListOptions)
}

func (s *Server) updateSitePermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.UpdateSiteUserInput) (Result[api.None], error) {
	return regrantUser(c, tx, in.Site, in.User, in.Body.Role)
}

func (s *Server) deleteSitePermissionUser(ctx context.Context, c *call, tx *store.Tx, in api.SiteUserRef) (Result[api.None], error) {
	return regrantUser(c, tx, in.Site, in.User, api.Null[api.Role]())
}

func (s *Server) listSitePermissionTeams(ctx context.Context, c *call, in api.ListSiteGrantsInput) (Result[api.Page[api.TeamPermission]], error) {
	return s.grantsOfTeams(ctx, c, in.Site, in.ListOptions)
}

func (s *Server) updateSitePermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.UpdateSiteTeamInput) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Site, in.Team, in.Body.Role)
}

func (s *Server) deleteSitePermissionTeam(ctx context.Context, c *call, tx *store.Tx, in api.SiteTeamRef) (Result[api.None], error) {
	return regrantTeam(c, tx, in.Site, in.Team, api.Null[api.Role]())
}
