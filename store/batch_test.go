package store_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

func TestBatchReadsIntoTargets(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		put(t, s, "o_1", store.TeamKey("o_1", "t_1"), `{"id":"t_1"}`)
		gone, missing := map[string]string{"u_1": "before"}, "before"
		batch := s.Pipeline()
		batch.HashAll(store.SeenKey("o_1")).Into(&gone)
		batch.Field(store.HeadsKey("o_1"), "s_1").Into(&missing)
		do(t, batch)
		if missing != "before" || gone["u_1"] != "before" {
			t.Errorf("read %q and %v of what is not there", missing, gone)
		}
	})
}

func TestBatchSaysWhichRecordIsCorrupt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s *store.Store) {
		good, damaged := store.TeamKey("o_1", "t_1"), store.TeamKey("o_1", "t_3")
		put(t, s, "o_1", good, `{"id":"t_1"}`)
		if err := s.Client.Set(t.Context(), store.Name(s, damaged), "x", 0).Err(); err != nil {
			t.Fatal(err)
		}
		batch := s.Pipeline()
		bad, fine := batch.Record(damaged), batch.Record(good)
		_, _, err := bad.Get()
		wantError(t, err, redis.ErrMisuse)
		do(t, batch)
		_, _, err = bad.Get()
		wantError(t, err, redis.ErrCorrupt)
		if record := get(t, fine); string(record.Public) != `{"id":"t_1"}` {
			t.Errorf("read %+v beside it", record)
		}
	})
}
