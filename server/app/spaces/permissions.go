package spaces

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Grants to users are stored in the records of members, and grants to teams in the record of the space, collection or
// site. Both are part of the access model, so that a revocation takes effect with the next request.

// UserList selects and orders the members of a list with their roles. The zero value selects all, by their ids.
type UserList struct {
	api.ListOptions

	Role         api.Role
	Search, Team string
	Sort         api.MemberSort
	Order        api.Order
}

// listUsers lists the members with the given role or, if it is "", with any role but guest. The function of returns the role
// of a member.
func listUsers[T any](
	ctx context.Context, c *rest.Call, s *Service, in UserList, of func(*access.Model, *access.Person) access.EffectiveRole,
) (none rest.Result[api.Page[T]], err error) {
	newest, compare := in.Order == api.Descending, rest.OldestFirst
	if newest {
		compare = rest.NewestFirst
	}
	filters := []string{string(in.Role)}
	if in.Search != "" || in.Team != "" || in.Sort != "" {
		filters = append(filters, in.Search, in.Team, string(in.Sort))
	}
	w := c.NewPager(in.ListOptions, newest, filters...)
	if w.Err != nil {
		return none, w.Err
	}
	var seen map[string]string
	if in.Sort == api.SortLastSeen {
		if seen, err = s.Orgs.ReadLastSeen(ctx, c.Org); err != nil {
			return none, err
		}
	}
	var members []string
	var items [][]byte
	var next string
	c.Access(func(model *access.Model) {
		has := map[string]access.EffectiveRole{}
		members = in.members(model, seen, func(id string, p *access.Person) bool {
			found := of(model, p)
			has[id] = found
			return found.Role != api.RoleGuest && (in.Role == "" || found.Role == in.Role)
		})
		slices.SortFunc(members, compare)
		var page []string
		page, next = w.Slice(members, compare)
		for _, member := range page {
			if in.Sort != "" {
				_, member, _ = txn.SplitOrderMember(member)
			}
			item, e := rest.ExtendObject([]byte(`{}`)).Set("permission", has[member].Role).Set("user", s.View.Person(model, member)).
				SetIf(has[member].Origin != nil, "origin", has[member].Origin).Bytes()
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[T](items, len(members), next)
}

// members returns the selected members that keep accepts: their ids or, if the list is sorted, <sort key>!<id>.
func (l UserList) members(model *access.Model, seen map[string]string, keep func(id string, p *access.Person) bool) (found []string) {
	search, team := strings.ToLower(l.Search), model.TeamMembers(l.Team)
	for id := range model.AllPersons() {
		p := model.Member(id)
		if p == nil || !p.MatchesName(search) || l.Team != "" && !slices.Contains(team, id) || !keep(id, p) {
			continue
		}
		if l.Sort == "" {
			found = append(found, id)
		} else if key := orgs.MemberSortKey(l.Sort, p, seen[id]); key != "" {
			found = append(found, txn.OrderMember(key, id))
		}
	}
	return found
}

// listTeams lists the teams to which a role in the content was granted, except for deleted teams.
func (s *Service) listTeams(c *rest.Call, content string, options api.ListOptions) (rest.Result[api.Page[api.TeamPermission]], error) {
	return rest.ListModel[api.TeamPermission](c, c.NewPager(options, false), func(model *access.Model) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(model.TeamGrants(content))), func(id string) bool { return model.Team(id) == nil })
	}, func(model *access.Model, id string) ([]byte, error) {
		team, err := s.Orgs.EncodeTeam(model, c.Caller, model.Team(id).TeamFields, len(model.TeamMembers(id)))
		if err != nil {
			return nil, err
		}
		return rest.ExtendObject([]byte(`{}`)).Set("permission", model.TeamGrants(content)[id]).Set("team", json.RawMessage(team)).Bytes()
	})
}

// grant grants users and teams a role in the content, or revokes theirs if the role is null. It validates all of them
// before it writes.
func grant(c *rest.Call, tx *store.Tx, content string, in api.PermissionCreate) (rest.Result[api.None], error) {
	role := api.RoleGuest
	if in.Role != nil {
		role = *in.Role
	}
	if err := checkGrantees(c, in); err != nil {
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
	c.Note(eventlog.Users, strings.Join(in.Users, " "))
	c.Note("teams", strings.Join(in.Teams, " "))
	users, err := grantUsers(c, tx, content, in.Users, role)
	result := rest.None(content)
	result.Unchanged = !changed && !users
	return result, err
}

// checkGrantees returns an error unless the users are members and the teams exist.
func checkGrantees(c *rest.Call, in api.PermissionCreate) error {
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

// checkMayGrant returns an error if one of the roles is above the caller's own.
func checkMayGrant(c *rest.Call, roles ...api.Role) error {
	for _, role := range roles {
		if !c.Caller.ContentRole.AtLeast(role) {
			return rest.Forbidden(auth.Need{Role: role}, "this "+c.Endpoint.Need.Scope, c.Caller.ContentRole).
				WithHint("Nobody gives or takes away a role above their own.")
		}
	}
	return nil
}

// noteGrant adds the change of a role to the event. If several users or teams have had different roles, the event has the first one.
func noteGrant(c *rest.Call, before, after api.Role) {
	c.NoteChange("role", orgs.RoleOrNull(before), orgs.RoleOrNull(after))
}

// grantUsers stores the roles of members that are in the access model.
func grantUsers(c *rest.Call, tx *store.Tx, content string, users []string, role api.Role) (changed bool, err error) {
	err = orgs.ForEachMember(c, tx, users, func(_ string, m *store.MemberDocument) error {
		if m.Version == 0 {
			return redis.ErrStale // the member has left since
		}
		before := m.Private.Grants[content]
		if err := checkMayGrant(c, before, role); err != nil || before == role {
			return err
		}
		m.Private.Grants, changed = orgs.WithGrant(m.Private.Grants, content, role), true
		noteGrant(c, before, role)
		_, err := tx.PutMember(c.Org, *m)
		return err
	})
	return changed, err
}

// grantTeams stores the roles of teams and adds their existence to the read set.
func grantTeams(c *rest.Call, tx *store.Tx, content string, teams []string, role api.Role) (changed bool, err error) {
	granted, put, err := readTeamGrants(c, tx, content)
	if err != nil {
		return false, err
	}
	for _, team := range teams {
		t, err := tx.Team(c.Org, team)
		if err != nil {
			return false, err
		}
		if t.Version == 0 {
			return false, redis.ErrStale // the team was deleted since
		}
		before := granted[team]
		if err := checkMayGrant(c, before, role); err != nil {
			return false, err
		}
		if before != role {
			granted, changed = orgs.WithGrant(granted, team, role), true
			noteGrant(c, before, role)
		}
	}
	if !changed {
		return false, nil
	}
	return true, put(granted)
}

// readTeamGrants reads the grants of teams in a space, collection or site, and returns a function that stores them.
func readTeamGrants(c *rest.Call, tx *store.Tx, content string) (map[string]api.Role, func(map[string]api.Role) error, error) {
	switch {
	case access.IsSpace(content):
		d, err := tx.Space(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutSpace(d)
			return err
		}, errorIfMissing(d.Version, err)
	case access.IsSite(content):
		d, err := tx.Site(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutSite(c.Org, d)
			return err
		}, errorIfMissing(d.Version, err)
	default:
		d, err := tx.Collection(c.Org, content)
		return d.Private.Teams, func(teams map[string]api.Role) error {
			d.Private.Teams = teams
			_, err := tx.PutCollection(d)
			return err
		}, errorIfMissing(d.Version, err)
	}
}

// errorIfMissing returns err, or not_found if the version of the document is 0.
func errorIfMissing(version int64, err error) error {
	if err != nil || version == 0 {
		return rest.NotFoundIfNil(err)
	}
	return nil
}

// changeUserGrant changes or revokes a role that was granted to a member. It returns not_found if there is none.
func changeUserGrant(c *rest.Call, tx *store.Tx, content, user string, to api.Optional[api.Role]) (rest.Result[api.None], error) {
	m, err := tx.Member(c.Org, user)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return changeGrant(user, m.Private.Grants[content], to, func(role api.Role) (bool, error) {
		return grantUsers(c, tx, content, []string{user}, role)
	})
}

// changeTeamGrant changes or revokes a role that was granted to a team. It returns not_found if there is none.
func changeTeamGrant(c *rest.Call, tx *store.Tx, content, team string, to api.Optional[api.Role]) (rest.Result[api.None], error) {
	t, err := tx.Team(c.Org, team)
	if err != nil || t.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	granted, _, err := readTeamGrants(c, tx, content)
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	return changeGrant(team, granted[team], to, func(role api.Role) (bool, error) {
		return grantTeams(c, tx, content, []string{team}, role)
	})
}

// changeGrant changes or revokes an existing grant; write stores the new role. It returns not_found if there is no grant.
func changeGrant(id string, role api.Role, to api.Optional[api.Role], write func(api.Role) (bool, error)) (rest.Result[api.None], error) {
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

// applyLevel sets the default role of members in a space or collection. As this is a grant, it needs the scope admin.
func applyLevel(c *rest.Call, to api.Optional[api.Level], level **api.Level) (changed bool, err error) {
	if changed = orgs.ApplyPointer(to, level); changed {
		err = c.RequireScope(api.ScopeAdmin)
	}
	return changed, err
}
