package orgs

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// updateOrganization applies a patch and claims or releases the hostname.
func (s *Service) updateOrganization(ctx context.Context, c *rest.Call, in api.UpdateOrganizationInput) (rest.Result[api.Organization],
	error,
) {
	var seen map[string]string
	if on, _ := in.Body.SSO.Get(); on && c.DryRun {
		var err error
		if seen, err = s.loadLastSeen(ctx, c.Org, nil); err != nil {
			return rest.Result[api.Organization]{}, err
		}
	}
	run := func() (rest.Result[api.Organization], error) {
		return rest.Commit(ctx, c, c.Shard(), func(tx *store.Tx) (none rest.Result[api.Organization], err error) {
			o, err := tx.Organization(c.Org)
			if err != nil || o.Version == 0 {
				return none, rest.NotFoundIfNil(err)
			}
			hostname := o.Fields.Hostname
			changed, err := s.patchOrganization(c, tx, &o, in.Body)
			if err != nil {
				return none, err
			}
			if hostname != "" && hostname != o.Fields.Hostname {
				tx.ReleaseHostname(c.Org, hostname)
			}
			bounded, err := applyTokenMaxAge(c, tx, &o, in.Body.TokenMaxAgeDays)
			if err != nil {
				return none, err
			}
			required, err := applySSO(c, tx, &o, in.Body.SSO)
			if err != nil {
				return none, err
			}
			if bounded || required {
				if err := tx.SetSettings(o); err != nil {
					return none, err
				}
			}
			return rest.PutIfChanged(tx, store.OrganizationKey(c.Org), changed || bounded || required,
				func() (txn.Record, error) { return tx.PutOrganization(o) },
				func(r txn.Record) (rest.Result[api.Organization], error) {
					result, err := s.OrganizationResult(c.Org, r, c.Caller)
					if err == nil && required && seen != nil {
						result.JSON, err = withSSOEffect(c, result.JSON, seen)
					}
					return result, err
				})
		})
	}
	return ClaimHostname(ctx, s, run)
}

// patchOrganization applies a patch and claims the unique values in it. It reports whether the organization changed.
func (s *Service) patchOrganization(c *rest.Call, tx *store.Tx, o *store.OrganizationDocument, patch api.OrganizationPatch) (changed bool,
	err error,
) {
	f := &o.Fields
	content, err := applyDefaultContent(c, tx, f, patch.DefaultContent)
	if err != nil {
		return false, err
	}
	ruled, err := s.ApplyMergeRules(c, patch.MergeRules, &f.MergeRules)
	if err != nil {
		return false, err
	}
	domained, err := applyDomains(c, tx, f, patch.EmailDomains)
	if err != nil {
		return false, err
	}
	changed = applyHostname(tx, f, patch.Hostname) || ruled || domained
	for _, applied := range []bool{
		content, patch.UseCase.ApplyNull(&f.UseCase), patch.CommunityType.ApplyNull(&f.CommunityType),
		patch.Title.Apply(&f.Title), patch.AI.Apply(&f.AI),
		patch.InviteLinks.Apply(&f.InviteLinks), patch.Logo.ApplyNull(&o.Private.Logo),
		ApplyPointer(patch.DefaultRole, &f.DefaultRole),
	} {
		changed = changed || applied
	}
	f.Type = f.CommunityType.Organization()
	return changed, nil
}

// applyTokenMaxAge sets the maximum age of tokens of people in the organization and its access entry. It returns an error if the token of
// the caller would be refused.
func applyTokenMaxAge(c *rest.Call, tx *store.Tx, o *store.OrganizationDocument, days api.Optional[int]) (changed bool, err error) {
	f := &o.Fields
	changed = days.ApplyNull(&f.TokenMaxAgeDays)
	c.Access(func(model *access.Model) { // builds that do not know the setting remove it from the record, but not the entry
		_, given := days.Get()
		changed = changed || (given || days.IsNull()) && model.TokenMaxAge() != store.TokenMaxAge(f.TokenMaxAgeDays)
	})
	if !changed {
		return false, nil
	}
	if maxAge, now := store.TokenMaxAge(f.TokenMaxAgeDays), tx.Now(); c.Caller.IsOlderThan(maxAge, now) {
		age := now.Sub(c.Caller.AgeFrom.Time)
		return false, api.WrongState("With a maximum age of %d days, the token of this request would be refused: it, or the first of "+
			"those that made it, was created %d days ago.", f.TokenMaxAgeDays, int(age/(24*time.Hour))).
			WithHint("Use a newer token; whoever runs the server makes one: wsd token create --user EMAIL")
	}
	return true, nil
}

// applySSO requires single sign-on of the members, or requires it no more. It returns an error if the caller, who must be able to undo it,
// has not signed in by a provider.
func applySSO(c *rest.Call, tx *store.Tx, o *store.OrganizationDocument, required api.Optional[bool]) (changed bool, err error) {
	on, given := required.Get()
	isOn := false // builds that do not know the setting remove it from the record, but not the entry
	c.Access(func(model *access.Model) { isOn = model.RequiresSSO() })
	if !given || on == o.Private.EnforcesSSO && on == isOn {
		return false, nil
	}
	if on {
		if err := checkSSOAvailable(c); err != nil {
			return false, err
		}
		if c.Caller.SignIn == nil {
			return false, api.WrongState("Requiring single sign-on takes an admin who has signed in by the provider of the organization, " +
				"so that somebody can undo it.").
				WithHint("Sign in by the provider, in a browser or with wsctl login, and require it with that login.")
		}
		_, there, err := tx.Field(txn.EntriesKey(c.Org), c.Caller.SignIn.Provider)
		if err != nil {
			return false, err
		}
		if !there {
			return false, api.WrongState("The provider by which you have signed in was deleted meanwhile.")
		}
	}
	c.NoteChange("sso", o.Fields.SSO, on)
	o.Fields.SSO, o.Private.EnforcesSSO = on, on
	return true, nil
}

// withSSOEffect adds what requiring single sign-on does to the JSON of an organization. seen are the times when members were last seen.
func withSSOEffect(c *rest.Call, organization []byte, seen map[string]string) (data []byte, err error) {
	effect := api.SSOEffect{Stopped: []api.StoppedMember{}}
	c.Access(func(model *access.Model) {
		for id, p := range model.AllPersons() {
			switch {
			case p.Member == nil, p.Member.Disabled, p.IsService():
			case p.Member.Role == api.RoleGuest:
				effect.Guests++
			default:
				stopped := api.StoppedMember{User: id, DisplayName: p.User.DisplayName, HasSignedIn: len(p.Member.Identities) > 0}
				if stopped.LastSeenAt, err = parseLastSeen(seen[id]); err != nil {
					return
				}
				effect.Stopped = append(effect.Stopped, stopped)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(effect.Stopped, func(a, b api.StoppedMember) int {
		return cmp.Or(strings.Compare(a.DisplayName, b.DisplayName), strings.Compare(a.User, b.User))
	})
	return rest.ExtendObject(organization).Set("ssoEffect", effect).Bytes()
}

// applyDomains sets the e-mail domains, in lower case. Each new domain gets a record value by which it can be proven.
func applyDomains(c *rest.Call, tx *store.Tx, f *api.OrganizationFields, domains api.Optional[[]string]) (changed bool, err error) {
	before, after := f.EmailDomains, []string{}
	given, ok := domains.Get()
	for _, domain := range given {
		after = append(after, strings.ToLower(domain))
	}
	if !ok || slices.Equal(before, after) {
		return false, nil
	}
	f.EmailDomains = after
	return true, tx.UpdateEmailDomains(c.Org, c.Caller.User, before, after)
}

func applyHostname(tx *store.Tx, f *api.OrganizationFields, hostname api.Optional[string]) bool {
	if !hostname.Apply(&f.Hostname) {
		return false
	}
	tx.Claim(store.HostnameKey(f.Hostname), f.ID)
	return true
}

// ApplyPointer is like Optional.Apply for a pointer, which null sets to nil.
func ApplyPointer[T comparable](o api.Optional[T], target **T) bool {
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

// applyDefaultContent sets the default site of an organization and with it the custom hostname. The existence of the
// site is added to the read set.
func applyDefaultContent(
	c *rest.Call, tx *store.Tx, f *api.OrganizationFields, content api.Optional[api.DefaultContent],
) (changed bool, err error) {
	hostname := ""
	if wanted, ok := content.Get(); ok {
		d, err := tx.Site(c.Org, wanted.Site)
		if err == nil && d.Version == 0 {
			err = api.InvalidField("defaultContent.site", "is not a site of this organization")
		}
		if err != nil {
			return false, err
		}
		hostname = d.Fields.Hostname
	}
	if changed = ApplyPointer(content, &f.DefaultContent); changed {
		f.CustomHostname = hostname
	}
	return changed, nil
}

// OrganizationResult returns the response with an organization as visible to c.
func (s *Service) OrganizationResult(id string, r txn.Record, c *access.Caller) (rest.Result[api.Organization], error) {
	o, err := s.encodeOrganization(id, r, c)
	if err != nil {
		return rest.Result[api.Organization]{}, err
	}
	result, err := rest.ObjectResult[api.Organization](o)
	result.ID = id
	return result.WithVersion(rest.RecordVersion(r)), err
}

// LoadUser reads an account. It returns a not_found error if there is none.
func (s *Service) LoadUser(ctx context.Context, id string) (u store.UserDocument, err error) {
	b := s.Store.NewBatch()
	user := b.Record(store.UserKey(id))
	if err := b.Do(ctx); err != nil {
		return u, fmt.Errorf("read user: %w", err)
	}
	record, ok, err := user.Get()
	if err != nil || !ok {
		return u, rest.NotFoundIfNil(err)
	}
	return u, u.Decode(record)
}

// findOrganizations lists the organizations that admit the caller's verified e-mail domain. It returns none for any
// other domain.
func (s *Service) findOrganizations(ctx context.Context, c *rest.Call, in api.EmailDomainRef) (none rest.Result[api.DomainOrganizations],
	err error,
) {
	caller := c.Caller
	u, err := s.LoadUser(ctx, caller.User)
	if err != nil {
		return none, err
	}
	if domain, ok := VerifiedEmailDomain(u); !ok || domain != in.EmailDomain {
		return none, api.Errorf(http.StatusForbidden, api.ReasonForbidden,
			"This lists organizations for your own verified e-mail domain only.")
	}
	b := s.Store.NewBatch()
	index := b.Range(store.DomainKey(in.EmailDomain), "", api.MaxLimit, false)
	if err := b.Do(ctx); err != nil {
		return none, fmt.Errorf("read organizations of a domain: %w", err)
	}
	ids, entries := index.Value(), map[string]*txn.Reply[string]{}
	known, err := s.LoadMemberships(ctx, caller, ids, func(b *txn.Batch) {
		for _, id := range ids {
			entries[id] = b.Field(store.EmailDomainsKey(id), in.EmailDomain)
		}
	})
	if err != nil {
		return none, err
	}
	items := [][]byte{}
	for _, id := range ids {
		if !known[id].exists || !caller.CanAccessTokensOf(id) {
			continue
		}
		if open, err := known[id].admits(in.EmailDomain, entries[id].Value(), s.Clock()); err != nil {
			return none, err
		} else if !open {
			continue
		}
		item, err := s.EncodeVisible(known[id])
		if err != nil {
			return none, err
		}
		items = append(items, item)
	}
	return rest.Result[api.DomainOrganizations]{
		JSON: slices.Concat([]byte(`{"organizations":[`), bytes.Join(items, []byte(",")), []byte(`]}`)), Version: "0",
	}, nil
}

// admits reports whether users with an e-mail address of a domain may join; field is the stored domain entry.
func (m Membership) admits(domain, field string, now time.Time) (bool, error) {
	var o store.OrganizationDocument
	if err := o.Decode(m.record); err != nil {
		return false, fmt.Errorf("organization %s: %w", m.ID, err)
	}
	return store.DomainCounts(o, domain, field, now)
}

// RoleOrGuest returns *r, or RoleGuest if r is nil.
func RoleOrGuest(r *api.Role) api.Role {
	if r == nil {
		return api.RoleGuest
	}
	return *r
}
