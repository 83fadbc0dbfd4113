package orgs

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) memberEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Op(api.ListMembers, auth.InOrganization(api.RoleRead), s.listMembers),
		rest.Read(api.GetMember, auth.Member(), s.getMember),
		rest.Write(api.UpdateMember, auth.InOrganization(api.RoleAdmin), s.updateMember).On(rest.Member),
		rest.Planned(api.DeleteMember, auth.Member(), s.planMemberDeletion,
			s.deleteMember).WithScopeAdmin().On(rest.Member).AllowAbsent(auth.InOrganization(api.RoleAdmin)),
		rest.Write(api.SetMemberSSO, auth.InOrganization(api.RoleAdmin), s.setMemberSSO).On(rest.Member),
		rest.Op(api.ListMemberSpaces, auth.Member(), s.listMemberSpaces),
		rest.Op(api.ListMemberTeams, auth.Member(), s.listMemberTeams),
		rest.Op(api.ListMemberTokens, auth.InOrganization(api.RoleAdmin), s.listMemberTokens).WithScopeAdmin(),
		rest.Op(api.DeleteMemberToken, auth.InOrganization(api.RoleAdmin), s.deleteMemberToken).WithScopeAdmin(),
	}
}

// encodeMember returns the JSON of a member. lastSeenAt, which is not part of the access model, is passed as seen in
// its stored form; "" = never.
func (s *Service) encodeMember(model *access.Model, p *access.Person, seen string) ([]byte, error) {
	fields, err := json.Marshal(api.MemberFields{Object: "member", ID: p.User.ID, JoinedAt: p.JoinedAt, SSO: p.SSO})
	if err != nil {
		return nil, fmt.Errorf("encode member %s: %w", p.User.ID, err)
	}
	seenAt, err := parseLastSeen(seen)
	if err != nil {
		return nil, err
	}
	return rest.ExtendObject(fields).
		Set("role", RoleOrNull(p.Member.Role)).
		Set("user", s.View.User(model.Org, p.User.ID, p.PublicFields)).
		Set("disabled", p.Member.Disabled).
		SetIf(seen != "", "lastSeenAt", seenAt).
		Set("spaces", model.ViewerOf(p).CountSpaces()).
		Set("teams", len(model.TeamsOf(p))).Bytes()
}

// RoleOrNull returns a role as the API shows it: nil for a guest.
func RoleOrNull(r api.Role) *api.Role {
	if r == api.RoleGuest {
		return nil
	}
	return &r
}

// parseLastSeen parses a value of store.SeenKey.
func parseLastSeen(text string) (api.Time, error) {
	if text == "" {
		return api.Time{}, nil
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return api.Time{}, fmt.Errorf("%w: last seen %q", redis.ErrCorrupt, text)
	}
	return api.At(time.UnixMilli(ms)), nil
}

func (s *Service) listMembers(ctx context.Context, c *rest.Call, in api.ListMembersInput) (none rest.Result[api.Page[api.Member]],
	err error,
) {
	oldest := in.Order == api.Ascending
	w := c.NewPager(in.ListOptions, !oldest, string(in.Sort), string(in.Role), in.Search)
	if w.Err != nil {
		return none, w.Err
	}
	var seen map[string]string
	if in.Sort == api.SortLastSeen {
		if seen, err = s.loadLastSeen(ctx, c.Org, nil); err != nil {
			return none, err
		}
	}
	compare := rest.NewestFirst
	if oldest {
		compare = rest.OldestFirst
	}
	var members, page []string
	var next string
	c.Access(func(model *access.Model) {
		members = sortedMembers(model, in, seen)
		slices.SortFunc(members, compare)
		page, next = w.Slice(members, compare)
	})
	for i, m := range page {
		_, page[i], _ = txn.SplitOrderMember(m)
	}
	items, err := s.EncodeMembers(ctx, c, page, seen, nil)
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.Member](items, len(members), next)
}

// sortedMembers returns the members that pass the filters as <sort key>!<id>, sorted.
func sortedMembers(m *access.Model, in api.ListMembersInput, seen map[string]string) []string {
	search := strings.ToLower(in.Search)
	var found []string
	for id, p := range m.AllPersons() {
		if p.Member == nil || p.IsService() || !hasRole(p.Member.Role, in.Role) || !p.MatchesName(search) {
			continue
		}
		if key := MemberSortKey(in.Sort, p, seen[id]); key != "" {
			found = append(found, txn.OrderMember(key, id))
		}
	}
	return found
}

// MemberSortKey returns the sort key of a member. A member with an empty key is not listed.
func MemberSortKey(by api.MemberSort, p *access.Person, seen string) string {
	const digits = "%015s"
	switch {
	case by == api.SortName:
		return hex.EncodeToString([]byte(strings.ToLower(p.User.DisplayName) + " "))
	case by != api.SortLastSeen:
		return fmt.Sprintf(digits, strconv.FormatInt(p.JoinedAt.UnixMilli(), 10))
	case seen == "":
		return ""
	}
	return fmt.Sprintf(digits, seen)
}

func hasRole(role api.Role, wanted api.RoleFilter) bool {
	switch wanted {
	case "":
		return true
	case api.FilterGuest:
		return role == api.RoleGuest
	}
	return role == api.Role(wanted)
}

// ReadLastSeen reads when the members of an organization were last seen, by user id, as texts for MemberSortKey.
func (s *Service) ReadLastSeen(ctx context.Context, org string) (map[string]string, error) {
	return s.loadLastSeen(ctx, org, nil)
}

// loadLastSeen reads when members were last seen, by user id. It reads those of all members if users is nil.
func (s *Service) loadLastSeen(ctx context.Context, org string, users []string) (map[string]string, error) {
	b := s.Store.NewBatch()
	times := b.HashAll(store.SeenKey(org))
	if users != nil {
		times = b.Fields(store.SeenKey(org), users...)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read when members were seen: %w", err)
	}
	return times.Value(), nil
}

// EncodeMembers returns the JSON of the given members. If wrap is not nil, it builds the list item of each member. seen is
// read from the store if it is nil.
func (s *Service) EncodeMembers(ctx context.Context, c *rest.Call, users []string, seen map[string]string, wrap func(
	p *access.Person, member []byte,
) *rest.Object,
) ([][]byte, error) {
	var err error
	if seen == nil && len(users) > 0 {
		if seen, err = s.loadLastSeen(ctx, c.Org, users); err != nil {
			return nil, err
		}
	}
	items := make([][]byte, 0, len(users))
	c.Access(func(model *access.Model) {
		for _, user := range users {
			p := model.Member(user)
			if p == nil {
				continue // the member has left in the meantime
			}
			item, e := s.encodeMember(model, p, seen[user])
			if e == nil && wrap != nil {
				item, e = wrap(p, item).Bytes()
			}
			items, err = append(items, item), errors.Join(err, e)
		}
	})
	return items, err
}

// loadMember reads a membership. ok is false if the user is not a member.
func loadMember(ctx context.Context, s *store.Store, org, user string) (m store.MemberDocument, ok bool, err error) {
	b := s.NewBatch()
	record := b.Record(store.MemberKey(org, user))
	if err := b.Do(ctx); err != nil {
		return m, false, fmt.Errorf("read member %s of %s: %w", user, org, err)
	}
	r, ok, err := record.Get()
	if err != nil || !ok {
		return m, false, err
	}
	return m, true, m.Decode(r)
}

// memberResult returns the response for a member. r is its record, as read or as written by the transaction; seen is the
// encoded time of its last use.
func (s *Service) memberResult(c *rest.Call, r txn.Record, p *access.Person, seen string) (rest.Result[api.Member], error) {
	var data []byte
	var err error
	c.Access(func(model *access.Model) { data, err = s.encodeMember(model, p, seen) })
	return rest.Result[api.Member]{JSON: data, ID: p.User.ID, Version: rest.RecordVersion(r)}, err
}

// getMember returns a member. Guests may only read their own membership.
func (s *Service) getMember(ctx context.Context, r *rest.Request, b *txn.Batch, in api.MemberRef) rest.Finish[api.Member] {
	record := b.Record(store.MemberKey(in.Organization, in.User))
	seen := b.Field(store.SeenKey(in.Organization), in.User)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Member], err error) {
		if err := requireSelfOrRole(api.RoleRead, c, in.User); err != nil {
			return none, err
		}
		r, ok, err := record.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var m store.MemberDocument
		if err := m.Decode(r); err != nil {
			return none, err
		}
		at := seen.Value()
		return s.memberResult(c, r, access.NewPerson(store.PersonOf(m), nil), at)
	}
}

// requireSelfOrRole returns an error unless the caller is the user or has the role in the organization.
func requireSelfOrRole(role api.Role, c *rest.Call, user string) error {
	if user == c.Caller.User || c.Caller.Role.AtLeast(role) {
		return nil
	}
	return rest.Forbidden(auth.Need{Role: role}, "this organization", c.Caller.Role)
}

func (s *Service) updateMember(ctx context.Context, c *rest.Call, tx *store.Tx, in api.UpdateMemberInput) (rest.Result[api.Member], error) {
	return s.changeMember(c, tx, in.MemberRef, func(m *store.MemberDocument) bool { return in.Body.Role.ApplyNull(&m.Private.Role) })
}

// setMemberSSO requires single sign-on of a member from the first sign-in by a provider. It returns an error if nobody can sign in by one,
// or if no other admin could sign in without one.
func (s *Service) setMemberSSO(ctx context.Context, c *rest.Call, tx *store.Tx, in api.MemberRef) (rest.Result[api.Member], error) {
	if err := checkSSOAvailable(c); err != nil {
		return rest.Result[api.Member]{}, err
	}
	if err := checkAdminSignsIn(c, in.User); err != nil {
		return rest.Result[api.Member]{}, err
	}
	return s.changeMember(c, tx, in, func(m *store.MemberDocument) bool { return api.Some(true).Apply(&m.Fields.SSO) })
}

// checkAdminSignsIn returns an error if single sign-on would be required of all admins while none of them has signed in by a provider.
func checkAdminSignsIn(c *rest.Call, user string) (err error) {
	c.Access(func(model *access.Model) {
		isAdmin := func(p *access.Person) bool {
			return p.Member != nil && p.Member.Role == api.RoleAdmin && !p.Member.Disabled && !p.IsService()
		}
		if p := model.Member(user); p == nil || !isAdmin(p) {
			return
		}
		for id, p := range model.AllPersons() {
			if isAdmin(p) && (len(p.Member.Identities) > 0 || id != user && !p.SSO) {
				return
			}
		}
		err = api.WrongState("This is the last admin without single sign-on, and no admin has signed in by a provider.").
			WithHint("Sign in by the provider once, or make somebody else an admin first.")
	})
	return err
}

// changeMember applies change to a member and stores the member if change returns true. It returns an error if there is no such
// member, or if the organization would have no admin.
func (s *Service) changeMember(c *rest.Call, tx *store.Tx, in api.MemberRef, change func(
	*store.MemberDocument,
) bool,
) (none rest.Result[api.Member], err error) {
	m, err := tx.Member(c.Org, in.User)
	if err != nil || m.Version == 0 {
		return none, rest.NotFoundIfNil(err)
	}
	seen, _, err := tx.Field(store.SeenKey(c.Org), in.User)
	if err != nil {
		return none, err
	}
	if m.Private.IsService() {
		return none, api.WrongState("This is a service account.").WithHint("wsctl service-accounts update %s changes it.", in.User)
	}
	before := m.Private
	changed := change(&m)
	c.NoteChange("role", RoleOrNull(before.Role), RoleOrNull(m.Private.Role))
	record, _, err := tx.Record(store.MemberKey(c.Org, in.User))
	if changed && err == nil {
		if m.Private.Role != before.Role {
			err = checkAdminRemains(tx, c.Org, before)
		}
		if err == nil {
			record, err = tx.PutMember(c.Org, m)
		}
	}
	if err != nil {
		return none, err
	}
	result, err := s.memberResult(c, record, access.NewPerson(store.PersonOf(m), nil), seen)
	result.Unchanged = !changed
	return result, err
}

// checkAdminRemains returns an error if the organization would have no admin without the membership. Admins whose accounts are
// disabled do not count. The number of admins is added to the read set, so that two admins cannot leave concurrently.
func checkAdminRemains(tx *store.Tx, org string, m store.MemberPrivate) error {
	if !m.IsActiveAdmin() {
		return nil
	}
	admins, err := tx.Cardinality(store.AdminsKey(org))
	if err != nil || admins > 1 {
		return err
	}
	return lastAdminError()
}

func lastAdminError() error {
	return api.WrongState("This is the last admin of the organization: one has to stay.").
		WithHint("Make somebody else an admin first.")
}

// listMemberSpaces lists the spaces that a member may read. Only admins and the member may call it.
func (s *Service) listMemberSpaces(ctx context.Context, c *rest.Call,
	in api.ListMemberSpacesInput,
) (none rest.Result[api.Page[api.MemberSpace]], err error) {
	if err := cmp.Or(requireSelfOrRole(api.RoleAdmin, c, in.User), c.RequireAllSpaces("the spaces of members")); err != nil {
		return none, err
	}
	newest := in.Order != api.Ascending
	w := c.NewPager(in.ListOptions, newest)
	var page []string
	var next string
	err, count, roles := w.Err, 0, map[string]api.Role{}
	c.Access(func(model *access.Model) {
		p := model.Member(in.User)
		if p == nil {
			err = errors.Join(err, api.NotFound())
			return
		}
		v, ids, compare := model.ViewerOf(p), model.SpaceIDs(), rest.OldestFirst
		if newest {
			ids, compare = slices.Clone(ids), rest.NewestFirst
			slices.Reverse(ids)
		}
		count = v.CountSpaces()
		page, next = w.Cut(v.After(ids, w.After, w.Size+1, compare))
		for _, id := range page {
			roles[id] = v.Role(id)
		}
	})
	if err != nil {
		return none, err
	}
	spaces, err := s.View.ReadSpaces(ctx, c, page)
	if err != nil {
		return none, err
	}
	items := make([][]byte, 0, len(page))
	c.Access(func(model *access.Model) {
		for _, id := range page {
			if space, ok := spaces[id]; ok {
				o := s.View.Space(c, model, id, space.Record.Public, space.State)
				item, e := rest.ExtendObject([]byte(`{}`)).Set("permission", roles[id]).SetObject("space", o).Bytes()
				items, err = append(items, item), errors.Join(err, e)
			}
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.MemberSpace](items, count, next)
}

// listMemberTeams lists the teams of a member. Only admins and the member may call it.
func (s *Service) listMemberTeams(ctx context.Context, c *rest.Call,
	in api.ListMemberTeamsInput,
) (none rest.Result[api.Page[api.MemberTeam]], err error) {
	if err := requireSelfOrRole(api.RoleAdmin, c, in.User); err != nil {
		return none, err
	}
	w := c.NewPager(in.ListOptions, false, in.Title)
	var items [][]byte
	var next string
	err, count := w.Err, 0
	c.Access(func(model *access.Model) {
		p := model.Member(in.User)
		if p == nil {
			err = errors.Join(err, api.NotFound())
			return
		}
		roles := model.TeamsOf(p)
		ids := model.TeamsByTitle(in.Title, func(id string) bool { return roles[id] != "" })
		page, more := w.Slice(ids, rest.OldestFirst)
		count, next = len(ids), more
		for _, id := range page {
			team, e := s.EncodeTeam(model, c.Caller, model.Team(id).TeamFields, len(model.TeamMembers(id)))
			item, e2 := rest.ExtendObject([]byte(`{}`)).Set("team", json.RawMessage(team)).Set("member",
				api.TeamMembership{Role: roles[id]}).Bytes()
			items, err = append(items, item), errors.Join(err, e, e2)
		}
	})
	if err != nil {
		return none, err
	}
	return rest.PageOf[api.MemberTeam](items, count, next)
}

// NewMember makes a user a member of an organization or changes the role of a member. tx must be a transaction of the
// organization's shard.
func NewMember(tx *store.Tx, org string, user api.UserFields, role api.Role) (store.MemberDocument, error) {
	m, err := tx.Member(org, user.ID)
	if err != nil {
		return m, err
	}
	switch {
	case m.Version == 0 && store.IsServiceAccount(user.ID):
		return m, api.WrongState("%s is a service account: it belongs to the organization in which it was created.", user.ID)
	case m.Version == 0:
		m.Fields = api.MemberFields{Object: "member", ID: user.ID, JoinedAt: api.At(tx.Now())}
	case m.Private.Role != role:
		if err := checkAdminRemains(tx, org, m.Private); err != nil {
			return m, err
		}
	}
	m.Private.User, m.Private.Role = user, role
	_, err = tx.PutMember(org, m)
	return m, err
}
