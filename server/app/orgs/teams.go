package orgs

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) teamEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListTeams, auth.InOrganization(api.RoleRead), s.listTeams),
		rest.Write(api.CreateTeam, auth.InOrganization(api.RoleAdmin), s.createTeam).Of(rest.Organization),
		rest.Read(api.GetTeam, auth.InOrganization(api.RoleRead), s.getTeam),
		rest.Write(api.UpdateTeam, auth.InOrganization(api.RoleAdmin), s.updateTeam).Of(rest.Team),
		rest.Write(api.DeleteTeam, auth.InOrganization(api.RoleAdmin), s.deleteTeam).Of(rest.Team).AbsentTo(auth.InOrganization(api.RoleAdmin)),
		rest.Op(api.ListTeamMembers, auth.InOrganization(api.RoleRead), s.listTeamMembers),
		rest.Write(api.UpdateTeamMembers, auth.InOrganization(api.RoleRead), s.updateTeamMembers).WithScopeAdmin().Of(rest.Team),
		rest.Write(api.AddTeamMember, auth.InOrganization(api.RoleRead), s.addTeamMember).WithScopeAdmin().Of(rest.Member),
		rest.Write(api.RemoveTeamMember, auth.InOrganization(api.RoleRead), s.removeTeamMember).WithScopeAdmin().Of(rest.Member).AbsentTo(auth.InOrganization(api.RoleAdmin)),
	}
}

// TeamObject writes out a team with a number of members. A team sees the spaces that somebody who has nothing else
// would see.
func (s *Service) TeamObject(model *access.Model, c *access.Caller, t api.TeamFields, members int) ([]byte, error) {
	fields, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode team %s: %w", t.ID, err)
	}
	nobody := &access.Caller{Teams: map[string]api.TeamRole{t.ID: api.TeamMember}}
	return rest.Extend(fields).
		Set("members", members).
		Set("spaces", access.NewViewer(model, nobody).CountSpaces()).
		Set("permissions", api.TeamPermissions{Admin: c.Manages(t.ID), View: c.Role != api.RoleGuest}).Bytes()
}

func (s *Service) teamURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/teams/" + id
}

// teamResult answers one team. joining are members that the transaction adds.
func (s *Service) teamResult(c *rest.Call, r txn.Record, t api.TeamFields, joining int) (rest.Result[api.Team], error) {
	var data []byte
	var err error
	c.Access(func(model *access.Model) {
		data, err = s.TeamObject(model, c.Caller, t, len(model.TeamMembers(t.ID))+joining)
	})
	return rest.Result[api.Team]{JSON: data, ID: t.ID, Version: rest.RecordVersion(r)}, err
}

func (s *Service) listTeams(ctx context.Context, c *rest.Call, in api.ListTeamsInput) (rest.Result[api.Page[api.Team]], error) {
	w := rest.NewPager(c, in.ListOptions, false, in.Owner, in.Title)
	return rest.ListShaped[api.Team](c, w,
		func(model *access.Model) []string { return model.TeamsTitled(in.Title, model.ManagedBy(in.Owner)) },
		func(model *access.Model, id string) ([]byte, error) {
			return s.TeamObject(model, c.Caller, model.Team(id).TeamFields, len(model.TeamMembers(id)))
		})
}

func (s *Service) getTeam(_ context.Context, c *rest.Call, b *txn.Batch, in api.TeamRef) rest.Finish[api.Team] {
	record := b.Record(store.TeamKey(in.Organization, in.Team))
	return func(ctx context.Context) (rest.Result[api.Team], error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return rest.Result[api.Team]{}, rest.Missing(err)
		}
		var t store.TeamDocument
		if err := t.Decode(r); err != nil {
			return rest.Result[api.Team]{}, err
		}
		return s.teamResult(c, r, t.Fields, 0)
	}
}

func (s *Service) createTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateTeamInput) (none rest.Result[api.Team], err error) {
	id := tx.NewID(store.TeamPrefix)
	t, err := tx.Team(c.Org, id)
	if err != nil {
		return none, err
	}
	t.Fields = api.TeamFields{Object: "team", ID: id, Title: in.Body.Title, CreatedAt: api.At(tx.Now())}
	change, err := changeOfTeam(c, id, api.TeamMembersUpdate{Add: in.Body.Members}, "members")
	if err != nil {
		return none, err
	}
	if _, err := change.apply(c, tx); err != nil {
		return none, err
	}
	record, err := tx.PutTeam(c.Org, t)
	if err != nil {
		return none, err
	}
	result, err := s.teamResult(c, record, t.Fields, len(change.roles))
	return result.Created(id, s.teamURL(c.Org, id)), err
}

func (s *Service) updateTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateTeamInput) (none rest.Result[api.Team], err error) {
	t, err := tx.Team(c.Org, in.Team)
	if err != nil || t.Version == 0 {
		return none, rest.Missing(err)
	}
	changed := api.Some(in.Body.Title).Apply(&t.Fields.Title)
	return rest.Updated(tx, store.TeamKey(c.Org, in.Team), changed,
		func() (txn.Record, error) { return tx.PutTeam(c.Org, t) },
		func(r txn.Record) (rest.Result[api.Team], error) { return s.teamResult(c, r, t.Fields, 0) })
}

// deleteTeam is decided by the team's own record: members go on naming it until their teams are changed, which
// gives them nothing.
func (s *Service) deleteTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TeamRef) (rest.Result[api.None], error) {
	t, err := tx.Team(in.Organization, in.Team)
	if err != nil || t.Version == 0 {
		return rest.Result[api.None]{}, rest.Missing(err)
	}
	tx.DeleteTeam(in.Organization, in.Team)
	removal := api.Removal{ID: in.Team, Title: t.Fields.Title}
	c.Access(func(model *access.Model) {
		var people []api.TakenThing
		for _, user := range model.TeamMembers(in.Team) {
			people = append(people, api.TakenThing{ID: user, Title: s.View.NameOf(model, user)})
		}
		removal.With = []api.Taken{api.NewTaken("memberships", len(people), people...), api.NewTaken("grants", len(model.GrantedToTeam(in.Team)))}
	})
	return rest.Removed(removal), nil
}

func (s *Service) listTeamMembers(ctx context.Context, c *rest.Call, in api.ListTeamMembersInput) (none rest.Result[api.Page[api.TeamMemberItem]], err error) {
	w := rest.NewPager(c, in.ListOptions, false)
	var page []string
	var next string
	err, count := w.Err, 0
	c.Access(func(model *access.Model) {
		if model.Team(in.Team) == nil {
			err = errors.Join(err, api.NotFound())
			return
		}
		roster := model.TeamMembers(in.Team)
		count = len(roster)
		page, next = w.Slice(slices.Clone(roster), rest.OldestFirst)
	})
	if err != nil {
		return none, err
	}
	items, err := s.Members(ctx, c, page, nil, func(p *access.Person, member []byte) *rest.Object {
		return rest.Extend([]byte(`{}`)).
			Set("organization", json.RawMessage(member)).
			Set("team", api.TeamMembership{Role: p.Member.Teams[in.Team]}).
			Set("permissions", api.TeamMemberPermissions{View: true})
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.TeamMemberItem](items, count, next)
}

// maxTeamChanges is how many members one request may add to a team, remove and change: each needs a record of the
// transaction's thousand keys.
const maxTeamChanges = 400

// teamChange is what shall become of the members of a team.
type teamChange struct {
	team  string
	roles map[string]api.TeamRole // by user: leaves removes, stays keeps what they are or makes a member
}

const (
	leaves api.TeamRole = "-"
	stays  api.TeamRole = ""
)

// changeOfTeam finds out whom an update means. Everything is checked before anything is written; add is the name of that
// field in the request.
func changeOfTeam(c *rest.Call, team string, update api.TeamMembersUpdate, add string) (teamChange, error) {
	change := teamChange{team: team, roles: map[string]api.TeamRole{}}
	var wrong []api.FieldError
	c.Access(func(model *access.Model) {
		find := model.Finder(slices.Concat(update.Add, update.Remove))
		name := func(path, text string, role api.TeamRole) {
			users := find(text)
			if len(users) > 1 {
				wrong = append(wrong, api.FieldError{Path: path, Message: "is the address of several members: give the id of one of " + strings.Join(users, ", ")})
				return
			}
			user := strings.Join(users, "")
			if model.Member(user) == nil && (role != leaves || model.Person(user) == nil) {
				wrong = append(wrong, api.FieldError{Path: path, Message: "is not a member of the organization"})
				return
			}
			change.roles[user] = role
		}
		for i, text := range update.Add {
			name(fmt.Sprintf("%s[%d]", add, i), text, stays)
		}
		for _, user := range slices.Sorted(maps.Keys(update.Memberships)) {
			name("memberships."+user, user, update.Memberships[user].Role)
		}
		for i, text := range update.Remove {
			name(fmt.Sprintf("remove[%d]", i), text, leaves)
		}
	})
	if len(wrong) == 0 && len(change.roles) > maxTeamChanges {
		wrong = append(wrong, api.FieldError{
			Path: add, Message: fmt.Sprintf("%d members in all would change; at most %d can at once", len(change.roles), maxTeamChanges),
		})
	}
	if len(wrong) > 0 {
		return change, api.Invalid(wrong...)
	}
	return change, nil
}

// apply writes the memberships that the change makes different. Owners of the team may not make owners, nor touch
// another one.
func (t teamChange) apply(c *rest.Call, tx *store.Tx) (changed bool, err error) {
	err = EachMember(c, tx, slices.Sorted(maps.Keys(t.roles)), func(user string, m *store.MemberDocument) error {
		before := m.Private.Teams[t.team]
		after := t.after(before, t.roles[user])
		switch {
		case after == before:
			return nil
		case m.Version == 0:
			return redis.ErrStale // has left since
		case c.Caller.Role != api.RoleAdmin && (after == api.TeamOwner || before == api.TeamOwner && user != c.Caller.User):
			return rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.Caller.Role).
				WithHint("Owners of a team add and remove its members; admins say who its owners are.")
		}
		changed = true
		return setTeam(c, tx, m, t.team, after)
	})
	return changed, err
}

// EachMember reads members together and lets do see them one by one; those who have left have no version.
func EachMember(c *rest.Call, tx *store.Tx, users []string, do func(user string, m *store.MemberDocument) error) error {
	keys := make([]redis.Key, len(users))
	for i, user := range users {
		keys[i] = store.MemberKey(c.Org, user)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, user := range users {
		m, err := tx.Member(c.Org, user)
		if err == nil {
			err = do(user, &m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// after is what somebody is in the team when the change is made; "" = not in it.
func (teamChange) after(before, wanted api.TeamRole) api.TeamRole {
	switch wanted {
	case leaves:
		return ""
	case stays:
		return cmp.Or(before, api.TeamMember)
	default:
		return wanted
	}
}

// setTeam writes what a member is in a team, and forgets the teams that are deleted. That they are is in the read set:
// the shape may not know a new team yet.
func setTeam(c *rest.Call, tx *store.Tx, m *store.MemberDocument, team string, role api.TeamRole) error {
	var unknown []redis.Key
	c.Access(func(model *access.Model) {
		for name := range m.Private.Teams {
			if model.Team(name) == nil && name != team {
				unknown = append(unknown, store.TeamKey(c.Org, name))
			}
		}
	})
	if err := tx.Prefetch(unknown...); err != nil {
		return err
	}
	teams := maps.Clone(m.Private.Teams)
	if teams == nil {
		teams = map[string]api.TeamRole{}
	}
	for name := range m.Private.Teams {
		key := store.TeamKey(c.Org, name)
		if !slices.Contains(unknown, key) {
			continue
		}
		if _, exists, err := tx.Record(key); err != nil {
			return err
		} else if !exists {
			delete(teams, name)
		}
	}
	if teams[team] = role; role == "" {
		delete(teams, team)
	}
	m.Private.Teams = teams
	_, err := tx.PutMember(c.Org, *m)
	return err
}

// manageTeam checks, inside the transaction, that a team is there and that the caller may change who is in it.
func manageTeam(c *rest.Call, tx *store.Tx, team string) error {
	t, err := tx.Team(c.Org, team)
	if err != nil || t.Version == 0 {
		return rest.Missing(err)
	}
	if c.Caller.Manages(team) {
		return nil
	}
	return rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.Caller.Role).
		WithHint("Owners of a team may change who is in it, too.")
}

func (s *Service) updateTeamMembers(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateTeamMembersInput) (rest.Result[api.None], error) {
	return changeTeam(c, tx, in.Team, in.Body)
}

// changeTeam changes who is in a team.
func changeTeam(c *rest.Call, tx *store.Tx, team string, update api.TeamMembersUpdate) (rest.Result[api.None], error) {
	if err := manageTeam(c, tx, team); err != nil {
		return rest.Result[api.None]{}, err
	}
	change, err := changeOfTeam(c, team, update, "add")
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	changed, err := change.apply(c, tx)
	result := rest.None(team)
	result.Unchanged = !changed
	return result, err
}

func (s *Service) addTeamMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.AddTeamMemberInput) (rest.Result[api.None], error) {
	if err := findMember(c, in.User); err != nil {
		return rest.Result[api.None]{}, err
	}
	if in.Body.Role == "" {
		return changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Add: []string{in.User}})
	}
	return changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Memberships: map[string]api.TeamMembership{in.User: {Role: in.Body.Role}}})
}

func (s *Service) removeTeamMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TeamMemberRef) (rest.Result[api.None], error) {
	if err := manageTeam(c, tx, in.Team); err != nil {
		return rest.Result[api.None]{}, err
	}
	if findMember(c, in.User) != nil {
		return rest.Result[api.None]{}, rest.Absent(nil)
	}
	result, err := changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Remove: []string{in.User}})
	if err == nil && result.Unchanged {
		err = rest.Absent(nil)
	}
	return result, err
}

// findMember answers 404 for a user of the path who is no member.
func findMember(c *rest.Call, user string) (err error) {
	c.Access(func(model *access.Model) {
		if model.Member(user) == nil {
			err = api.NotFound()
		}
	})
	return err
}
