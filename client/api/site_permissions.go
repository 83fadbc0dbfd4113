package api

import "net/http"

// Routes of the permissions of a docs site.
var (
	ListSitePermissions = get[ListSitePermissionsInput, Page[SitePermission]]("site-permissions.list",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/aggregate", "List everybody who may read a docs site, with what they may "+
			"do there, and why.", withOperation("listPermissionsAggregateInSite"))
	CreateSitePermission = post[CreateSitePermissionInput, None]("site-permissions.create",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions", "Give members and teams a role in a docs site.",
		withStatus(http.StatusNoContent), withOperation("inviteToSite"))
	ListSitePermissionUsers = get[ListSiteGrantsInput, Page[UserPermission]]("site-permissions.list-users",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/users", "List the members who were given a role in a docs site by name.",
		withOperation("listUserPermissionsInSite"))
	UpdateSitePermissionUser = patch[UpdateSiteUserInput, None]("site-permissions.update-user",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", "Change the role that a member was given in a docs site.",
		withStatus(http.StatusNoContent), withOperation("updateUserPermissionInSite"))
	DeleteSitePermissionUser = remove[SiteUserRef]("site-permissions.delete-user",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/users/{userId}", http.StatusResetContent,
		"Take away what a member was given in a docs site by name.", withOperation("removeUserFromSite"))
	ListSitePermissionTeams = get[ListSiteGrantsInput, Page[TeamPermission]]("site-permissions.list-teams",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams", "List the teams that were given a role in a docs site.",
		withOperation("listTeamPermissionsInSite"))
	UpdateSitePermissionTeam = patch[UpdateSiteTeamInput, None]("site-permissions.update-team",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", "Change the role that a team was given in a docs site.",
		withStatus(http.StatusNoContent), withOperation("updateTeamPermissionInSite"))
	DeleteSitePermissionTeam = remove[SiteTeamRef]("site-permissions.delete-team",
		"/v1/orgs/{organizationId}/sites/{siteId}/permissions/teams/{teamId}", http.StatusResetContent, "Take away what a team was given "+
			"in a docs site.", withOperation("removeTeamFromSite"))
)

// SitePermission is the permission of a member on a docs site, with its origin.
type SitePermission struct {
	UserPermission
	Origin PermissionOrigin `json:"origin"`
}

var _ = declareColumns[SitePermission]("user.id=USER,user.displayName=NAME,user.email=EMAIL,permission,origin.type=FROM,origin.reason=BY")

// PermissionOrigin is the origin of a permission.
type PermissionOrigin struct {
	Type   string `json:"type" enum:"site,organization" doc:"Given on the site, or the role in the organization."`
	Reason string `json:"reason,omitzero" enum:"member,team" doc:"Of the type site: given to the member by name, or to a team."`
}

// SiteUserRef identifies a member in the permissions of a docs site.
type SiteUserRef struct {
	SiteRef
	User string `path:"userId" pattern:"id"`
}

// SiteTeamRef identifies a team in the permissions of a docs site.
type SiteTeamRef struct {
	SiteRef
	Team string `path:"teamId" pattern:"id"`
}

// ListSitePermissionsInput is the input of ListSitePermissions.
type ListSitePermissionsInput struct {
	SiteRef
	ListOptions
	Role   Role       `query:"role" doc:"Only those with this role."`
	Search string     `query:"search" len:"..320" doc:"Only members with this in their name or e-mail address."`
	Team   string     `query:"team" pattern:"id" doc:"Only members of this team."`
	Sort   MemberSort `query:"sort" doc:"Default: by their ids. By lastSeenAt the list has only members who were ever seen."`
	Order  Order      `query:"order" default:"asc" doc:"By what the list is sorted by."`
}

// ListSiteGrantsInput is the input of ListSitePermissionUsers and ListSitePermissionTeams.
type ListSiteGrantsInput struct {
	SiteRef
	ListOptions
}

// CreateSitePermissionInput is the input of CreateSitePermission.
type CreateSitePermissionInput struct {
	SiteRef
	Body PermissionCreate
}

// UpdateSiteUserInput is the input of UpdateSitePermissionUser.
type UpdateSiteUserInput struct {
	SiteUserRef
	Body PermissionPatch
}

// UpdateSiteTeamInput is the input of UpdateSitePermissionTeam.
type UpdateSiteTeamInput struct {
	SiteTeamRef
	Body PermissionPatch
}
