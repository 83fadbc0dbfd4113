package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// secretBatch is the number of records that eachSecretRecord reads in a round trip.
const secretBatch = 200

// storedRecord is a stored record of a secretPlace.
type storedRecord struct {
	secretPlace

	name   string // of the key
	org    string // "" for integrations
	record secretRecord
}

func (r storedRecord) key() redis.Key { return redis.NamedKey(redis.RecordKind, r.name) }

// shard returns the shard of the record.
func (r storedRecord) shard() redis.Shard {
	if r.org == "" {
		return store.Integrations()
	}
	return store.Organization(r.org)
}

// newStoredRecord returns the record with the name of a key, not yet read. ok is false if it is of no secretPlace.
func newStoredRecord(name string) (r storedRecord, ok bool) {
	tag, rest, _ := strings.Cut(strings.TrimPrefix(name, "{"), "}:")
	kind, _, _ := strings.Cut(rest, ":")
	i := slices.IndexFunc(secretPlaces, func(p secretPlace) bool { return p.kind == kind })
	inOrganization := strings.HasPrefix(tag, txn.OrganizationPrefix)
	if i < 0 || !inOrganization && tag != store.IntegrationContent {
		return r, false
	}
	r = storedRecord{secretPlace: secretPlaces[i], name: name}
	if r.record = r.secretPlace.record(); inOrganization {
		r.org = tag
	}
	return r, true
}

// eachSecretRecord calls visit for every record of a secretPlace. It visits every key. Records that cannot be decoded are left
// out: fsck reports them.
func eachSecretRecord(ctx context.Context, s *store.Store, visit func(r storedRecord) error) error {
	names, err := s.Scan(ctx)
	if err != nil {
		return err
	}
	var records []storedRecord
	for _, name := range names {
		if r, ok := newStoredRecord(name); ok {
			records = append(records, r)
		}
	}
	for batch := range slices.Chunk(records, secretBatch) {
		b := s.NewBatch()
		futures := make([]*txn.Future[txn.Record], len(batch))
		for i, r := range batch {
			futures[i] = b.Record(r.key())
		}
		if err := b.Do(ctx); err != nil {
			return err
		}
		for i, r := range batch {
			record, ok, err := futures[i].Get()
			if err != nil || !ok || r.record.Decode(record) != nil {
				continue // deleted in the meantime, or reported by fsck
			}
			if err := visit(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// update reads the record of r again and writes it if change reports that it changed it. change may be called more than once.
func (r storedRecord) update(ctx context.Context, s *store.Store, change func(record secretRecord) bool) error {
	err := s.Update(ctx, r.shard(), txn.UpdateOptions{}, func(tx *store.Tx) error {
		stored, ok, err := tx.Record(r.key())
		if err != nil || !ok {
			return err
		}
		record := r.secretPlace.record()
		if err := record.Decode(stored); err != nil || !change(record) {
			return err
		}
		return record.put(tx, r.org)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", r.name, err)
	}
	return nil
}
