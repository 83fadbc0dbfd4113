package storetest

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// EachStore runs a test on every engine with its own store.
func (s *Suite) EachStore(t *testing.T, test func(t *testing.T, s *store.Store)) {
	t.Helper()
	s.Each(t, func(t *testing.T, engine Engine) { test(t, engine.Open(t)) })
}

// Update runs a transaction of an organization and fails the test on an error.
func Update(t *testing.T, s *store.Store, org string, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// Put writes a record in a separate transaction.
func Put(t *testing.T, s *store.Store, org string, key redis.Key, public string) {
	t.Helper()
	Update(t, s, org, func(tx *store.Tx) error {
		if _, _, err := tx.Record(key); err != nil {
			return err
		}
		tx.Put(key, []byte(`{}`), []byte(public))
		return nil
	})
}

// Record reads a record outside a transaction.
func Record(t *testing.T, s *store.Store, key redis.Key) (txn.Record, bool) {
	t.Helper()
	batch := s.NewBatch()
	future := batch.Record(key)
	Do(t, batch)
	found, ok, err := future.Get()
	if err != nil {
		t.Fatalf("record %s: %v", key, err)
	}
	return found, ok
}

// Do sends a batch and fails the test on an error.
func Do(t *testing.T, batch *txn.Batch) {
	t.Helper()
	if err := batch.Do(t.Context()); err != nil {
		t.Fatalf("batch: %v", err)
	}
}

// Get returns the value of a future and fails the test if there is none.
func Get[T any](t *testing.T, future *txn.Future[T]) T {
	t.Helper()
	value, _, err := future.Get()
	if err != nil {
		t.Fatalf("future: %v", err)
	}
	return value
}

// WantError fails the test unless err is target.
func WantError(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error %v, want %v", err, target)
	}
}

// Fsck runs fsck.
func Fsck(t *testing.T, s *store.Store, options fsck.Options) fsck.Report {
	t.Helper()
	report, err := fsck.Run(t.Context(), s, options)
	if err != nil {
		t.Fatalf("fsck: %v", err)
	}
	return report
}

// HasFinding reports whether a report contains a problem.
func HasFinding(report fsck.Report, problem string) bool {
	return slices.ContainsFunc(report.Findings, func(f fsck.Finding) bool { return strings.Contains(f.Problem, problem) })
}
