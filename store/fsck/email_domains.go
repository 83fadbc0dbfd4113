package fsck

import (
	"context"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// domains checks what an organization has of its e-mail domains: each is one of its own, and DNS is asked for it. A domain
// that has nothing yet is one that an earlier build has stored: it counts for nothing, and gets its value when wsd serves.
func (in *inspection) domains(ctx context.Context, want *expectation) error {
	key := store.EmailDomainsKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil || len(have) == 0 {
		return err
	}
	b := in.store.Pipeline()
	due := b.Range(txn.DueKey(want.org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return err
	}
	for domain, text := range have {
		_, err := store.DecodeEmailDomain(text)
		switch {
		case !slices.Contains(want.domains, domain):
			in.add(key.Name(), domain, "is no domain of the organization", in.keep(want.org, []string{domain}, nil))
		case err != nil:
			in.add(key.Name(), domain, err.Error(), nil)
		case !slices.Contains(due.Value(), store.EmailDomainJob(domain)):
			in.add(key.Name(), domain, "nobody asks DNS for it", in.keep(want.org, nil, []string{domain}))
		}
	}
	return nil
}

// keep repairs what an organization has of its domains.
func (in *inspection) keep(org string, before, after []string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return tx.KeepEmailDomains(org, "", before, after)
		})
	}
}
