package store_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// suite is the engines of this test binary; set once, before any test.
var suite *storetest.Suite

func TestMain(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		suite = s
		return m.Run()
	}, storetest.OnCluster, storetest.OnSentinel))
}

// each runs a test on every engine with a store of its own.
func each(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) { test(t, engine.Open(t)) })
}

// update runs a transaction that has to succeed.
func update(t *testing.T, s *store.Store, org string, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// put writes a record in a transaction of its own.
func put(t *testing.T, s *store.Store, org string, key redis.Key, public string) {
	t.Helper()
	update(t, s, org, func(tx *store.Tx) error {
		if _, _, err := tx.Record(key); err != nil {
			return err
		}
		tx.Put(key, []byte(`{}`), []byte(public))
		return nil
	})
}

// record reads a record outside a transaction.
func record(t *testing.T, s *store.Store, key redis.Key) (txn.Record, bool) {
	t.Helper()
	batch := s.Pipeline()
	future := batch.Record(key)
	do(t, batch)
	found, ok, err := future.Get()
	if err != nil {
		t.Fatalf("record %s: %v", key, err)
	}
	return found, ok
}

// do makes a batch's trip.
func do(t *testing.T, batch *txn.Batch) {
	t.Helper()
	if err := batch.Do(t.Context()); err != nil {
		t.Fatalf("batch: %v", err)
	}
}

// get returns the value of a future.
func get[T any](t *testing.T, future *txn.Future[T]) T {
	t.Helper()
	value, _, err := future.Get()
	if err != nil {
		t.Fatalf("future: %v", err)
	}
	return value
}

// wantError fails the test unless err is target.
func wantError(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error %v, want %v", err, target)
	}
}

// canceled is a context that is over.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

// ctx is the context of what tests do behind the store's back.
func ctx() context.Context { return context.Background() }
