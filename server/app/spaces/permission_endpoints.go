package spaces

import (
	"context"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

func (s *Service) spacePermissionEndpoints() []rest.Endpoint {
	p := Permissions{Service: s, Subject: "space", Need: auth.InSpace(api.RoleCreate), Record: rest.Space, Role: contentRole}
	return []rest.Endpoint{
		ListPermissions(p, api.ListSpacePermissions, func(in api.ListSpacePermissionsInput) UserList {
			return UserList{ListOptions: in.ListOptions, Role: in.Role}
		}),
		CreateGrant(p, api.CreateSpacePermission, func(in api.CreateSpacePermissionInput) api.PermissionCreate { return in.Body }),
		ListUserGrants(p, api.ListSpacePermissionUsers, func(in api.ListSpaceGrantsInput) api.ListOptions { return in.ListOptions }),
		UpdateUserGrant(p, api.UpdateSpacePermissionUser, func(in api.UpdateSpaceUserInput) api.PermissionPatch { return in.Body }),
		DeleteUserGrant(p, api.DeleteSpacePermissionUser),
		ListTeamGrants(p, api.ListSpacePermissionTeams, func(in api.ListSpaceGrantsInput) api.ListOptions { return in.ListOptions }),
		UpdateTeamGrant(p, api.UpdateSpacePermissionTeam, func(in api.UpdateSpaceTeamInput) api.PermissionPatch { return in.Body }),
		DeleteTeamGrant(p, api.DeleteSpacePermissionTeam),
	}
}

func (s *Service) collectionPermissionEndpoints() []rest.Endpoint {
	p := Permissions{Service: s, Subject: "collection", Need: auth.InCollection(api.RoleCreate), Record: rest.Collection, Role: contentRole}
	return []rest.Endpoint{
		ListPermissions(p, api.ListCollectionPermissions, func(in api.ListCollectionPermissionsInput) UserList {
			return UserList{ListOptions: in.ListOptions, Role: in.Role}
		}),
		CreateGrant(p, api.CreateCollectionPermission,
			func(in api.CreateCollectionPermissionInput) api.PermissionCreate { return in.Body }),
		ListUserGrants(p, api.ListCollectionPermissionUsers,
			func(in api.ListCollectionGrantsInput) api.ListOptions { return in.ListOptions }),
		UpdateUserGrant(p, api.UpdateCollectionPermissionUser,
			func(in api.UpdateCollectionUserInput) api.PermissionPatch { return in.Body }),
		DeleteUserGrant(p, api.DeleteCollectionPermissionUser),
		ListTeamGrants(p, api.ListCollectionPermissionTeams,
			func(in api.ListCollectionGrantsInput) api.ListOptions { return in.ListOptions }),
		UpdateTeamGrant(p, api.UpdateCollectionPermissionTeam,
			func(in api.UpdateCollectionTeamInput) api.PermissionPatch { return in.Body }),
		DeleteTeamGrant(p, api.DeleteCollectionPermissionTeam),
	}
}

// Permissions mounts the operations on the permissions of one kind of content: spaces, collections or sites. The inputs
// of these differ in the fields that identify the content, so the id of the content comes from the path.
type Permissions struct {
	Service *Service
	Subject string // name of the path parameter that identifies the content
	Need    auth.Need
	Record  rest.Record
	// Role returns the effective role of a member in the content.
	Role func(model *access.Model, p *access.Person, content string) access.EffectiveRole
}

// contentRole returns the effective role of a member in a space or collection.
func contentRole(model *access.Model, p *access.Person, content string) access.EffectiveRole {
	role, _, _ := model.MemberRole(p.User.ID, content)
	return access.EffectiveRole{Role: role}
}

// ListPermissions mounts the list of the users who may read the content, with their effective roles.
func ListPermissions[In, Out any](
	p Permissions, route api.Route[In, api.Page[Out]], list func(In) UserList,
) rest.Endpoint {
	return rest.Op(route, p.Need, func(ctx context.Context, c *rest.Call, in In) (rest.Result[api.Page[Out]], error) {
		return listUsers[Out](ctx, c, p.Service, list(in), func(model *access.Model, person *access.Person) access.EffectiveRole {
			return p.Role(model, person, c.Path(p.Subject))
		})
	})
}

// ListUserGrants mounts the list of the users to whom a role in the content was granted directly.
func ListUserGrants[In any](
	p Permissions, route api.Route[In, api.Page[api.UserPermission]], options func(In) api.ListOptions,
) rest.Endpoint {
	return rest.Op(route, p.Need, func(ctx context.Context, c *rest.Call, in In) (rest.Result[api.Page[api.UserPermission]], error) {
		granted := func(_ *access.Model, person *access.Person) access.EffectiveRole {
			return access.EffectiveRole{Role: person.Member.Grants[c.Path(p.Subject)]}
		}
		return listUsers[api.UserPermission](ctx, c, p.Service, UserList{ListOptions: options(in)}, granted)
	})
}

// ListTeamGrants mounts the list of the teams to which a role in the content was granted, except for deleted teams.
func ListTeamGrants[In any](
	p Permissions, route api.Route[In, api.Page[api.TeamPermission]], options func(In) api.ListOptions,
) rest.Endpoint {
	return rest.Op(route, p.Need, func(_ context.Context, c *rest.Call, in In) (rest.Result[api.Page[api.TeamPermission]], error) {
		return p.Service.listTeams(c, c.Path(p.Subject), options(in))
	})
}

// CreateGrant mounts the operation that grants users and teams a role in the content.
func CreateGrant[In any](p Permissions, route api.Route[In, api.None], body func(In) api.PermissionCreate) rest.Endpoint {
	return writeGrant(p, route, func(c *rest.Call, tx *store.Tx, content string, in In) (rest.Result[api.None], error) {
		return grant(c, tx, content, body(in))
	})
}

// UpdateUserGrant mounts the operation that changes a role that was granted to a user.
func UpdateUserGrant[In any](p Permissions, route api.Route[In, api.None], body func(In) api.PermissionPatch) rest.Endpoint {
	return writeGrant(p, route, func(c *rest.Call, tx *store.Tx, content string, in In) (rest.Result[api.None], error) {
		return changeUserGrant(c, tx, content, c.Path("user"), body(in).Role)
	})
}

// UpdateTeamGrant mounts the operation that changes a role that was granted to a team.
func UpdateTeamGrant[In any](p Permissions, route api.Route[In, api.None], body func(In) api.PermissionPatch) rest.Endpoint {
	return writeGrant(p, route, func(c *rest.Call, tx *store.Tx, content string, in In) (rest.Result[api.None], error) {
		return changeTeamGrant(c, tx, content, c.Path("team"), body(in).Role)
	})
}

// DeleteUserGrant mounts the operation that revokes a role that was granted to a user.
func DeleteUserGrant[In any](p Permissions, route api.Route[In, api.None]) rest.Endpoint {
	return UpdateUserGrant(p, route, revocation[In]).AllowAbsent(p.Need)
}

// DeleteTeamGrant mounts the operation that revokes a role that was granted to a team.
func DeleteTeamGrant[In any](p Permissions, route api.Route[In, api.None]) rest.Endpoint {
	return UpdateTeamGrant(p, route, revocation[In]).AllowAbsent(p.Need)
}

// revocation returns the change that revokes a role.
func revocation[In any](In) api.PermissionPatch {
	return api.PermissionPatch{Role: api.Null[api.Role]()}
}

// writeGrant mounts an operation that grants or revokes access.
func writeGrant[In any](p Permissions, route api.Route[In, api.None],
	write func(c *rest.Call, tx *store.Tx, content string, in In) (rest.Result[api.None], error),
) rest.Endpoint {
	return rest.Write(route, p.Need, func(_ context.Context, c *rest.Call, tx *store.Tx, in In) (rest.Result[api.None], error) {
		return write(c, tx, c.Path(p.Subject), in)
	}).WithScopeAdmin().On(p.Record)
}
