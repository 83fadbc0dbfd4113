package txn_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

func TestBatchReadsIntoTargets(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		storetest.Put(t, s, "o_1", store.TeamKey("o_1", "t_1"), `{"id":"t_1"}`)
		gone, missing := map[string]string{"u_1": "before"}, "before"
		batch := s.NewBatch()
		batch.HashAll(store.SeenKey("o_1")).Into(&gone)
		batch.Field(store.HeadsKey("o_1"), "s_1").Into(&missing)
		storetest.Do(t, batch)
		if missing != "before" || gone["u_1"] != "before" {
			t.Errorf("read %q and %v of absent keys", missing, gone)
		}
	})
}

func TestBatchReportsCorruptRecord(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		good, damaged := store.TeamKey("o_1", "t_1"), store.TeamKey("o_1", "t_3")
		storetest.Put(t, s, "o_1", good, `{"id":"t_1"}`)
		if err := s.Client.Set(t.Context(), s.Name(damaged), "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		batch := s.NewBatch()
		bad, fine := batch.Record(damaged), batch.Record(good)
		_, _, err := bad.Get()
		storetest.WantError(t, err, redis.ErrMisuse)
		storetest.Do(t, batch)
		_, _, err = bad.Get()
		storetest.WantError(t, err, redis.ErrCorrupt)
		if record := storetest.Get(t, fine); string(record.Public) != `{"id":"t_1"}` {
			t.Errorf("read %+v of the intact record", record)
		}
	})
}
