package sites

import (
	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/spaces"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
)

func (s *Service) sitePermissionEndpoints() []rest.Endpoint {
	p := spaces.Permissions{
		Service: s.Spaces, Subject: "site", Need: auth.InSite(api.RoleCreate), Record: rest.Site,
		Role: func(model *access.Model, p *access.Person, site string) access.EffectiveRole {
			return model.SiteRoleOrigin(model.CallerOf(&access.Caller{User: p.User.ID}, p), site)
		},
	}
	return []rest.Endpoint{
		spaces.ListPermissions(p, api.ListSitePermissions, func(in api.ListSitePermissionsInput) spaces.UserList {
			return spaces.UserList{
				ListOptions: in.ListOptions, Role: in.Role, Search: in.Search, Team: in.Team, Sort: in.Sort, Order: in.Order,
			}
		}),
		spaces.CreateGrant(p, api.CreateSitePermission, func(in api.CreateSitePermissionInput) api.PermissionCreate { return in.Body }),
		spaces.ListUserGrants(p, api.ListSitePermissionUsers, func(in api.ListSiteGrantsInput) api.ListOptions { return in.ListOptions }),
		spaces.UpdateUserGrant(p, api.UpdateSitePermissionUser, func(in api.UpdateSiteUserInput) api.PermissionPatch { return in.Body }),
		spaces.DeleteUserGrant(p, api.DeleteSitePermissionUser),
		spaces.ListTeamGrants(p, api.ListSitePermissionTeams, func(in api.ListSiteGrantsInput) api.ListOptions { return in.ListOptions }),
		spaces.UpdateTeamGrant(p, api.UpdateSitePermissionTeam, func(in api.UpdateSiteTeamInput) api.PermissionPatch { return in.Body }),
		spaces.DeleteTeamGrant(p, api.DeleteSitePermissionTeam),
	}
}
