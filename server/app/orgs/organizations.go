package orgs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

func (s *Service) organizationEndpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListOrganizations, auth.Self(), s.listOrganizations),
		rest.Op(api.CreateOrganization, auth.Self(), s.createOrganization),
		rest.Read(api.GetOrganization, auth.Member(), s.GetOrganization),
		rest.Op(api.UpdateOrganization, auth.InOrganization(api.RoleAdmin), s.updateOrganization).Of(rest.Organization),
		rest.Op(api.FindOrganization, auth.Self(), s.findOrganizations),
	}
}

// listOrganizations walks the user's index of organizations, which may name some that the user has left: each is
// verified by the membership that is read with it.
func (s *Service) listOrganizations(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListOrganizationsInput) rest.Finish[api.Page[api.Organization]] {
	w := rest.NewPager(c, in.ListOptions, false)
	members := b.Range(store.UserOrganizationsKey(c.Principal), "", -1, false)
	return func(ctx context.Context) (none rest.Result[api.Page[api.Organization]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		ids := members.Value()
		found, err := s.organizationsOf(ctx, c.Caller, ids)
		if err != nil {
			return none, err
		}
		var mine []string
		for _, id := range ids {
			if found[id] != nil {
				mine = append(mine, id)
			}
		}
		page, next := w.Slice(mine, rest.OldestFirst)
		items := make([][]byte, len(page))
		for i, id := range page {
			items[i] = found[id]
		}
		return rest.PageOf[api.Organization](items, len(mine), next)
	}
}

// organizationsOf reads organizations of which the caller is a member.
func (s *Service) organizationsOf(ctx context.Context, caller *access.Caller, ids []string) (map[string][]byte, error) {
	known, err := s.Memberships(ctx, caller, ids, nil)
	if err != nil {
		return nil, err
	}
	found := map[string][]byte{}
	for id, at := range known {
		if !at.Member {
			continue
		}
		if found[id], err = s.Seen(at); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// organizationObject writes out an organization for somebody with a standing in it.
func (s *Service) organizationObject(id string, r txn.Record, c *access.Caller) (*rest.Object, error) {
	var private store.OrganizationPrivate
	if err := json.Unmarshal(r.Private, &private); err != nil {
		return nil, fmt.Errorf("organization %s: %w", id, err)
	}
	return rest.Extend(r.Public).
		Set("urls", s.organizationURLs(id, private.Logo)).
		Set("permissions", organizationPermissions(c)), nil
}

func (s *Service) organizationURLs(id, logo string) api.OrganizationURLs {
	return api.OrganizationURLs{Location: s.PublicURL + "/v1/orgs/" + id, App: s.View.AppURL("organizations", id), Logo: logo}
}

// organizationPermissions are what a caller may do. Nobody may ingest conversations or see bills: there are none.
func organizationPermissions(c *access.Caller) api.OrganizationPermissions {
	someone, create, admin := c.Role != api.RoleGuest, c.Role.AtLeast(api.RoleCreate), c.Role.AtLeast(api.RoleAdmin)
	return api.OrganizationPermissions{
		View: c.IsMember, Admin: admin, OwnTeam: c.OwnsAny(), CreateContent: create, CreateOpenAPISpec: create,
		ListMembers: someone, ListTeams: someone, ListIntegrations: create,
	}
}

// GetOrganization answers an organization as a member of it, or as somebody on one of its sites, may see it.
func (s *Service) GetOrganization(_ context.Context, c *rest.Call, b *txn.Batch, in api.OrganizationRef) rest.Finish[api.Organization] {
	organization := b.Record(store.OrganizationKey(in.Organization))
	return func(ctx context.Context) (rest.Result[api.Organization], error) {
		record, ok, err := organization.Get()
		if err != nil || !ok {
			return rest.Result[api.Organization]{}, rest.Missing(err)
		}
		return s.OrganizationResult(in.Organization, record, c.Caller)
	}
}

// createOrganization commits in the new organization's own shard. With an Idempotency-Key the id is derived from
// it: a repeat must find its way to the same shard.
func (s *Service) createOrganization(ctx context.Context, c *rest.Call, in api.CreateOrganizationInput) (rest.Result[api.Organization], error) {
	if c.Caller.Organization != "" {
		return rest.Result[api.Organization]{}, ForbiddenByToken(c.Caller)
	}
	if c.Request.Header.Get("If-Match") != "" { // before it takes one of the caller's places
		return rest.Result[api.Organization]{}, api.InvalidParam(api.FieldError{Path: "If-Match", Message: "does not go with this operation"})
	}
	user, err := s.User(ctx, c.Caller.User)
	if err != nil {
		return rest.Result[api.Organization]{}, err
	}
	id := s.IDs.New(txn.OrganizationPrefix)
	if once := c.Idempotency(); once != nil {
		id = txn.OrganizationPrefix + once.Key[:organizationIDLength]
	}
	if err := s.reserveOrganization(ctx, c, id); err != nil {
		return rest.Result[api.Organization]{}, err
	}
	return rest.Commit(ctx, c, store.Organization(id), func(tx *store.Tx) (rest.Result[api.Organization], error) {
		record, err := NewOrganization(tx, id, in.Body, KnownAs(user, id))
		if err != nil {
			return rest.Result[api.Organization]{}, err
		}
		r, err := s.OrganizationResult(id, record, &access.Caller{IsMember: true, Role: api.RoleAdmin})
		return r.Created(id, s.PublicURL+"/v1/orgs/"+id), err
	})
}

// organizationIDLength is how much of a hash replaces the usual time and chance.
const organizationIDLength = 14

// ForbiddenByToken refuses a token that is bound to another organization.
func ForbiddenByToken(caller *access.Caller) error {
	return api.Errorf(403, api.ReasonForbidden, "This token works in %s only.", caller.Organization)
}

// NewOrganization makes an organization with its first admin, inside a transaction of its shard.
func NewOrganization(tx *store.Tx, id string, body api.OrganizationCreate, admin api.UserFields) (txn.Record, error) {
	o, err := tx.Organization(id)
	if err != nil {
		return txn.Record{}, err
	}
	if o.Version != 0 {
		return txn.Record{}, api.WrongState("The organization %s exists.", id)
	}
	o.Fields = api.OrganizationFields{
		Object: "organization", ID: id, Title: body.Title, CreatedAt: api.At(tx.Now()), EmailDomains: []string{},
		Type: body.CommunityType.Organization(), CommunityType: body.CommunityType, UseCase: body.UseCase, InviteLinks: true,
		Plan: api.PlanFree, Trial: api.Trial{Status: api.TrialNotApplicable}, IsOnNewTrial: true,
	}
	for _, domain := range body.EmailDomains {
		o.Fields.EmailDomains = append(o.Fields.EmailDomains, strings.ToLower(domain))
	}
	if err := tx.KeepEmailDomains(id, admin.ID, nil, o.Fields.EmailDomains); err != nil {
		return txn.Record{}, err
	}
	if _, err := NewMember(tx, id, admin, api.RoleAdmin); err != nil {
		return txn.Record{}, err
	}
	return tx.PutOrganization(o)
}

// DecodeOrganization reads an organization that a pipeline brought.
func DecodeOrganization(record *txn.Future[txn.Record]) (o store.OrganizationDocument, err error) {
	r, ok, err := record.Get()
	if err != nil || !ok {
		return o, rest.Missing(err)
	}
	return o, o.Decode(r)
}
