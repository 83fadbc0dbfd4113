package server

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

var organizationEndpoints = []Endpoint{
	read(api.ListOrganizations, self(), (*Server).listOrganizations),
	op(api.CreateOrganization, self(), (*Server).createOrganization),
	read(api.GetOrganization, member(), (*Server).getOrganization),
}

// listOrganizations walks the user's index of organizations, which may name some that the user has left: each is
// verified by the membership that is read with it.
func (s *Server) listOrganizations(ctx context.Context, b *store.Batch, in api.ListOrganizationsInput) finish[api.Page[api.Organization]] {
	c := callFrom(ctx)
	w := newWindow(c, in.ListOptions, false)
	members := b.Range(store.UserOrganizationsKey(c.principal), "", -1, false)
	return func(ctx context.Context) (Result[api.Page[api.Organization]], error) {
		var none Result[api.Page[api.Organization]]
		if w.err != nil {
			return none, w.err
		}
		ids, _, _ := members.Get()
		found, err := s.organizationsOf(ctx, callerFrom(ctx), ids)
		if err != nil {
			return none, err
		}
		var mine []string
		for _, id := range ids {
			if found[id] != nil {
				mine = append(mine, id)
			}
		}
		page, next := w.of(mine, oldestFirst)
		items := make([][]byte, len(page))
		for i, id := range page {
			items[i] = found[id]
		}
		return list[api.Organization](items, len(mine), next)
	}
}

// organizationsOf reads organizations of which the caller is a member, in one pipeline.
func (s *Server) organizationsOf(ctx context.Context, caller *Caller, ids []string) (map[string][]byte, error) {
	b := s.store.Pipeline()
	records := map[string]*store.Future[store.Record]{}
	members := map[string]*store.Future[store.Record]{}
	for _, id := range ids {
		records[id], members[id] = b.Record(store.OrganizationKey(id)), b.Record(store.MemberKey(id, caller.User))
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read organizations: %w", err)
	}
	found := map[string][]byte{}
	for _, id := range ids {
		record, ok, err := records[id].Get()
		membership, isMember, err2 := members[id].Get()
		if err := errors.Join(err, err2); err != nil {
			return nil, err
		}
		if !ok || !isMember || caller.Organization != "" && caller.Organization != id {
			continue
		}
		var m store.MemberDocument
		if err := m.Decode(membership); err != nil {
			return nil, fmt.Errorf("member %s of %s: %w", caller.User, id, err)
		}
		data, err := s.organizationObject(id, record.Public, m.Private.Role).bytes()
		if err != nil {
			return nil, err
		}
		found[id] = data
	}
	return found, nil
}

func (s *Server) organizationObject(id string, public []byte, role api.Role) *object {
	return extend(public).
		set("urls", api.AppURLs{Location: s.publicURL + "/v1/orgs/" + id, App: s.appURL("organizations", id)}).
		set("permissions", organizationPermissions(role))
}

func organizationPermissions(role api.Role) api.OrganizationPermissions {
	someone, create, admin := role != api.RoleGuest, role.AtLeast(api.RoleCreate), role.AtLeast(api.RoleAdmin)
	return api.OrganizationPermissions{
		View: true, Admin: admin, CreateContent: create, CreateOpenAPISpec: create, IngestConversations: admin,
		ViewBilling: admin, ListMembers: someone, ListTeams: someone, ListIntegrations: create,
	}
}

func (s *Server) getOrganization(_ context.Context, b *store.Batch, in api.OrganizationRef) finish[api.Organization] {
	organization := b.Record(store.OrganizationKey(in.Organization))
	return func(ctx context.Context) (Result[api.Organization], error) {
		record, ok, err := organization.Get()
		if err != nil || !ok {
			return Result[api.Organization]{}, missing(err)
		}
		r, err := stored[api.Organization](s.organizationObject(in.Organization, record.Public, callerFrom(ctx).Role))
		return r.versioned(recordVersion(record)), err
	}
}

// createOrganization commits in the new organization's own shard. With an Idempotency-Key the id is derived from
// it: a repeat must find its way to the same shard.
func (s *Server) createOrganization(ctx context.Context, in api.CreateOrganizationInput) (Result[api.Organization], error) {
	c := callFrom(ctx)
	if c.caller.Organization != "" {
		return Result[api.Organization]{}, forbiddenByToken(c.caller)
	}
	user, err := s.userFields(ctx, c.caller.User)
	if err != nil {
		return Result[api.Organization]{}, err
	}
	id := s.ids.New(store.OrganizationPrefix)
	if once := c.idempotency(); once != nil {
		id = store.OrganizationPrefix + once.Key[:organizationIDLength]
	}
	return commit(ctx, s, store.Organization(id), func(tx *store.Tx) (Result[api.Organization], error) {
		record, err := NewOrganization(tx, id, in.Body.Title, user)
		if err != nil {
			return Result[api.Organization]{}, err
		}
		r, err := stored[api.Organization](s.organizationObject(id, record.Public, api.RoleAdmin))
		return r.versioned(recordVersion(record)).created(id, s.publicURL+"/v1/orgs/"+id), err
	})
}

// organizationIDLength is how much of a hash replaces the usual time and chance.
const organizationIDLength = 14

func forbiddenByToken(caller *Caller) error {
	return api.Errorf(403, api.ReasonForbidden, "This token works in %s only.", caller.Organization)
}

func (s *Server) userFields(ctx context.Context, id string) (api.UserFields, error) {
	b := s.store.Pipeline()
	user := b.Record(store.UserKey(id))
	if err := b.Do(ctx); err != nil {
		return api.UserFields{}, fmt.Errorf("read user: %w", err)
	}
	record, ok, err := user.Get()
	if err != nil || !ok {
		return api.UserFields{}, missing(err)
	}
	var u store.UserDocument
	err = u.Decode(record)
	return u.Fields, err
}

// NewOrganization makes an organization with its first admin, inside a transaction of its shard.
func NewOrganization(tx *store.Tx, id, title string, admin api.UserFields) (store.Record, error) {
	o, err := tx.Organization(id)
	if err != nil {
		return store.Record{}, err
	}
	if o.Version != 0 {
		return store.Record{}, api.WrongState("The organization %s exists.", id)
	}
	o.Fields = api.OrganizationFields{
		Object: "organization", ID: id, Title: title, CreatedAt: api.At(tx.Now()), EmailDomains: []string{},
		Type: api.OrganizationBusiness, InviteLinks: true, Plan: "free_2024", Trial: api.Trial{Status: "notapplicable"},
		IsOnNewTrial: true,
	}
	if err := NewMember(tx, id, admin, api.RoleAdmin); err != nil {
		return store.Record{}, err
	}
	return tx.PutOrganization(o)
}

// NewMember makes a user a member of an organization, or changes the role of one, inside a transaction of the
// organization's shard.
func NewMember(tx *store.Tx, org string, user api.UserFields, role api.Role) error {
	m, err := tx.Member(org, user.ID)
	if err != nil {
		return err
	}
	if m.Version == 0 {
		m.Fields = store.MemberFields{ID: user.ID, JoinedAt: api.At(tx.Now())}
	}
	m.Private.Role = role
	_, err = tx.PutMember(org, m, user)
	return err
}
