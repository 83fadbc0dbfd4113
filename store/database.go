package store

import (
	"context"
	"strings"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Tx is one run of an Update's closure: a txn.Tx with the methods of the resources.
type Tx struct {
	*txn.Tx

	store *Store
}

// Update runs fn and commits its writes with one script if nothing that fn read has changed; otherwise it runs fn again: see
// txn.Store.Update.
func (s *Store) Update(ctx context.Context, shard redis.Shard, options txn.UpdateOptions, fn func(tx *Tx) error) error {
	return s.Store.Update(ctx, shard, options, func(tx *txn.Tx) error { return fn(&Tx{tx, s}) })
}

// Put writes a record, which tx must have read: see txn.Tx.Put. The record of a new organization also adds it to the registry.
func (tx *Tx) Put(key redis.Key, private, public []byte) {
	if !tx.Tx.Put(key, private, public) {
		return
	}
	org := strings.Trim(key.Tag(), "{}")
	if key == OrganizationKey(org) {
		tx.AddToSupersetBeforeCommit(RegistryKey(org), org)
	}
}

// Deliver empties the outbox of an organization, or only the entries of the given spaces, as txn.Store.DeliverOutbox does.
// authorize, if not nil, is called in each transaction; its error ends the delivery.
func (s *Store) Deliver(ctx context.Context, org string, authorize func(tx *Tx) error, spaces ...string) error {
	return s.DeliverOutbox(ctx, org, func(tx *txn.Tx) error {
		if authorize == nil {
			return nil
		}
		return authorize(&Tx{tx, s})
	}, spaces...)
}

// spaceLocator implements txn.SpaceLocator for transferred spaces.
type spaceLocator struct{}

// LocationKey returns the key of the record that contains the current organization of a space.
func (spaceLocator) LocationKey(home, space string) redis.Key { return MovedKey(home, space) }

// Owner returns the organization in a record read from the LocationKey of a space.
func (spaceLocator) Owner(pointer txn.Record) (org string, err error) {
	var d MovedDocument
	err = d.Decode(pointer)
	return d.Fields.Organization, err
}
