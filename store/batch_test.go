package store_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

func TestBatchDecodesIntoTargets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		good, gone, damaged := store.TeamKey("o_1", "t_1"), store.TeamKey("o_1", "t_2"), store.TeamKey("o_1", "t_3")
		put(t, s, "o_1", good, `{"id":"t_1"}`)
		var found, missing txn.Record
		missing.Version = 7
		batch := s.Pipeline()
		batch.Record(good).Into(&found)
		batch.Record(gone).Into(&missing)
		do(t, batch)
		if string(found.Public) != `{"id":"t_1"}` || missing.Version != 7 {
			t.Errorf("read %+v, and %+v of what is not there", found, missing)
		}
		if err := s.Client.Set(t.Context(), store.Name(s, damaged), "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		batch = s.Pipeline()
		batch.Record(damaged).Into(&missing)
		batch.Record(good).Into(&found)
		wantError(t, batch.Do(t.Context()), redis.ErrCorrupt)
	})
}
