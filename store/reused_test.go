package store_test

import (
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// reusedRecord is a kind of record whose key may be used again after the record was deleted.
type reusedRecord struct {
	shard  redis.Shard
	put    func(tx *store.Tx) (int64, error) // creates or changes the record and returns its version
	remove func(tx *store.Tx) error
}

func reusedRecords(org string) map[string]reusedRecord {
	const slug, name, user, installation, space = "pets", "linter", "u_00000000000001", "inst_00000000000001", "s_00000000000001"
	return map[string]reusedRecord{
		"specification": {store.Organization(org), func(tx *store.Tx) (int64, error) {
			d, err := tx.OpenAPISpec(org, slug)
			if err != nil {
				return 0, err
			}
			if d.Version == 0 {
				d.Fields = api.OpenAPISpecFields{ID: tx.NewID(store.OpenAPISpecPrefix), Slug: slug, ProcessingState: api.ProcessingPending}
			}
			r, err := tx.PutOpenAPISpec(org, d)
			return r.Version, err
		}, func(tx *store.Tx) error {
			d, err := tx.OpenAPISpec(org, slug)
			tx.DeleteOpenAPISpec(org, d)
			return err
		}},
		"member": {store.Organization(org), func(tx *store.Tx) (int64, error) {
			m, err := tx.Member(org, user)
			if err != nil {
				return 0, err
			}
			m.Private.User.ID = user
			r, err := tx.PutMember(org, m)
			return r.Version, err
		}, func(tx *store.Tx) error {
			_, err := tx.Member(org, user)
			tx.Delete(store.MemberKey(org, user))
			return err
		}},
		"integration": {store.Integrations(), func(tx *store.Tx) (int64, error) {
			d, err := tx.Integration(name)
			if err != nil {
				return 0, err
			}
			d.Fields.Name, d.Private.Organization = name, org
			r, err := tx.PutIntegration(d)
			return r.Version, err
		}, func(tx *store.Tx) error {
			_, err := tx.Integration(name)
			tx.Delete(store.IntegrationKey(name))
			return err
		}},
		"installation on a space": {store.Integrations(), func(tx *store.Tx) (int64, error) {
			d, err := tx.Installed(installation, space)
			if err != nil {
				return 0, err
			}
			d.Private.Installation, d.Private.Content = installation, space
			r, err := tx.PutInstalled(d)
			return r.Version, err
		}, func(tx *store.Tx) error {
			_, err := tx.Installed(installation, space)
			tx.Delete(store.InstalledKey(installation, space))
			return err
		}},
	}
}

// TestRecreatedRecordIsNotTakenForDeletedOne checks that a transaction that read a record runs again if the record was deleted and
// created again since, and that each write increases the version by one.
func TestRecreatedRecordIsNotTakenForDeletedOne(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		for name, kind := range reusedRecords(e.Org) {
			update := func(fn func(tx *store.Tx) error) {
				t.Helper()
				if err := s.Update(t.Context(), kind.shard, txn.UpdateOptions{}, fn); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
			}
			put := func(tx *store.Tx) error { _, err := kind.put(tx); return err }
			var first, second int64
			update(func(tx *store.Tx) (err error) { first, err = kind.put(tx); return err })
			runs := 0
			update(func(tx *store.Tx) (err error) {
				second, err = kind.put(tx)
				if runs++; runs == 1 {
					if second != first+1 {
						t.Errorf("%s: version %d after %d", name, second, first)
					}
					update(kind.remove)
					update(put)
				}
				return err
			})
			if runs != 2 {
				t.Errorf("%s: the closure ran %d times, want 2", name, runs)
			}
		}
	})
}
