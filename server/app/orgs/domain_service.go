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

// EmailDomains answers the operations on the e-mail domains of organizations, and does the jobs that ask DNS.
type EmailDomains struct {
	Log      *slog.Logger
	Resolver Resolver
	Store    *store.Store
}

// Endpoints are the operations of this room.
func (s *EmailDomains) Endpoints() []rest.Endpoint {
	return []rest.Endpoint{
		rest.Read(api.ListEmailDomains, auth.InOrganization(api.RoleAdmin), s.listDomains),
		rest.Planned(api.CheckEmailDomain, auth.InOrganization(api.RoleAdmin), s.askNow, s.checkDomain).Of(rest.Organization),
	}
}

// listDomains lists the domains of an organization by name.
func (s *EmailDomains) listDomains(ctx context.Context, c *rest.Call, b *txn.Batch, in api.ListEmailDomainsInput) rest.Finish[api.Page[api.EmailDomain]] {
	w := rest.NewPager(c, in.ListOptions, false)
	organization, entries := b.Record(store.OrganizationKey(in.Organization)), b.HashAll(store.EmailDomainsKey(in.Organization))
	return func(ctx context.Context) (none rest.Result[api.Page[api.EmailDomain]], err error) {
		if w.Err != nil {
			return none, w.Err
		}
		r, ok, err := organization.Get()
		if err != nil || !ok {
			return none, rest.Missing(err)
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
				items[i], err = rest.ObjectOf(shown(domain, d, s.Store.Now())).Bytes()
			}
			if err != nil {
				return none, fmt.Errorf("domain %s of %s: %w", domain, in.Organization, err)
			}
		}
		return rest.PageOf[api.EmailDomain](items, len(all), next)
	}
}

// shown is a domain as it is answered.
func shown(domain string, d store.EmailDomain, now time.Time) api.EmailDomain {
	answer := api.EmailDomain{
		Object: "email-domain", Domain: domain, Proven: d.Proven(now), Trusted: d.Trusted,
		RecordName: recordName(domain), RecordValue: recordValue(d), SeenAt: d.SeenAt, CheckedAt: d.CheckedAt, Problem: d.Problem,
	}
	if !answer.Proven && answer.Problem == "" {
		answer.Problem = "DNS has not been asked yet."
	}
	return answer
}

// checkTime is longer than a check takes.
const checkTime = 4 * lookupTime

// askNow asks DNS before the transaction of a check. An organization, and a person, asks for one domain at a time, be it
// so or by a job.
func (s *EmailDomains) askNow(ctx context.Context, c *rest.Call, in api.OrganizationEmailDomainRef) (a answer, err error) {
	b := s.Store.Pipeline()
	text := b.Field(store.EmailDomainsKey(c.Org), in.EmailDomain)
	if err := b.Do(ctx); err != nil {
		return a, fmt.Errorf("read domain: %w", err)
	}
	d, err := store.DecodeEmailDomain(text.Value())
	if err != nil || d.Value == "" {
		return a, err // the transaction says what is wrong
	}
	queue := s.Store.Jobs
	var turns []store.Turn
	defer func() {
		for _, turn := range turns {
			if late := queue.EndTurn(context.WithoutCancel(ctx), turn); late != nil {
				s.Log.WarnContext(ctx, "a turn ends later", "organization", c.Org, "error", late)
			}
		}
	}()
	for _, take := range []func() (store.Turn, bool, error){
		func() (store.Turn, bool, error) {
			return queue.TakeFor(ctx, c.Caller.User, store.EmailDomainKind, checkTime)
		},
		func() (store.Turn, bool, error) { return queue.TakeOf(ctx, c.Org, store.EmailDomainKind, checkTime) },
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
	a = s.ask(ctx, in.EmailDomain, d)
	return a, ctx.Err()
}

// checkDomain writes what DNS said. A domain that an earlier build has stored gets its value.
func (s *EmailDomains) checkDomain(_ context.Context, c *rest.Call, tx *store.Tx, in api.OrganizationEmailDomainRef, a answer) (none rest.Result[api.EmailDomain], err error) {
	o, err := tx.Organization(c.Org)
	if err != nil || !slices.Contains(o.Fields.EmailDomains, in.EmailDomain) {
		return none, rest.Missing(err)
	}
	if err := tx.KeepEmailDomains(c.Org, c.Caller.User, nil, []string{in.EmailDomain}); err != nil {
		return none, err
	}
	d, err := s.write(tx, c.Org, in.EmailDomain, a)
	if err != nil {
		return none, err
	}
	r, err := rest.Value(shown(in.EmailDomain, d, tx.Now()))
	r.ID = in.EmailDomain
	return r, err
}

// write keeps what DNS said about a domain, and logs when that changes whether it is proven.
func (s *EmailDomains) write(tx *store.Tx, org, domain string, a answer) (store.EmailDomain, error) {
	before, _, err := tx.EmailDomain(org, domain)
	if err != nil {
		return before, err
	}
	now := a.with(before, tx.Now())
	if now == before {
		return now, nil
	}
	return now, tx.PutEmailDomain(org, domain, now)
}
