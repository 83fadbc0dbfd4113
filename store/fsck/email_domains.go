package fsck

import (
	"context"
	"slices"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// checkDomains checks the e-mail domains of an organization: each stored value belongs to one of its domains and has a
// scheduled DNS check. A domain without a value was stored by an earlier build and gets its value when wsd serves.
func (in *pass) checkDomains(ctx context.Context, want *expectation) error {
	key := store.EmailDomainsKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil || len(have) == 0 {
		return err
	}
	b := in.store.NewBatch()
	due := b.Range(txn.DueKey(want.org), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return err
	}
	for domain, text := range have {
		_, err := store.DecodeEmailDomain(text)
		switch {
		case !slices.Contains(want.domains, domain):
			in.add(key.Name(), domain, "is no domain of the organization", in.repairDomains(want.org, []string{domain}, nil))
		case err != nil:
			in.add(key.Name(), domain, err.Error(), nil)
		case !slices.Contains(due.Value(), store.EmailDomainJob(domain)):
			in.add(key.Name(), domain, "nobody asks DNS for it", in.repairDomains(want.org, nil, []string{domain}))
		}
	}
	return nil
}

// repairDomains returns a repair that changes the stored data of an organization's e-mail domains from the domains before to
// the domains after.
func (in *pass) repairDomains(org string, before, after []string) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return tx.UpdateEmailDomains(org, "", before, after)
		})
	}
}
