package server

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/store"
)

// updateOrganization commits, and sees to the claim of the hostname around it.
func (s *Server) updateOrganization(ctx context.Context, c *call, in api.UpdateOrganizationInput) (Result[api.Organization], error) {
	var released string
	run := func() (Result[api.Organization], error) {
		return commit(ctx, c, c.shard(), func(tx *store.Tx) (Result[api.Organization], error) {
			var none Result[api.Organization]
			o, err := tx.Organization(c.org)
			if err != nil || o.Version == 0 {
				return none, missing(err)
			}
			hostname := o.Fields.Hostname
			changed, err := s.patchOrganization(c, tx, &o, in.Body)
			if err != nil {
				return none, err
			}
			if released = ""; hostname != o.Fields.Hostname {
				released = hostname
			}
			return rewritten(tx, store.OrganizationKey(c.org), changed,
				func() (store.Record, error) { return tx.PutOrganization(o) },
				func(r store.Record) (Result[api.Organization], error) {
					return s.organizationResult(c.org, r, c.caller)
				})
		})
	}
	return withHostname(ctx, c, s, c.org, &released, run)
}

// patchOrganization applies a patch. What only one organization can have is claimed.
func (s *Server) patchOrganization(c *call, tx *store.Tx, o *store.OrganizationDocument, patch api.OrganizationPatch) (changed bool, err error) {
	f := &o.Fields
	if enforce, ok := patch.SSO.Get(); ok && enforce {
		if err := needSSO(tx, f.ID); err != nil {
			return false, err
		}
	}
	content, err := applyDefaultContent(c, tx, f, patch.DefaultContent)
	if err != nil {
		return false, err
	}
	ruled, err := s.applyMergeRules(c, patch.MergeRules, &f.MergeRules)
	if err != nil {
		return false, err
	}
	changed = applyHostname(tx, f, patch.Hostname) || ruled
	for _, applied := range []bool{
		content, patch.UseCase.ApplyNull(&f.UseCase), patch.CommunityType.ApplyNull(&f.CommunityType),
		patch.Title.Apply(&f.Title), patch.EmailDomains.Apply(&f.EmailDomains), patch.SSO.Apply(&f.SSO), patch.AI.Apply(&f.AI),
		patch.InviteLinks.Apply(&f.InviteLinks), patch.Logo.ApplyNull(&o.Private.Logo),
		applyPointer(patch.DefaultRole, &f.DefaultRole),
	} {
		changed = changed || applied
	}
	f.Type = f.CommunityType.Organization()
	return changed, nil
}

func applyHostname(tx *store.Tx, f *api.OrganizationFields, hostname api.Optional[string]) bool {
	if !hostname.Apply(&f.Hostname) {
		return false
	}
	tx.Claim(store.HostnameKey(f.Hostname), f.ID)
	return true
}

// applyPointer is Optional.Apply for a target that null makes nil.
func applyPointer[T comparable](o api.Optional[T], target **T) bool {
	old := *target
	if o.IsNull() {
		*target = nil
		return old != nil
	}
	v, ok := o.Get()
	if !ok || old != nil && *old == v {
		return false
	}
	*target = &v
	return true
}

// applyDefaultContent sets which site an organization shows by default, and with it the custom hostname. That the site
// is there comes into the read set.
func applyDefaultContent(c *call, tx *store.Tx, f *api.OrganizationFields, content api.Optional[api.DefaultContent]) (changed bool, err error) {
	hostname := ""
	if wanted, ok := content.Get(); ok {
		d, err := tx.Site(c.org, wanted.Site)
		if err == nil && d.Version == 0 {
			err = api.InvalidField("defaultContent.site", "is not a site of this organization")
		}
		if err != nil {
			return false, err
		}
		hostname = d.Fields.Hostname
	}
	if changed = applyPointer(content, &f.DefaultContent); changed {
		f.CustomHostname = hostname
	}
	return changed, nil
}

// whereDefault changes an organization if it shows a site by default.
func whereDefault(tx *store.Tx, org, site string, change func(*api.OrganizationFields)) error {
	o, err := tx.Organization(org)
	if err != nil || o.Fields.DefaultContent == nil || o.Fields.DefaultContent.Site != site {
		return err
	}
	change(&o.Fields)
	_, err = tx.PutOrganization(o)
	return err
}

// organizationResult answers one organization.
func (s *Server) organizationResult(id string, r store.Record, c *access.Caller) (Result[api.Organization], error) {
	o, err := s.organizationObject(id, r, c)
	if err != nil {
		return Result[api.Organization]{}, err
	}
	result, err := stored[api.Organization](o)
	result.id = id
	return result.versioned(recordVersion(r)), err
}

func (s *Server) user(ctx context.Context, id string) (u store.UserDocument, err error) {
	b := s.store.Pipeline()
	user := b.Record(store.UserKey(id))
	if err := b.Do(ctx); err != nil {
		return u, fmt.Errorf("read user: %w", err)
	}
	record, ok, err := user.Get()
	if err != nil || !ok {
		return u, missing(err)
	}
	return u, u.Decode(record)
}

// findOrganizations lists the organizations that are open to the caller's own domain: to others it is nobody's business.
func (s *Server) findOrganizations(ctx context.Context, c *call, in api.EmailDomainRef) (Result[api.DomainOrganizations], error) {
	var none Result[api.DomainOrganizations]
	caller := c.caller
	u, err := s.user(ctx, caller.User)
	if err != nil {
		return none, err
	}
	if domain, ok := vouched(u); !ok || domain != in.EmailDomain {
		return none, api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This lists organizations for your own verified e-mail domain only.")
	}
	b := s.store.Pipeline()
	index := b.Range(store.DomainKey(in.EmailDomain), "", api.MaxLimit, false)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read organizations of a domain: %w", err)
	}
	ids, _, err := index.Get()
	if err != nil {
		return none, err
	}
	known, err := s.standings(ctx, caller, ids, nil)
	if err != nil {
		return none, err
	}
	items := [][]byte{}
	for _, id := range ids {
		if !known[id].opensTo(in.EmailDomain) || !caller.Reaches(id) {
			continue
		}
		item, err := s.organizationSeen(known[id])
		if err != nil {
			return none, err
		}
		items = append(items, item)
	}
	return Result[api.DomainOrganizations]{json: slices.Concat([]byte(`{"organizations":[`), joined(items), []byte(`]}`)), version: "0"}, nil
}

// joined writes items out one after the other.
func joined(items [][]byte) (data []byte) {
	for i, item := range items {
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, item...)
	}
	return data
}

// opensTo reports whether people with an e-mail address of a domain may join.
func (at standing) opensTo(domain string) bool {
	var o store.OrganizationDocument
	return at.exists && o.Decode(at.record) == nil && slices.Contains(o.Fields.EmailDomains, domain)
}

// roleOrGuest is a role as the interface shows it.
func roleOrGuest(r *api.Role) api.Role {
	if r == nil {
		return api.RoleGuest
	}
	return *r
}
