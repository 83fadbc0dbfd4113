package txn_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func TestBatchKeepsTargetsOfAbsentKeys(t *testing.T) {
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

// TestBatchReadsObjectFromOutbox checks that an object of a commit that the master of its space has lost is read from the
// outbox; one that is in neither is missing.
func TestBatchReadsObjectFromOutbox(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		s.AlwaysUseOutbox = true
		inOutbox := objects.NewBlob([]byte("in the outbox"))
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			tx.Objects(e.Space, inOutbox)
			return nil
		})
		for _, hash := range []string{inOutbox.Hash, e.Text.Hash} {
			first, _ := objects.FirstByte(hash)
			if err := s.DropObjects(t.Context(), e.Space, s.Name(txn.ObjectKey(e.Space, first)), []string{hash}); err != nil {
				t.Fatal(err)
			}
		}
		s.ForgetContent(e.Space)
		batch := s.NewBatch()
		found, lost := batch.Object(e.Space, inOutbox.Hash), batch.Object(e.Space, e.Text.Hash)
		storetest.Do(t, batch)
		if payload := storetest.Get(t, found); string(payload) != "in the outbox" {
			t.Errorf("read %q", payload)
		}
		_, _, err := lost.Get()
		storetest.WantError(t, err, objects.ErrMissing)
	})
}

// The error of an object that cannot be read names the object, and tells a lost object that was given up from one that is
// missing or damaged: a repair and the responses depend on it.
func TestBatchIdentifiesUnreadableObject(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stored []byte // nil = nothing
		cause  error
		lost   bool
	}{
		"missing":  {nil, objects.ErrMissing, false},
		"damaged":  {[]byte("\x00bother text"), redis.ErrCorrupt, false},
		"given up": {objects.Placeholder{}.Bytes(), objects.ErrMissing, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				e := storetest.NewFixture(t, s)
				first, _ := objects.FirstByte(e.Text.Hash)
				key := s.Name(txn.ObjectKey(e.Space, first))
				err := s.DropObjects(t.Context(), e.Space, key, []string{e.Text.Hash})
				if err == nil && c.stored != nil {
					err = s.Client.HSet(t.Context(), key, e.Text.Hash, c.stored).Err()
				}
				if err != nil {
					t.Fatal(err)
				}
				s.ForgetContent(e.Space)
				batch := s.NewBatch()
				future := batch.Object(e.Space, e.Text.Hash)
				storetest.Do(t, batch)
				_, _, err = future.Get()
				storetest.WantError(t, err, c.cause)
				u, ok := objects.AsUnreadable(err)
				if !ok || u.Space != e.Space || u.Hash != e.Text.Hash || objects.IsLost(err) != c.lost {
					t.Errorf("the error is %#v", err)
				}
			})
		})
	}
}
