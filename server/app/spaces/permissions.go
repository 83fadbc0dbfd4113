package spaces

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Access to a space, collection or site that somebody was given by name stands in the record of the member, that of a
// team in the record of the content. Both are in the model, so that what is taken away ends with the next request.

// effectivePermissions lists everybody who may read some content, with their effective role.
func (s *Service) effectivePermissions(c *rest.Call, content string, options api.ListOptions, role api.Role) (rest.Result[api.Page[api.UserPermission]], error) {
	return UserPermissions[api.UserPermission](c, s, options, role, func(model *access.Model, p *access.Person) access.EffectiveRole {
		has, _, _ := model.RoleOf(p.User.ID, content)
		return access.EffectiveRole{Role: has}
	})
}

// GrantsOfUsers lists those who were given a role by name.
func (s *Service) GrantsOfUsers(c *rest.Call, content string, options api.ListOptions) (rest.Result[api.Page[api.UserPermission]], error) {
	return UserPermissions[api.UserPermission](c, s, options, "", func(_ *access.Model, p *access.Person) access.EffectiveRole {
		return access.EffectiveRole{Role: p.Member.Grants[content]}
	})
}

// UserPermissions lists the members who have a role, or one of them.
func UserPermissions[T any](c *rest.Call, s *Service, options api.ListOptions, role api.Role, of func(*access.Model, *access.Person) access.EffectiveRole) (rest.Result[api.Page[T]], error) {
	has := map[string]access.EffectiveRole{}
	return rest.ListShaped[T](c, rest.NewPager(c, options, false, string(role)), func(model *access.Model) []string {
		for id := range model.Everybody() {
			if p := model.Member(id); p != nil {
				if found := of(model, p); found.Role != api.RoleGuest && (role == "" || found.Role == role) {
					has[id] = found
				}
			}
		}
		return slices.Sorted(maps.Keys(has))
	}, func(model *access.Model, id string) ([]byte, error) {
		return rest.Extend([]byte(`{}`)).Set("permission", has[id].Role).Set("user", s.View.Person(model, id)).
			SetIf(has[id].Origin != nil, "origin", has[id].Origin).Bytes()
	})
}

// GrantsOfTeams lists the teams that were given a role. Those that are deleted are named no more.
func (s *Service) GrantsOfTeams(c *rest.Call, content string, options api.ListOptions) (rest.Result[api.Page[api.TeamPermission]], error) {
	return rest.ListShaped[api.TeamPermission](c, rest.NewPager(c, options, false), func(model *access.Model) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(model.TeamsOn(content))), func(id string) bool { return model.Team(id) == nil })
	}, func(model *access.Model, id string) ([]byte, error) {
		team, err := s.Orgs.TeamObject(model, c.Caller, model.Team(id).TeamFields, len(model.TeamMembers(id)))
		if err != nil {
			return nil, err
		}
		return rest.Extend([]byte(`{}`)).Set("permission", model.TeamsOn(content)[id]).Set("team", json.RawMessage(team)).Bytes()
	})
}

// Grant gives members and teams a role; null takes away what they have. All of them are checked before anything is
// written.
func Grant(c *rest.Call, tx *store.Tx, content string, in api.PermissionCreate) (rest.Result[api.None], error) {
	role := api.RoleGuest
	if in.Role != nil {
		role = *in.Role
	}
	if err := knows(c, in); err != nil {
		return rest.Result[api.None]{}, err
	}
	changed := false
	if len(in.Teams) > 0 {
		teams, err := grantTeams(c, tx, content, in.Teams, role)
		if err != nil {
			return rest.Result[api.None]{}, err
		}
		changed = teams
	}
	users, err := grantUsers(c, tx, content, in.Users, role)
	result := rest.None(content)
	result.Unchanged = !changed && !users
	return result, err
}

// knows checks that the users are members and the teams exist.
func knows(c *rest.Call, in api.PermissionCreate) error {
	var wrong []api.FieldError
	c.Access(func(model *access.Model) {
		for i, id := range in.Users {
			if model.Member(id) == nil {
				wrong = append(wrong, api.FieldError{Path: fmt.Sprintf("users[%d]", i), Message: "is not a member of the organization"})
			}
		}
		for i, id := range in.Teams {
			if model.Team(id) == nil {
				wrong = append(wrong, api.FieldError{Path: fmt.Sprintf("teams[%d]", i), Message: "is not a team of the organization"})
			}
		}
	})
	if len(wrong) > 0 {
		return api.Invalid(wrong...)
	}
	return nil
}

// mayGrant checks that nobody gives, or takes away, a role above their own.
func mayGrant(c *rest.Call, roles ...api.Role) error {
	for _, role := range roles {
		if !c.Caller.ContentRole.AtLeast(role) {
			return rest.Forbidden(auth.Need{Role: role}, "this "+c.Endpoint.Need.Scope, c.Caller.ContentRole).
				WithHint("Nobody gives or takes away a role above their own.")
		}
	}
	return nil
}

// grantUsers writes the roles of members who are known to the model.
func grantUsers(c *rest.Call, tx *store.Tx, content string, users []string, role api.Role) (changed bool, err error) {
	err = orgs.EachMember(c, tx, users, func(_ string, m *store.MemberDocument) error {
		if m.Version == 0 {
			return redis.ErrStale // has left since
		}
		before := m.Private.Grants[content]
		if err := mayGrant(c, before, role); err != nil || before == role {
			return err
		}
		m.Private.Grants, changed = orgs.WithGrant(m.Private.Grants, content, role), true
		_, err := tx.PutMember(c.Org, *m)
		return err
	})
	return changed, err
}

// grantTeams writes the roles of teams. That they exist comes into the read set.
func grantTeams(c *rest.Call, tx *store.Tx, content string, teams []string, role api.Role) (changed bool, err error) {
	granted, put, err := teamGrants(c, tx, content)
	if err != nil {
		return false, err
	}
	for _, team := range teams {
		t, err := tx.Team(c.Org, team)
		if err != nil {
			return false, err
		}
		if t.Version == 0 {
			return false, redis.ErrStale // was deleted since
		}
		before := granted[team]
		if err := mayGrant(c, before, role); err != nil {
			return false, err
		}
		if before != role {
			granted, changed = orgs.WithGrant(granted, team, role), true
		}
	}
	if !changed {
		return false, nil
	}
	return true, put(granted)
}

// teamGrants reads what teams were given in a space, a collection or a site, and returns how to write it.
func teamGrants(c *rest.Call, tx *store.Tx, content string) (map[string]api.Role, func(map[string]api.Role) error, error) {
	switch {
	case access.IsSpace(content):
		d, err := tx.Space(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutSpace(d)
			return err
		}, present(d.Version, err)
	case access.IsSite(content):
		d, err := tx.Site(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutSite(c.Org, d)
			return err
		}, present(d.Version, err)
	default:
		d, err := tx.Collection(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutCollection(d)
			return err
		}, present(d.Version, err)
	}
}

// present is the error of reading a document, or of one that is not there.
func present(version int64, err error) error {
	if err != nil || version == 0 {
		return rest.Missing(err)
	}
	return nil
}

// RegrantUser changes the role that a member was given by name, or takes it away.
func RegrantUser(c *rest.Call, tx *store.Tx, content, user string, to api.Optional[api.Role]) (rest.Result[api.None], error) {
	m, err := tx.Member(c.Org, user)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return regrant(user, m.Private.Grants[content], to, func(role api.Role) (bool, error) {
		return grantUsers(c, tx, content, []string{user}, role)
	})
}

// RegrantTeam changes the role that a team was given, or takes it away.
func RegrantTeam(c *rest.Call, tx *store.Tx, content, team string, to api.Optional[api.Role]) (rest.Result[api.None], error) {
	t, err := tx.Team(c.Org, team)
	if err != nil || t.Version == 0 {
		return rest.Result[api.None]{}, rest.Missing(err)
	}
	granted, _, err := teamGrants(c, tx, content)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return regrant(team, granted[team], to, func(role api.Role) (bool, error) {
		return grantTeams(c, tx, content, []string{team}, role)
	})
}

// regrant changes a role that was given; what was not given is not there.
func regrant(id string, role api.Role, to api.Optional[api.Role], write func(api.Role) (bool, error)) (rest.Result[api.None], error) {
	if role == api.RoleGuest {
		return rest.Result[api.None]{}, api.NotFound()
	}
	result := rest.None(id)
	result.Unchanged = true
	if !to.ApplyNull(&role) {
		return result, nil
	}
	changed, err := write(role)
	result.Unchanged = !changed
	return result, err
}

// applyLevel sets the role that everybody has in a space or collection. To change it is a grant as any other.
func applyLevel(c *rest.Call, to api.Optional[api.Level], level **api.Level) (changed bool, err error) {
	if changed = orgs.ApplyPointer(to, level); changed {
		err = c.RequireScope(api.ScopeAdmin)
	}
	return changed, err
}
