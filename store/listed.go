package store

import (
	"slices"

	"docspace.dev/wsd/store/redis"
)

// RequireListed adds an index to the read set, with the records of its members. It returns ErrStale if the index has
// changed since listed was read from it, before or during the transaction. A member whose record was lost is no change.
func (tx *Tx) RequireListed(index redis.Key, listed []string, record func(member string) redis.Key) error {
	size, err := tx.Cardinality(index)
	if err != nil {
		return err
	}
	if size != int64(len(listed)) {
		return redis.ErrStale
	}
	keys := make([]redis.Key, len(listed))
	for i, member := range listed {
		keys[i] = record(member)
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for _, key := range keys {
		if _, ok, err := tx.Record(key); err != nil {
			return err
		} else if !ok {
			return tx.requireUnchanged(index, listed)
		}
	}
	return nil
}

// requireUnchanged adds an index to the read set and returns ErrStale unless its members are as listed.
func (tx *Tx) requireUnchanged(index redis.Key, listed []string) error {
	now, err := tx.ReadOrder(index)
	if err == nil && !slices.Equal(now, listed) {
		err = redis.ErrStale
	}
	return err
}
