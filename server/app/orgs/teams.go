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
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) teamEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListTeams, auth.InOrganization(api.RoleRead), s.listTeams),
		rest.Write(api.CreateTeam, auth.InOrganization(api.RoleAdmin), s.createTeam).On(rest.Organization),
		rest.Read(api.GetTeam, auth.InOrganization(api.RoleRead), s.getTeam),
		rest.Write(api.UpdateTeam, auth.InOrganization(api.RoleAdmin), s.updateTeam).On(rest.Team),
		rest.Write(api.DeleteTeam, auth.InOrganization(api.RoleAdmin),
			s.deleteTeam).On(rest.Team).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Op(api.ListTeamMembers, auth.InOrganization(api.RoleRead), s.listTeamMembers),
		rest.Write(api.UpdateTeamMembers, auth.InOrganization(api.RoleRead), s.updateTeamMembers).WithScopeAdmin().On(rest.Team),
		rest.Write(api.AddTeamMember, auth.InOrganization(api.RoleRead), s.addTeamMember).WithScopeAdmin().On(rest.Member),
		rest.Write(api.RemoveTeamMember, auth.InOrganization(api.RoleRead),
			s.removeTeamMember).WithScopeAdmin().On(rest.Member).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
	}
}

// EncodeTeam returns the JSON of a team; members is its size. The counted spaces are those that the grants of the team alone
// make visible.
func (s *Service) EncodeTeam(model *access.Model, c *access.Caller, t api.TeamFields, members int) ([]byte, error) {
	fields, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode team %s: %w", t.ID, err)
	}
	nobody := &access.Caller{Teams: map[string]api.TeamRole{t.ID: api.TeamMember}}
	return rest.ExtendObject(fields).
		Set("members", members).
		Set("spaces", access.NewViewer(model, nobody).CountSpaces()).
		Set("permissions", api.TeamPermissions{Admin: c.Manages(t.ID), View: c.Role != api.RoleGuest}).Bytes()
}

func (s *Service) teamURL(org, id string) string {
	return s.PublicURL + "/v1/orgs/" + org + "/teams/" + id
}

// teamResult returns the response with a team. joining is the number of members that the transaction adds.
func (s *Service) teamResult(c *rest.Call, r txn.Record, t api.TeamFields, joining int) (rest.Result[api.Team], error) {
	var data []byte
	var err error
	c.Access(func(model *access.Model) {
		data, err = s.EncodeTeam(model, c.Caller, t, len(model.TeamMembers(t.ID))+joining)
	})
	return rest.Result[api.Team]{JSON: data, ID: t.ID, Version: rest.RecordVersion(r)}, err
}

func (s *Service) listTeams(ctx context.Context, c *rest.Call, in api.ListTeamsInput) (rest.Result[api.Page[api.Team]], error) {
	w := c.NewPager(in.ListOptions, false, in.Owner, in.Title)
	return rest.ListModel[api.Team](c, w,
		func(model *access.Model) []string {
			return model.TeamsByTitle(in.Title, model.ManagedByFilter(in.Owner))
		},
		func(model *access.Model, id string) ([]byte, error) {
			return s.EncodeTeam(model, c.Caller, model.Team(id).TeamFields, len(model.TeamMembers(id)))
		})
}

func (s *Service) getTeam(_ context.Context, r *rest.Request, b *txn.Batch, in api.TeamRef) rest.Finish[api.Team] {
	record := b.Record(store.TeamKey(in.Organization, in.Team))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Team], error) {
		r, ok, err := record.Get()
		if err != nil || !ok {
			return rest.Result[api.Team]{}, rest.NotFoundIfNil(err)
		}
		var t store.TeamDocument
		if err := t.Decode(r); err != nil {
			return rest.Result[api.Team]{}, err
		}
		return s.teamResult(c, r, t.Fields, 0)
	}
}

func (s *Service) createTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.CreateTeamInput) (none rest.Result[api.Team],
	err error,
) {
	id := tx.NewID(store.TeamPrefix)
	t, err := tx.Team(c.Org, id)
	if err != nil {
		return none, err
	}
	t.Fields = api.TeamFields{Object: "team", ID: id, Title: in.Body.Title, CreatedAt: api.At(tx.Now())}
	change, err := newTeamChange(c, id, api.TeamMembersUpdate{Add: in.Body.Members}, "members")
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
	return result.WithLocation(id, s.teamURL(c.Org, id)), err
}

func (s *Service) updateTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateTeamInput) (none rest.Result[api.Team],
	err error,
) {
	t, err := tx.Team(c.Org, in.Team)
	if err != nil || t.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	changed := api.Some(in.Body.Title).Apply(&t.Fields.Title)
	return rest.PutIfChanged(tx, store.TeamKey(c.Org, in.Team), changed,
		func() (txn.Record, error) { return tx.PutTeam(c.Org, t) },
		func(r txn.Record) (rest.Result[api.Team], error) { return s.teamResult(c, r, t.Fields, 0) })
}

// deleteTeam deletes the record of a team. Its members still list the team until their own teams change; this gives no
// access.
func (s *Service) deleteTeam(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TeamRef) (rest.Result[api.None], error) {
	t, err := tx.Team(in.Organization, in.Team)
	if err != nil || t.Version == 0 {
		return rest.Result[api.None]{}, rest.NotFoundIfNil(err)
	}
	tx.DeleteTeam(in.Organization, in.Team)
	removal := api.Removal{ID: in.Team, Title: t.Fields.Title}
	c.Access(func(model *access.Model) {
		var people []api.TakenThing
		for _, user := range model.TeamMembers(in.Team) {
			people = append(people, api.TakenThing{ID: user, Title: s.View.DisplayName(model, user)})
		}
		removal.With = []api.Taken{
			api.NewTaken("memberships", len(people), people...), api.NewTaken("grants", len(model.GrantedToTeam(in.Team))),
		}
	})
	return rest.Removed(removal), nil
}

func (s *Service) listTeamMembers(ctx context.Context, c *rest.Call,
	in api.ListTeamMembersInput,
) (none rest.Result[api.Page[api.TeamMemberItem]], err error) {
	w := c.NewPager(in.ListOptions, false)
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
	items, err := s.EncodeMembers(ctx, c, page, nil, func(p *access.Person, member []byte) *rest.Object {
		return rest.ExtendObject([]byte(`{}`)).
			Set("organization", json.RawMessage(member)).
			Set("team", api.TeamMembership{Role: p.Member.Teams[in.Team]}).
			Set("permissions", api.TeamMemberPermissions{View: true})
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.TeamMemberItem](items, count, next)
}

// maxTeamChanges is the maximum number of team members that one request may change: each needs a record, and a
// transaction has a thousand keys.
const maxTeamChanges = 400

// teamChange is a validated update of the members of a team.
type teamChange struct {
	team  string
	roles map[string]api.TeamRole // by user id; teamRoleRemoved removes, teamRoleKept keeps the role or adds a member
}

const (
	teamRoleRemoved api.TeamRole = "-"
	teamRoleKept    api.TeamRole = ""
)

// newTeamChange resolves and validates the users of an update before anything is written. add is the name of the list
// of added users in the request, for errors.
func newTeamChange(c *rest.Call, team string, update api.TeamMembersUpdate, add string) (teamChange, error) {
	change := teamChange{team: team, roles: map[string]api.TeamRole{}}
	var wrong []api.FieldError
	c.Access(func(model *access.Model) {
		find := model.UserFinder(slices.Concat(update.Add, update.Remove))
		name := func(path, text string, role api.TeamRole) {
			users := find(text)
			if len(users) > 1 {
				wrong = append(wrong, api.FieldError{
					Path: path, Message: "is the address of several members: give the id of one of " + strings.Join(users, ", "),
				})
				return
			}
			user := strings.Join(users, "")
			if model.Member(user) == nil && (role != teamRoleRemoved || model.Person(user) == nil) {
				message := "is not a member of the organization"
				if access.IsEmail(text) {
					message = "is the e-mail address of no member of the organization"
				}
				wrong = append(wrong, api.FieldError{Path: path, Message: message})
				return
			}
			change.roles[user] = role
		}
		for i, text := range update.Add {
			name(fmt.Sprintf("%s[%d]", add, i), text, teamRoleKept)
		}
		for _, user := range slices.Sorted(maps.Keys(update.Memberships)) {
			name("memberships."+user, user, update.Memberships[user].Role)
		}
		for i, text := range update.Remove {
			name(fmt.Sprintf("remove[%d]", i), text, teamRoleRemoved)
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

// apply stores the changed memberships and reports whether there were any. Team owners may not add owners or change
// other owners.
func (t teamChange) apply(c *rest.Call, tx *store.Tx) (changed bool, err error) {
	var users []string
	defer func() { c.Note(eventlog.Users, strings.Join(users, " ")) }()
	err = ForEachMember(c, tx, slices.Sorted(maps.Keys(t.roles)), func(user string, m *store.MemberDocument) error {
		before := m.Private.Teams[t.team]
		after := t.resultingRole(before, t.roles[user])
		switch {
		case after == before:
			return nil
		case m.Version == 0:
			return redis.ErrStale // the member has left since
		case c.Caller.Role != api.RoleAdmin && (after == api.TeamOwner || before == api.TeamOwner && user != c.Caller.User):
			return rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.Caller.Role).
				WithHint("Owners of a team add and remove its members; admins say who its owners are.")
		}
		changed, users = true, append(users, user)
		c.NoteChange("role", teamRoleOrNull(before), teamRoleOrNull(after))
		return setTeamRole(c, tx, m, t.team, after)
	})
	return changed, err
}

// ForEachMember reads members in one trip and calls do for each. A user who is no longer a member has version 0.
func ForEachMember(c *rest.Call, tx *store.Tx, users []string, do func(user string, m *store.MemberDocument) error) error {
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

// resultingRole returns the team role after the change; "" = not in the team.
func (teamChange) resultingRole(before, wanted api.TeamRole) api.TeamRole {
	switch wanted {
	case teamRoleRemoved:
		return ""
	case teamRoleKept:
		return cmp.Or(before, api.TeamMember)
	default:
		return wanted
	}
}

// teamRoleOrNull returns a role as events show it: nil for users who are not in the team.
func teamRoleOrNull(r api.TeamRole) *api.TeamRole {
	if r == "" {
		return nil
	}
	return &r
}

// setTeamRole sets the role of a member in a team and removes deleted teams from the member. Whether a team is
// deleted is read in the transaction, because the access model may lag after the creation of a team.
func setTeamRole(c *rest.Call, tx *store.Tx, m *store.MemberDocument, team string, role api.TeamRole) error {
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

// checkMayManageTeam returns an error unless the team exists and the caller may change its members.
func checkMayManageTeam(c *rest.Call, tx *store.Tx, team string) error {
	t, err := tx.Team(c.Org, team)
	if err != nil || t.Version == 0 {
		return rest.NotFoundIfNil(err)
	}
	if c.Caller.Manages(team) {
		return nil
	}
	return rest.Forbidden(auth.Need{Role: api.RoleAdmin}, "this organization", c.Caller.Role).
		WithHint("Owners of a team may change who is in it, too.")
}

func (s *Service) updateTeamMembers(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateTeamMembersInput) (rest.Result[api.None],
	error,
) {
	return changeTeam(c, tx, in.Team, in.Body)
}

// changeTeam updates the members of a team.
func changeTeam(c *rest.Call, tx *store.Tx, team string, update api.TeamMembersUpdate) (rest.Result[api.None], error) {
	if err := checkMayManageTeam(c, tx, team); err != nil {
		return rest.Result[api.None]{}, err
	}
	change, err := newTeamChange(c, team, update, "add")
	if err != nil {
		return rest.Result[api.None]{}, err
	}
	changed, err := change.apply(c, tx)
	result := rest.None(team)
	result.Unchanged = !changed
	return result, err
}

func (s *Service) addTeamMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.AddTeamMemberInput) (rest.Result[api.None], error) {
	if err := checkMember(c, in.User); err != nil {
		return rest.Result[api.None]{}, err
	}
	if in.Body.Role == "" {
		return changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Add: []string{in.User}})
	}
	return changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Memberships: map[string]api.TeamMembership{in.User: {Role: in.Body.Role}}})
}

func (s *Service) removeTeamMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.TeamMemberRef) (rest.Result[api.None], error) {
	if err := checkMayManageTeam(c, tx, in.Team); err != nil {
		return rest.Result[api.None]{}, err
	}
	if checkMember(c, in.User) != nil {
		return rest.Result[api.None]{}, rest.AbsentIfNil(nil)
	}
	result, err := changeTeam(c, tx, in.Team, api.TeamMembersUpdate{Remove: []string{in.User}})
	if err == nil && result.Unchanged {
		err = rest.AbsentIfNil(nil)
	}
	return result, err
}

// checkMember returns a not_found error if the user of the path is not a member.
func checkMember(c *rest.Call, user string) (err error) {
	c.Access(func(model *access.Model) {
		if model.Member(user) == nil {
			err = api.NotFound()
		}
	})
	return err
}
