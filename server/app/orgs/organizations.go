package orgs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
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
		rest.Op(api.CreateOrganization, auth.Self(), s.createOrganization).ForPeople(),
		rest.Read(api.GetOrganization, auth.Member(), s.GetOrganization),
		rest.Op(api.UpdateOrganization, auth.InOrganization(api.RoleAdmin), s.updateOrganization).On(rest.Organization),
		rest.Op(api.FindOrganization, auth.Self(), s.findOrganizations),
	}
}

// listOrganizations lists the organizations of the caller. The user's index may contain organizations that the user
// has left; each entry is verified by its membership. If the token works in none of them, the error says why.
func (s *Service) listOrganizations(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListOrganizationsInput,
) rest.Finish[api.Page[api.Organization]] {
	w := r.NewPager(in.ListOptions, false)
	members := b.Range(store.UserOrganizationsKey(r.Principal), "", -1, false)
	return func(ctx context.Context, c *rest.Call) (none rest.Result[api.Page[api.Organization]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		ids := members.Value()
		known, err := s.LoadMemberships(ctx, c.Caller, ids, nil)
		if err != nil {
			return none, err
		}
		var mine []string
		var refusal *api.Error
		for _, id := range ids {
			if known[id].IsMember {
				mine = append(mine, id)
			}
			refusal = cmp.Or(refusal, known[id].refusal)
		}
		if len(mine) == 0 && refusal != nil {
			return none, refusal
		}
		page, next := w.Slice(mine, rest.OldestFirst)
		items := make([][]byte, len(page))
		for i, id := range page {
			if items[i], err = s.EncodeVisible(known[id]); err != nil {
				return none, err
			}
		}
		return rest.PageOf[api.Organization](items, len(mine), next)
	}
}

// encodeOrganization returns the JSON of an organization with the permissions of c.
func (s *Service) encodeOrganization(id string, r txn.Record, c *access.Caller) (*rest.Object, error) {
	var private store.OrganizationPrivate
	if err := json.Unmarshal(r.Private, &private); err != nil {
		return nil, fmt.Errorf("organization %s: %w", id, err)
	}
	public := r.Public
	if !private.EnforcesSSO && bytes.Contains(public, []byte(`"sso":true`)) { // as stored by an earlier build, where it required nothing
		var f api.OrganizationFields
		if err := json.Unmarshal(public, &f); err != nil {
			return nil, fmt.Errorf("organization %s: %w", id, err)
		}
		f.SSO = false
		var err error
		if public, err = json.Marshal(f); err != nil {
			return nil, fmt.Errorf("encode organization %s: %w", id, err)
		}
	}
	var valid []api.BreakGlass
	for _, token := range private.BreakGlass {
		if c.Role == api.RoleAdmin && token.ExpiresAt.After(s.now()) {
			valid = append(valid, token)
		}
	}
	return rest.ExtendObject(public).
		SetIf(len(valid) > 0, "breakGlass", valid).
		Set("urls", s.organizationURLs(id, private.Logo)).
		Set("permissions", organizationPermissions(c)), nil
}

func (s *Service) organizationURLs(id, logo string) api.OrganizationURLs {
	return api.OrganizationURLs{Location: s.PublicURL + "/v1/orgs/" + id, App: s.View.AppURL("organizations", id), Logo: logo}
}

// organizationPermissions returns the permissions of a caller. Ingestion and billing are not supported and always
// false.
func organizationPermissions(c *access.Caller) api.OrganizationPermissions {
	someone, create, admin := c.Role != api.RoleGuest, c.Role.AtLeast(api.RoleCreate), c.Role.AtLeast(api.RoleAdmin)
	return api.OrganizationPermissions{
		View: c.IsMember, Admin: admin, OwnTeam: c.OwnsAny(), CreateContent: create, CreateOpenAPISpec: create,
		ListMembers: someone, ListTeams: someone, ListIntegrations: create,
	}
}

// GetOrganization returns an organization as visible to the caller, a member or a visitor of one of its sites.
func (s *Service) GetOrganization(_ context.Context, r *rest.Request, b *txn.Batch, in api.OrganizationRef) rest.Finish[api.Organization] {
	organization := b.Record(store.OrganizationKey(in.Organization))
	return func(ctx context.Context, c *rest.Call) (rest.Result[api.Organization], error) {
		record, ok, err := organization.Get()
		if err != nil || !ok {
			return rest.Result[api.Organization]{}, rest.NotFoundIfNil(err)
		}
		return s.OrganizationResult(in.Organization, record, c.Caller)
	}
}

// createOrganization creates an organization in its own shard. With an Idempotency-Key the id is derived from the
// key, so that a repeated request uses the same shard.
func (s *Service) createOrganization(ctx context.Context, c *rest.Call, in api.CreateOrganizationInput) (rest.Result[api.Organization],
	error,
) {
	if err := s.checkMayCreateOrganizations(c.Caller); err != nil {
		return rest.Result[api.Organization]{}, err
	}
	if c.HTTP.Header.Get("If-Match") != "" { // refuse If-Match before the organization counts against the caller's quota
		return rest.Result[api.Organization]{}, api.InvalidParam(api.FieldError{
			Path: "If-Match", Message: "does not go with this operation",
		})
	}
	user, err := s.LoadUser(ctx, c.Caller.User)
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
		record, err := NewOrganization(tx, id, in.Body, NewMemberFields(user, id))
		if err != nil {
			return rest.Result[api.Organization]{}, err
		}
		r, err := s.OrganizationResult(id, record, &access.Caller{IsMember: true, Role: api.RoleAdmin})
		return r.WithLocation(id, s.PublicURL+"/v1/orgs/"+id), err
	})
}

// checkMayCreateOrganizations returns an error if the operator has reserved the creation of organizations, or if the token is bound to
// an organization.
func (s *Service) checkMayCreateOrganizations(caller *access.Caller) error {
	switch {
	case s.OperatorCreatesOrganizations:
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "On this server, only whoever runs it creates organizations.").
			WithHint("Ask them for one (wsd org create), or for an invite into one that is there.")
	case caller.Organization != "":
		return TokenBoundElsewhereError(caller)
	}
	return nil
}

// organizationIDLength is the number of hash characters in a derived organization id.
const organizationIDLength = 14

// TokenBoundElsewhereError returns a forbidden error for a caller whose token is bound to another organization.
func TokenBoundElsewhereError(caller *access.Caller) error {
	return api.Errorf(403, api.ReasonForbidden, "This token works in %s only.", caller.Organization)
}

// NewOrganization stores a new organization and its first admin. tx must be a transaction of the organization's
// shard.
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
	if err := tx.UpdateEmailDomains(id, admin.ID, nil, o.Fields.EmailDomains); err != nil {
		return txn.Record{}, err
	}
	if _, err := NewMember(tx, id, admin, api.RoleAdmin); err != nil {
		return txn.Record{}, err
	}
	return tx.PutOrganization(o)
}

// DecodeOrganization decodes an organization that was read in a pipeline.
func DecodeOrganization(record *txn.Future[txn.Record]) (o store.OrganizationDocument, err error) {
	r, ok, err := record.Get()
	if err != nil || !ok {
		return o, rest.NotFoundIfNil(err)
	}
	return o, o.Decode(r)
}
