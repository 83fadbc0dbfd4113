package orgs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// checkInterval is the mean time between two DNS checks of a domain, and checkSpread the range over which it varies.
const (
	checkInterval = 24 * time.Hour
	checkSpread   = 4 * time.Hour

	// MaxCheckDelay is the longest delay of jobs of store.EmailDomainKind.
	MaxCheckDelay = checkInterval + checkSpread/2
)

// nextCheckDelay returns the time from one DNS check of a domain to the next. It is derived from the names and equal on
// all nodes.
func nextCheckDelay(org, domain string) time.Duration {
	part := store.EmailDomainSpread(org, domain) * time.Duration(checkSpread/time.Hour) / time.Duration(checkInterval/time.Hour)
	return checkInterval - checkSpread/2 + part.Truncate(time.Second)
}

// Check is the job that looks up a domain of an organization in DNS. It schedules the next check.
func (ed *EmailDomains) Check(ctx context.Context, lease store.Lease) error {
	org, domain := lease.Organization, lease.Arg
	b := ed.Store.NewBatch()
	text := b.Field(store.EmailDomainsKey(org), domain)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read domain %s of %s: %w", domain, org, err)
	}
	d, err := store.DecodeEmailDomain(text.Value())
	if err != nil {
		return err
	}
	a := ed.lookup(ctx, domain, d)
	if ctx.Err() != nil {
		return ctx.Err() // the node is stopping; another one runs the job
	}
	if a.problem != "" && d.Proven(ed.Store.Now()) {
		ed.Log.WarnContext(ctx, "an e-mail domain is not proven any more, or will not be soon", "organization", org, "domain", domain,
			"problem", a.problem)
	}
	return ed.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		_, there, err := tx.EmailDomain(org, domain)
		if err != nil {
			return err
		}
		if !there {
			return lease.Finish(tx.Tx)
		}
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		tx.Schedule(org, lease.Job(), nextCheckDelay(org, domain))
		_, err = ed.putLookupResult(tx, org, domain, a)
		return err
	})
}

// DomainSetters returns the users on whose behalf the domains are looked up: those who set them.
func (ed *EmailDomains) DomainSetters(ctx context.Context, org string, domains []string) (asked []store.Requester, err error) {
	b := ed.Store.NewBatch()
	entries := b.Fields(store.EmailDomainsKey(org), domains...)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("domains of %s that wait: %w", org, err)
	}
	for _, domain := range domains {
		d, err := store.DecodeEmailDomain(entries.Value()[domain])
		if err != nil {
			d = store.EmailDomain{} // discard a partly decoded record; the job reports the error
		}
		asked = append(asked, store.Requester{Arg: domain, By: d.By, SlowRun: d.SlowQuery})
	}
	return asked, nil
}

// ScheduleChecks adds the missing record values to domains that earlier versions stored and schedules missing checks. Each node
// calls it when it starts.
func (ed *EmailDomains) ScheduleChecks(ctx context.Context) error {
	return eachOrganization(ctx, ed.Store, func(o store.OrganizationDocument, entries map[string]string, due []string) error {
		planned := func(domain string) bool {
			return entries[domain] != "" && slices.Contains(due, store.EmailDomainJob(domain))
		}
		if !slices.ContainsFunc(o.Fields.EmailDomains, func(domain string) bool { return !planned(domain) }) {
			return nil
		}
		return ed.Store.Update(ctx, store.Organization(o.Fields.ID), txn.UpdateOptions{}, func(tx *store.Tx) error {
			now, err := tx.Organization(o.Fields.ID)
			if err != nil || now.Version == 0 {
				return err
			}
			return tx.UpdateEmailDomains(o.Fields.ID, "", nil, now.Fields.EmailDomains)
		})
	})
}

// eachOrganization calls fn for every organization that has domains, with its domain entries and its scheduled jobs.
func eachOrganization(
	ctx context.Context, s *store.Store, fn func(o store.OrganizationDocument, entries map[string]string, due []string) error,
) error {
	ids, err := s.Organizations(ctx)
	if err != nil {
		return fmt.Errorf("list organizations: %w", err)
	}
	for page := range slices.Chunk(ids, txn.ChunkFields) {
		b := s.NewBatch()
		records, entries := make([]*txn.Future[txn.Record], len(page)), make([]*txn.Reply[map[string]string], len(page))
		due := make([]*txn.Reply[[]string], len(page))
		for i, id := range page {
			records[i], entries[i], due[i] = b.Record(store.OrganizationKey(id)), b.HashAll(store.EmailDomainsKey(id)),
				b.Range(txn.DueKey(id), "", -1, false)
		}
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read domains: %w", err)
		}
		for i := range page {
			var o store.OrganizationDocument
			if r, ok, err := records[i].Get(); err != nil || !ok || o.Decode(r) != nil || len(o.Fields.EmailDomains) == 0 {
				continue // the registry may name organizations that do not exist; damaged ones are reported by fsck
			}
			if err := fn(o, entries[i].Value(), due[i].Value()); err != nil {
				return err
			}
		}
	}
	return nil
}
