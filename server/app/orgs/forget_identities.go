package orgs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// identityBatch is the number of identities that one transaction removes.
const identityBatch = 50

// ForgetIdentities is the job that removes the identities of a deleted provider. Nobody signs in by them any more.
func (s *Service) ForgetIdentities(ctx context.Context, lease store.Lease) error {
	org, provider := lease.Organization, lease.Arg
	for {
		b := s.Store.NewBatch()
		index := b.Range(store.IdentitiesKey(org, provider), "", identityBatch, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read the identities of provider %s: %w", provider, err)
		}
		ids := index.Value()
		err := s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range ids {
				if err := unlinkIdentity(tx, org, provider, id); err != nil {
					return err
				}
			}
			if len(ids) < identityBatch {
				return lease.Finish(tx.Tx)
			}
			return lease.Require(tx.Tx)
		})
		if err != nil || len(ids) < identityBatch {
			return err
		}
	}
}

// unlinkIdentity removes an identity of a provider, and from its member.
func unlinkIdentity(tx *store.Tx, org, provider, id string) error {
	d, err := tx.Identity(org, id)
	if err != nil {
		return err
	}
	if d.Version == 0 { // an index that lists it all the same
		d.Fields.ID, d.Fields.Provider = id, provider
	}
	tx.DeleteIdentity(org, d)
	if d.Private.User == "" {
		return nil
	}
	return removeIdentityOf(tx, org, d.Private.User, id)
}
