package sites

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) sitePermissionEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListSitePermissions, auth.InSite(api.RoleCreate), s.listSitePermissions),
		rest.Write(api.CreateSitePermission, auth.InSite(api.RoleCreate), s.createSitePermission).WithScopeAdmin().On(rest.Site),
		rest.Op(api.ListSitePermissionUsers, auth.InSite(api.RoleCreate), s.listSitePermissionUsers),
		rest.Write(api.UpdateSitePermissionUser, auth.InSite(api.RoleCreate), s.updateSitePermissionUser).WithScopeAdmin().On(rest.Site),
		rest.Write(api.DeleteSitePermissionUser, auth.InSite(api.RoleCreate), s.deleteSitePermissionUser).WithScopeAdmin().On(rest.Site).AllowAbsent(auth.InSite(api.RoleCreate)),
		rest.Op(api.ListSitePermissionTeams, auth.InSite(api.RoleCreate), s.listSitePermissionTeams),
		rest.Write(api.UpdateSitePermissionTeam, auth.InSite(api.RoleCreate), s.updateSitePermissionTeam).WithScopeAdmin().On(rest.Site),
		rest.Write(api.DeleteSitePermissionTeam, auth.InSite(api.RoleCreate), s.deleteSitePermissionTeam).WithScopeAdmin().On(rest.Site).AllowAbsent(auth.InSite(api.RoleCreate)),
	}
}

// listSitePermissions lists the users who may read a site, with their roles and the sources of these.
func (s *Service) listSitePermissions(ctx context.Context, c *rest.Call, in api.ListSitePermissionsInput) (rest.Result[api.Page[api.SitePermission]], error) {
	return spaces.UserPermissions[api.SitePermission](c, s.Spaces, in.ListOptions, in.Role, func(model *access.Model, p *access.Person) access.EffectiveRole {
		return model.SiteRoleOrigin(model.CallerOf(&access.Caller{User: p.User.ID}, p), in.Site)
	})
}

func (s *Service) createSitePermission(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateSitePermissionInput) (rest.Result[api.None], error) {
	return spaces.Grant(c, tx, in.Site, in.Body)
}

func (s *Service) listSitePermissionUsers(ctx context.Context, c *rest.Call, in api.ListSiteGrantsInput) (rest.Result[api.Page[api.UserPermission]], error) {
	return s.Spaces.ListUserGrants(c, in.Site, in.ListOptions)
}

func (s *Service) updateSitePermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSiteUserInput) (rest.Result[api.None], error) {
	return spaces.ChangeUserGrant(c, tx, in.Site, in.User, in.Body.Role)
}

func (s *Service) deleteSitePermissionUser(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SiteUserRef) (rest.Result[api.None], error) {
	return spaces.ChangeUserGrant(c, tx, in.Site, in.User, api.Null[api.Role]())
}

func (s *Service) listSitePermissionTeams(ctx context.Context, c *rest.Call, in api.ListSiteGrantsInput) (rest.Result[api.Page[api.TeamPermission]], error) {
	return s.Spaces.ListTeamGrants(c, in.Site, in.ListOptions)
}

func (s *Service) updateSitePermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateSiteTeamInput) (rest.Result[api.None], error) {
	return spaces.ChangeTeamGrant(c, tx, in.Site, in.Team, in.Body.Role)
}

func (s *Service) deleteSitePermissionTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.SiteTeamRef) (rest.Result[api.None], error) {
	return spaces.ChangeTeamGrant(c, tx, in.Site, in.Team, api.Null[api.Role]())
}
