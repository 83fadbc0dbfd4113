package api

import "net/http"

// Routes of the permissions of a space.
var (
	ListSpacePermissions = get[ListSpacePermissionsInput, Page[UserPermission]]("space-permissions.list",
		"/v1/spaces/{spaceId}/permissions/aggregate", "List everybody who may read a space, with what they may do there.",
		withOperation("listPermissionsAggregateInSpace"))
	CreateSpacePermission = post[CreateSpacePermissionInput, None]("space-permissions.create", "/v1/spaces/{spaceId}/permissions",
		"Give members and teams a role in a space.", withStatus(http.StatusNoContent), withOperation("inviteToSpace"))
	ListSpacePermissionUsers = get[ListSpaceGrantsInput, Page[UserPermission]]("space-permissions.list-users",
		"/v1/spaces/{spaceId}/permissions/users", "List the members who were given a role in a space by name.",
		withOperation("listUserPermissionsInSpace"))
	UpdateSpacePermissionUser = patch[UpdateSpaceUserInput, None]("space-permissions.update-user",
		"/v1/spaces/{spaceId}/permissions/users/{userId}", "Change the role that a member was given in a space.",
		withStatus(http.StatusNoContent), withOperation("updateUserPermissionInSpace"))
	DeleteSpacePermissionUser = remove[SpaceUserRef]("space-permissions.delete-user", "/v1/spaces/{spaceId}/permissions/users/{userId}",
		http.StatusResetContent, "Take away what a member was given in a space by name.", withOperation("removeUserFromSpace"))
	ListSpacePermissionTeams = get[ListSpaceGrantsInput, Page[TeamPermission]]("space-permissions.list-teams",
		"/v1/spaces/{spaceId}/permissions/teams", "List the teams that were given a role in a space.",
		withOperation("listTeamPermissionsInSpace"))
	UpdateSpacePermissionTeam = patch[UpdateSpaceTeamInput, None]("space-permissions.update-team",
		"/v1/spaces/{spaceId}/permissions/teams/{teamId}", "Change the role that a team was given in a space.",
		withStatus(http.StatusNoContent), withOperation("updateTeamPermissionInSpace"))
	DeleteSpacePermissionTeam = remove[SpaceTeamRef]("space-permissions.delete-team", "/v1/spaces/{spaceId}/permissions/teams/{teamId}",
		http.StatusResetContent, "Take away what a team was given in a space.", withOperation("removeTeamFromSpace"))
)

// SpaceUserRef identifies a member in the permissions of a space.
type SpaceUserRef struct {
	SpaceRef
	User string `path:"userId" pattern:"id"`
}

// SpaceTeamRef identifies a team in the permissions of a space.
type SpaceTeamRef struct {
	SpaceRef
	Team string `path:"teamId" pattern:"id"`
}

// ListSpacePermissionsInput is the input of ListSpacePermissions.
type ListSpacePermissionsInput struct {
	SpaceRef
	ListOptions
	Role Role `query:"role" doc:"Only those with this role."`
}

// ListSpaceGrantsInput is the input of ListSpacePermissionUsers and ListSpacePermissionTeams.
type ListSpaceGrantsInput struct {
	SpaceRef
	ListOptions
}

// CreateSpacePermissionInput is the input of CreateSpacePermission.
type CreateSpacePermissionInput struct {
	SpaceRef
	Body PermissionCreate
}

// UpdateSpaceUserInput is the input of UpdateSpacePermissionUser.
type UpdateSpaceUserInput struct {
	SpaceUserRef
	Body PermissionPatch
}

// UpdateSpaceTeamInput is the input of UpdateSpacePermissionTeam.
type UpdateSpaceTeamInput struct {
	SpaceTeamRef
	Body PermissionPatch
}
