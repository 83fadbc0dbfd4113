package txn_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func TestUpdateWritesEveryStructure(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		org, space := "o_1", "s_1"
		storetest.Update(t, s, org, func(tx *store.Tx) error {
			if _, ok, err := tx.Record(store.SpaceKey(org, space)); err != nil || ok {
				return fmt.Errorf("found %v: %w", ok, err)
			}
			tx.Put(store.SpaceKey(org, space), []byte(`{"p":1}`), []byte(`{"a":[],"b":9007199254740993}`))
			tx.SetField(store.HeadsKey(org), space, "head 1")
			tx.Add(store.IndexKey(org, "cm", space), "c_2")
			tx.Add(store.IndexKey(org, "cm", space), "c_1")
			tx.Schedule(org, "job", time.Hour)
			tx.SetAdd(postings.StaleKey(org), "t_1")
			tx.Counts(space, store.IndexKey(org, "cm", space), postings.StaleKey(org))
			tx.Event(map[string]string{"type": "space_created", "space": space})
			return nil
		})
		batch := s.NewBatch()
		found := batch.Record(store.SpaceKey(org, space))
		heads := batch.HashAll(store.HeadsKey(org))
		counts := batch.Field(txn.CountsKey(org), space)
		index := batch.Range(store.IndexKey(org, "cm", space), "", 10, false)
		due := batch.Due(txn.DueKey(org), time.Now().Add(time.Hour+time.Minute), 10)
		early := batch.Due(txn.DueKey(org), time.Now().Add(time.Hour-time.Minute), 10)
		teams := batch.Members(postings.StaleKey(org))
		storetest.Do(t, batch)
		want := txn.Record{Version: 1, Schema: 1, Private: []byte(`{"p":1}`), Public: []byte(`{"a":[],"b":9007199254740993}`)}
		if diff := cmp.Diff(want, storetest.Get(t, found)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{space: "head 1"}, heads.Value()); diff != "" {
			t.Error(diff)
		}
		if got := counts.Value(); got != "2 1" {
			t.Errorf("counts %q", got)
		}
		if diff := cmp.Diff([]string{"c_1", "c_2"}, index.Value()); diff != "" {
			t.Error(diff)
		}
		if len(due.Value()) != 1 || len(early.Value()) != 0 || len(teams.Value()) != 1 {
			t.Errorf("due %v, early %v, teams %v", due.Value(), early.Value(), teams.Value())
		}
	})
}

func TestUpdateSeesItsOwnWrites(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		org, key := "o_1", store.SpaceKey("o_1", "s_1")
		storetest.Put(t, s, org, key, `{"n":1}`)
		storetest.Update(t, s, org, func(tx *store.Tx) error {
			if _, _, err := tx.Record(key); err != nil {
				return err
			}
			tx.Put(key, nil, []byte(`{"n":2}`))
			if got, ok, err := tx.Record(key); err != nil || !ok || got.Version != 2 || string(got.Public) != `{"n":2}` {
				t.Errorf("after Put: %v %v %v", got, ok, err)
			}
			tx.SetField(store.HeadsKey(org), "s_1", "x")
			if got, ok, err := tx.Field(store.HeadsKey(org), "s_1"); err != nil || !ok || got != "x" {
				t.Errorf("after SetField: %q %v %v", got, ok, err)
			}
			tx.Delete(key)
			if _, ok, err := tx.Record(key); err != nil || ok {
				t.Errorf("after Delete: %v %v", ok, err)
			}
			return nil
		})
		if _, ok := storetest.Record(t, s, key); ok {
			t.Error("the record is still there")
		}
	})
}

func TestDryRunWritesNothing(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		org := "o_1"
		storetest.Put(t, s, org, store.OrganizationKey(org), `{}`)
		before := storetest.Dump(t, s)
		options := txn.UpdateOptions{DryRun: true, Idempotency: &txn.Idempotency{Key: "k", Save: true}}
		err := s.Update(t.Context(), store.Organization(org), options, func(tx *store.Tx) error {
			if _, _, err := tx.Record(store.SpaceKey(org, "s_1")); err != nil {
				return err
			}
			tx.Put(store.SpaceKey(org, "s_1"), nil, []byte(`{}`))
			tx.SetAccess("s_1", []byte(`{}`))
			tx.Event(map[string]string{"type": "x"})
			tx.Objects("s_1", objects.NewBlob([]byte("text")))
			tx.Claim(store.EmailKey("a@example.org"), "u_1")
			tx.AddToSupersetBeforeCommit(store.UserOrganizationsKey("u_1"), org)
			tx.Answer(txn.Answer{Status: 201})
			if !tx.DryRun() {
				t.Error("DryRun is false in a dry run")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, storetest.Dump(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestFailedClosureWritesNothing(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		before, cause := storetest.Dump(t, s), errors.New("refused")
		err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.SetField(store.HeadsKey("o_1"), "s_1", "x")
			tx.Objects("s_1", objects.NewBlob([]byte("text")))
			return cause
		})
		storetest.WantError(t, err, cause)
		if diff := cmp.Diff(before, storetest.Dump(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestUpdateLimits(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		before := storetest.Dump(t, s)
		write := func(keys, size int) error {
			return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				for i := range keys {
					tx.Add(store.IndexKey("o_1", "cm", fmt.Sprint("s_", i)), "c_1")
				}
				tx.SetField(txn.GCEpochsKey("o_1"), "s_1", strings.Repeat("x", size))
				return nil
			})
		}
		storetest.WantError(t, write(txn.MaxKeys-1, 1), txn.ErrTooLarge) // the field and the operation key exceed the limit
		storetest.WantError(t, write(5, 5<<20), txn.ErrTooLarge)
		if diff := cmp.Diff(before, storetest.Dump(t, s)); diff != "" {
			t.Error(diff)
		}
		if err := write(txn.MaxKeys-2, 1); err != nil {
			t.Errorf("at the limit: %v", err)
		}
		if err := write(3, 1<<20); err != nil {
			t.Errorf("at the limit: %v", err)
		}
	})
}

func TestUpdateRejectsMisuse(t *testing.T) {
	t.Parallel()
	org, space := "o_1", store.SpaceKey("o_1", "s_1")
	cases := map[string]func(tx *store.Tx) error{
		"put without a read":    func(tx *store.Tx) error { tx.Put(space, nil, nil); return nil },
		"delete without a read": func(tx *store.Tx) error { tx.Delete(space); return nil },
		"line feed": func(tx *store.Tx) error {
			_, _, err := tx.Record(space)
			tx.Put(space, nil, []byte("a\nb"))
			return err
		},
		"read of another shard":  func(tx *store.Tx) error { _, _, err := tx.Record(store.SpaceKey("o_2", "s_1")); return err },
		"write to another shard": func(tx *store.Tx) error { tx.SetField(store.HeadsKey("o_2"), "a", "b"); return nil },
		"wrong kind":             func(tx *store.Tx) error { tx.SetAdd(store.HeadsKey(org), "a"); return nil },
		"forged key":             func(tx *store.Tx) error { tx.Add(store.ChildrenKey(org, "x}:y"), "a"); return nil },
		"empty member":           func(tx *store.Tx) error { tx.Add(store.ChildrenKey(org, "x"), ""); return nil },
		"empty event":            func(tx *store.Tx) error { tx.Event(nil); return nil },
		"two order keys": func(tx *store.Tx) error {
			_, err := tx.OrderKey(store.ChildrenKey(org, "x"), txn.Position{})
			if err == nil {
				_, err = tx.OrderKey(store.ChildrenKey(org, "x"), txn.Position{})
			}
			return err
		},
		"hash without field": func(tx *store.Tx) error { return tx.Prefetch(store.HeadsKey(org)) },
	}
	for name, fn := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				before := storetest.Dump(t, s)
				err := s.Update(t.Context(), store.Organization(org), txn.UpdateOptions{}, fn)
				storetest.WantError(t, err, redis.ErrMisuse)
				if diff := cmp.Diff(before, storetest.Dump(t, s)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestInvalidIDsReadAsAbsent(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
		for _, id := range []string{"", "s_1:x", "{s_1}", "s 1", "é", strings.Repeat("x", 129)} {
			if _, ok := storetest.Record(t, s, store.SpaceKey("o_1", id)); ok {
				t.Errorf("%q is there", id)
			}
			if _, ok := storetest.Record(t, s, store.SpaceKey(id, "s_1")); ok {
				t.Errorf("%q is there", id)
			}
		}
	})
}

func TestClaimIsExclusive(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		email := store.EmailKey("a@example.org")
		dry := false
		take := func(user string, fail error) error {
			return s.Update(t.Context(), store.User(user), txn.UpdateOptions{DryRun: dry}, func(tx *store.Tx) error {
				if _, _, err := tx.Record(store.UserKey(user)); err != nil {
					return err
				}
				tx.Claim(email, user)
				tx.Put(store.UserKey(user), nil, []byte(`{}`))
				return fail
			})
		}
		if err := take("u_1", nil); err != nil {
			t.Fatal(err)
		}
		dry = true
		storetest.WantError(t, take("u_2", nil), txn.ErrExists)
		for _, dry = range []bool{true, false} {
			if err := take("u_1", nil); err != nil {
				t.Errorf("the holder again, dry %v: %v", dry, err)
			}
		}
		err := take("u_2", nil)
		storetest.WantError(t, err, txn.ErrExists)
		var claimed *txn.ClaimedError
		if !errors.As(err, &claimed) || claimed.Owner != "u_1" {
			t.Errorf("claimed by %+v", claimed)
		}
		claim, ok, err := s.Claim(t.Context(), email)
		if err != nil || !ok || claim.Owner != "u_1" {
			t.Fatalf("claim %+v %v %v", claim, ok, err)
		}
		if err := s.Unclaim(t.Context(), email, claim); err != nil {
			t.Fatal(err)
		}
		if err := take("u_2", nil); err != nil {
			t.Errorf("after it was given up: %v", err)
		}
		if err := s.Unclaim(t.Context(), email, claim); err != nil {
			t.Fatal(err)
		}
		if claim, ok, _ := s.Claim(t.Context(), email); !ok || claim.Owner != "u_2" {
			t.Errorf("an old claim gave up a new one: %+v %v", claim, ok)
		}
	})
}

// TestRetriedUpdateKeepsOwnClaim checks that the closure, which runs twice and makes a new identifier each time, does not fail
// the second time because of its own first claim.
func TestRetriedUpdateKeepsOwnClaim(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		email, last, runs := store.EmailKey("a@example.org"), "", 0
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			if _, _, err := tx.Field(txn.GCEpochsKey("o_1"), "x"); err != nil {
				return err
			}
			last = tx.NewID("u_")
			tx.Claim(email, last)
			tx.SetField(txn.GCEpochsKey("o_1"), last, "{}")
			if runs++; runs == 1 {
				storetest.Update(t, s, "o_1", func(other *store.Tx) error { other.SetField(txn.GCEpochsKey("o_1"), "x", "1"); return nil })
			}
			return nil
		})
		claim, ok, err := s.Claim(t.Context(), email)
		if err != nil || !ok || claim.Owner != last || runs != 2 {
			t.Errorf("claim of %q, last is %q, %d runs, %v", claim.Owner, last, runs, err)
		}
	})
}

// canceledContext returns a canceled context.
func canceledContext(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestUpdateAfterCancel(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		err := s.Update(canceledContext(t), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			_, _, err := tx.Record(store.SpaceKey("o_1", "s_1"))
			return err
		})
		if err == nil {
			t.Error("no error")
		}
	})
}

// TestSupersetMemberPrecedesCommit checks that a member of another shard's index exists before the commit it refers to, remains
// if that commit fails, and is removed afterwards.
func TestSupersetMemberPrecedesCommit(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		index := store.UserOrganizationsKey("u_1")
		members := func() []string {
			batch := s.NewBatch()
			found := batch.Range(index, "", 10, false)
			storetest.Do(t, batch)
			return found.Value()
		}
		for _, org := range []string{"o_2", "o_1"} {
			storetest.Update(t, s, org, func(tx *store.Tx) error {
				tx.AddToSupersetBeforeCommit(index, org)
				tx.SetField(txn.GCEpochsKey(org), "u_1", "{}")
				return nil
			})
		}
		if diff := cmp.Diff([]string{"o_1", "o_2"}, members()); diff != "" {
			t.Error(diff)
		}
		if err := s.RemoveFromSuperset(t.Context(), index, "o_1"); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"o_2"}, members()); diff != "" {
			t.Error(diff)
		}
		storetest.WantError(t, s.RemoveFromSuperset(t.Context(), store.HeadsKey("o_1"), "x"), redis.ErrMisuse)
		storetest.WantError(t, s.Touch(t.Context(), store.HeadsKey("o_1"), "x"), redis.ErrMisuse)
		err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			tx.AddToSupersetBeforeCommit(store.ChildrenKey("o_1", store.Root), "x") // an index of the same shard
			return nil
		})
		storetest.WantError(t, err, redis.ErrMisuse)
	})
}
