package orgs

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// EmailDomains serves the operations on the e-mail domains of organizations and runs the jobs that check them in DNS.
type EmailDomains struct {
	Log      *slog.Logger
	Resolver Resolver
	Store    *store.Store
}

// Endpoints returns the operations of EmailDomains.
func (ed *EmailDomains) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListEmailDomains, auth.InOrganization(api.RoleAdmin), ed.listDomains),
		rest.Planned(api.CheckEmailDomain, auth.InOrganization(api.RoleAdmin), ed.lookupForCheck, ed.checkDomain).On(rest.Organization),
	}
}

// listDomains lists the domains of an organization by name.
func (ed *EmailDomains) listDomains(
	ctx context.Context, r *rest.Request, b *txn.Batch, in api.ListEmailDomainsInput,
) rest.Finish[api.Page[api.EmailDomain]] {
	w := r.NewPager(in.ListOptions, false)
	organization, entries := b.Record(store.OrganizationKey(in.Organization)), b.HashAll(store.EmailDomainsKey(in.Organization))
	return func(ctx context.Context, _ *rest.Call) (none rest.Result[api.Page[api.EmailDomain]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		r, ok, err := organization.Get()
		if err != nil || !ok {
			return none, rest.NotFoundIfNil(err)
		}
		var o store.OrganizationDocument
		if err := o.Decode(r); err != nil {
			return none, fmt.Errorf("organization %s: %w", in.Organization, err)
		}
		all := slices.Sorted(slices.Values(o.Fields.EmailDomains))
		page, next := w.Slice(all, rest.OldestFirst)
		items := make([][]byte, len(page))
		for i, domain := range page {
			d, err := store.DecodeEmailDomain(entries.Value()[domain])
			if err == nil {
				items[i], err = rest.ObjectOf(domainView(domain, d, ed.Store.Now())).Bytes()
			}
			if err != nil {
				return none, fmt.Errorf("domain %s of %s: %w", domain, in.Organization, err)
			}
		}
		return rest.PageOf[api.EmailDomain](items, len(all), next)
	}
}

// domainView returns the API representation of a domain.
func domainView(domain string, d store.EmailDomain, now time.Time) api.EmailDomain {
	answer := api.EmailDomain{
		Object: "email-domain", Domain: domain, Proven: d.Proven(now), Trusted: d.Trusted,
		RecordName: recordName(domain), RecordValue: recordValue(d), SeenAt: d.SeenAt, CheckedAt: d.CheckedAt, Problem: d.Problem,
	}
	if !answer.Proven && answer.Problem == "" {
		answer.Problem = "DNS has not been asked yet."
	}
	return answer
}

// checkTimeout is an upper bound for the duration of a check.
const checkTimeout = 4 * lookupTimeout

// lookupForCheck queries DNS before the transaction of a check. Each organization and each user has at most one
// lookup in flight, including those of jobs.
func (ed *EmailDomains) lookupForCheck(ctx context.Context, c *rest.Call, in api.OrganizationEmailDomainRef) (a lookupResult, err error) {
	b := ed.Store.NewBatch()
	text := b.Field(store.EmailDomainsKey(c.Org), in.EmailDomain)
	if err := b.Do(ctx); err != nil {
		return a, fmt.Errorf("read domain: %w", err)
	}
	d, err := store.DecodeEmailDomain(text.Value())
	if err != nil || d.Value == "" {
		return a, err // the transaction returns the error
	}
	queue := ed.Store.Jobs
	var turns []store.Permit
	defer func() {
		for _, turn := range turns {
			if late := queue.ReleasePermit(context.WithoutCancel(ctx), turn); late != nil {
				ed.Log.WarnContext(ctx, "a turn ends later", "organization", c.Org, "error", late)
			}
		}
	}()
	for _, take := range []func() (store.Permit, bool, error){
		func() (store.Permit, bool, error) {
			return queue.AcquireUserPermit(ctx, c.Caller.User, store.EmailDomainKind, checkTimeout)
		},
		func() (store.Permit, bool, error) {
			return queue.AcquireOrganizationPermit(ctx, c.Org, store.EmailDomainKind, checkTimeout)
		},
	} {
		turn, ok, err := take()
		if err != nil {
			return a, fmt.Errorf("turn to ask DNS: %w", err)
		}
		if !ok {
			return a, budgets.ErrBusy
		}
		turns = append(turns, turn)
	}
	a = ed.lookup(ctx, in.EmailDomain, d)
	return a, ctx.Err()
}

// checkDomain stores the result of a lookup. A domain that an earlier version stored gets its record value.
func (ed *EmailDomains) checkDomain(_ context.Context, c *rest.Call, tx *store.Tx, in api.OrganizationEmailDomainRef,
	a lookupResult,
) (none rest.Result[api.EmailDomain], err error) {
	o, err := tx.Organization(c.Org)
	if err != nil || !slices.Contains(o.Fields.EmailDomains, in.EmailDomain) {
		return none, rest.NotFoundIfNil(err)
	}
	if err := tx.UpdateEmailDomains(c.Org, c.Caller.User, nil, []string{in.EmailDomain}); err != nil {
		return none, err
	}
	d, err := ed.putLookupResult(tx, c.Org, in.EmailDomain, a)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(domainView(in.EmailDomain, d, tx.Now()))
	r.ID = in.EmailDomain
	return r, err
}

// putLookupResult stores the result of a lookup and logs a change of whether the domain is proven.
func (ed *EmailDomains) putLookupResult(tx *store.Tx, org, domain string, a lookupResult) (store.EmailDomain, error) {
	before, _, err := tx.EmailDomain(org, domain)
	if err != nil {
		return before, err
	}
	now := a.apply(before, tx.Now())
	if now == before {
		return now, nil
	}
	return now, tx.PutEmailDomain(org, domain, now)
}
