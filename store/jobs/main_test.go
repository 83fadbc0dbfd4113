package jobs_test

import (
	"errors"
	"os"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// suite is the engines of this test binary; set once, before any test.
var suite *storetest.Suite

func TestMain(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		suite = s
		return m.Run()
	}, storetest.OnCluster))
}

// update runs a transaction that has to succeed.
func update(t *testing.T, s *store.Store, org string, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// wantError fails the test unless err is target.
func wantError(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error %v, want %v", err, target)
	}
}
