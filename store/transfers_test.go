package store_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestArrivalOfLostEntryIsStale checks that an entry whose adopted records were lost in a failover does not arrive: the
// transfer copies it again instead of removing the original.
func TestLostEntryMakesArrivalStale(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		before := storetest.Dump(t, s)
		for _, prefix := range []string{txn.SpacePrefix, txn.CollectionPrefix} {
			id := s.NewID(txn.HomePrefix(prefix, e.Org))
			err := s.Update(t.Context(), store.Organization(e.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
				return store.ArriveEntry(tx, e.Org, id)
			})
			storetest.WantError(t, err, redis.ErrStale)
		}
		for name, value := range storetest.Dump(t, s) {
			if before[name] != value {
				t.Errorf("%s has changed from %q to %q", name, before[name], value)
			}
		}
	})
}
