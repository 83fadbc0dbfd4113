package api

import "net/http"

// Routes of the permissions of a collection.
var (
	ListCollectionPermissions = get[ListCollectionPermissionsInput, Page[UserPermission]]("collection-permissions.list",
		"/v1/collections/{collectionId}/permissions/aggregate", "List everybody who may read a collection, with what they may do there.",
		withOperation("listPermissionsAggregateInCollection"))
	CreateCollectionPermission = post[CreateCollectionPermissionInput, None]("collection-permissions.create",
		"/v1/collections/{collectionId}/permissions", "Give members and teams a role in a collection.", withStatus(http.StatusNoContent),
		withOperation("inviteToCollection"))
	ListCollectionPermissionUsers = get[ListCollectionGrantsInput, Page[UserPermission]]("collection-permissions.list-users",
		"/v1/collections/{collectionId}/permissions/users", "List the members who were given a role in a collection by name.",
		withOperation("listUserPermissionsInCollection"))
	UpdateCollectionPermissionUser = patch[UpdateCollectionUserInput, None]("collection-permissions.update-user",
		"/v1/collections/{collectionId}/permissions/users/{userId}", "Change the role that a member was given in a collection.",
		withStatus(http.StatusNoContent), withOperation("updateUserPermissionInCollection"))
	DeleteCollectionPermissionUser = remove[CollectionUserRef]("collection-permissions.delete-user",
		"/v1/collections/{collectionId}/permissions/users/{userId}", http.StatusResetContent, "Take away what a member was given in a "+
			"collection by name.", withOperation("removeUserFromCollection"))
	ListCollectionPermissionTeams = get[ListCollectionGrantsInput, Page[TeamPermission]]("collection-permissions.list-teams",
		"/v1/collections/{collectionId}/permissions/teams", "List the teams that were given a role in a collection.",
		withOperation("listTeamPermissionsInCollection"))
	UpdateCollectionPermissionTeam = patch[UpdateCollectionTeamInput, None]("collection-permissions.update-team",
		"/v1/collections/{collectionId}/permissions/teams/{teamId}", "Change the role that a team was given in a collection.",
		withStatus(http.StatusNoContent), withOperation("updateTeamPermissionInCollection"))
	DeleteCollectionPermissionTeam = remove[CollectionTeamRef]("collection-permissions.delete-team",
		"/v1/collections/{collectionId}/permissions/teams/{teamId}", http.StatusResetContent, "Take away what a team was given in a "+
			"collection.", withOperation("removeTeamFromCollection"))
)

// CollectionUserRef identifies a member in the permissions of a collection.
type CollectionUserRef struct {
	CollectionRef
	User string `path:"userId" pattern:"id"`
}

// CollectionTeamRef identifies a team in the permissions of a collection.
type CollectionTeamRef struct {
	CollectionRef
	Team string `path:"teamId" pattern:"id"`
}

// ListCollectionPermissionsInput is the input of ListCollectionPermissions.
type ListCollectionPermissionsInput struct {
	CollectionRef
	ListOptions
	Role Role `query:"role" doc:"Only those with this role."`
}

// ListCollectionGrantsInput is the input of ListCollectionPermissionUsers and ListCollectionPermissionTeams.
type ListCollectionGrantsInput struct {
	CollectionRef
	ListOptions
}

// CreateCollectionPermissionInput is the input of CreateCollectionPermission.
type CreateCollectionPermissionInput struct {
	CollectionRef
	Body PermissionCreate
}

// UpdateCollectionUserInput is the input of UpdateCollectionPermissionUser.
type UpdateCollectionUserInput struct {
	CollectionUserRef
	Body PermissionPatch
}

// UpdateCollectionTeamInput is the input of UpdateCollectionPermissionTeam.
type UpdateCollectionTeamInput struct {
	CollectionTeamRef
	Body PermissionPatch
}
