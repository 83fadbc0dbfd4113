package txn_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
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
			tx.SetAdd(store.TermKey(org, "t1"), "t_1")
			tx.Counts(space, store.IndexKey(org, "cm", space), store.TermKey(org, "t1"))
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
		teams := batch.Members(store.TermKey(org, "t1"))
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

func TestUpdateLosesNoIncrement(t *testing.T) {
	t.Parallel()
	for _, lock := range []bool{false, true} {
		t.Run(fmt.Sprintf("lock=%v", lock), func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				const writers, rounds = 16, 10
				key := store.SpaceKey("o_1", "s_1")
				options := txn.UpdateOptions{Prefetch: []redis.Key{key}}
				if lock {
					options.Lock = []redis.Key{key}
				}
				var group sync.WaitGroup
				for range writers {
					group.Go(func() {
						for range rounds {
							if err := increment(t, s, key, options); err != nil {
								t.Error(err)
							}
						}
					})
				}
				group.Wait()
				got, _ := storetest.Record(t, s, key)
				if string(got.Public) != strconv.Itoa(writers*rounds) || got.Version != writers*rounds {
					t.Errorf("%s at version %d after %d increments", got.Public, got.Version, writers*rounds)
				}
			})
		})
	}
}

// increment reads a number and writes it plus one.
func increment(t *testing.T, s *store.Store, key redis.Key, options txn.UpdateOptions) error {
	return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
		old, ok, err := tx.Record(key)
		if err != nil {
			return err
		}
		n := 0
		if ok {
			if n, err = strconv.Atoi(string(old.Public)); err != nil {
				return err
			}
		}
		tx.Put(key, nil, []byte(strconv.Itoa(n+1)))
		return nil
	})
}

// TestUpdateRetriesOnConflict changes each kind of read between the closure's read and its commit: the closure must run twice
// and see the change.
func TestUpdateRetriesOnConflict(t *testing.T) {
	t.Parallel()
	org := "o_1"
	index, set, children := store.IndexKey(org, "cm", "s_1"), store.TermKey(org, "t1"), store.ChildrenKey(org, store.Root)
	cases := map[string]struct {
		read   func(tx *store.Tx) (string, error)
		change func(tx *store.Tx)
	}{
		"record appears": {
			func(tx *store.Tx) (string, error) {
				_, ok, err := tx.Record(store.SpaceKey(org, "s_1"))
				return fmt.Sprint(ok), err
			},
			func(tx *store.Tx) {
				_, _, _ = tx.Record(store.SpaceKey(org, "s_1"))
				tx.Put(store.SpaceKey(org, "s_1"), nil, nil)
			},
		},
		"field appears": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "s_1"); return v, err },
			func(tx *store.Tx) { tx.SetField(store.HeadsKey(org), "s_1", "new") },
		},
		"field changes": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "old"); return v, err },
			func(tx *store.Tx) { tx.SetField(store.HeadsKey(org), "old", "new") },
		},
		"field goes": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "old"); return v, err },
			func(tx *store.Tx) { tx.DeleteField(store.HeadsKey(org), "old") },
		},
		"order grows": {
			func(tx *store.Tx) (string, error) { n, err := tx.Cardinality(index); return fmt.Sprint(n), err },
			func(tx *store.Tx) { tx.Add(index, "c_1") },
		},
		"set grows": {
			func(tx *store.Tx) (string, error) { n, err := tx.Cardinality(set); return fmt.Sprint(n), err },
			func(tx *store.Tx) { tx.SetAdd(set, "t_1") },
		},
		"neighbour arrives": {
			func(tx *store.Tx) (string, error) { return tx.OrderKey(children, txn.Position{}) },
			func(tx *store.Tx) { tx.Add(children, txn.OrderMember("a0", "s_9")) },
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				storetest.Update(t, s, org, func(tx *store.Tx) error {
					tx.SetField(store.HeadsKey(org), "old", "old")
					return nil
				})
				var seen []string
				storetest.Update(t, s, org, func(tx *store.Tx) error {
					value, err := c.read(tx)
					if err != nil {
						return err
					}
					if seen = append(seen, value); len(seen) == 1 {
						storetest.Update(t, s, org, func(other *store.Tx) error { c.change(other); return nil })
					}
					tx.SetField(txn.GCEpochsKey(org), "s_0", "0")
					return nil
				})
				if len(seen) != 2 || seen[0] == seen[1] {
					t.Errorf("the closure saw %q", seen)
				}
			})
		})
	}
}

func TestUpdateReturnsBusy(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key, runs := store.SpaceKey("o_1", "s_1"), 0
		err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			runs++
			if _, _, err := tx.Record(key); err != nil {
				return err
			}
			storetest.Put(t, s, "o_1", key, strconv.Itoa(runs)) // a concurrent writer always wins
			tx.Put(key, nil, []byte(`"late"`))
			return nil
		})
		storetest.WantError(t, err, txn.ErrBusy)
		if got, _ := storetest.Record(t, s, key); string(got.Public) != strconv.Itoa(runs) || runs < 2 {
			t.Errorf("%s after %d runs", got.Public, runs)
		}
	})
}

func TestGuardsRejectStaleReads(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		org := "o_1"
		member, grants, teams := store.MemberKey(org, "u_1"), txn.GCEpochsKey(org), store.TermKey(org, "t1")
		storetest.Put(t, s, org, member, `{}`)
		storetest.Update(t, s, org, func(tx *store.Tx) error {
			tx.SetField(grants, "s_1", "edit")
			tx.SetAdd(teams, "t_1")
			return nil
		})
		cases := map[string]struct {
			guard txn.Guard
			want  error
		}{
			"record holds":    {txn.RecordGuard(member, 1), nil},
			"record moved":    {txn.RecordGuard(member, 2), redis.ErrStale},
			"record appeared": {txn.RecordGuard(member, 0), redis.ErrStale},
			"absent holds":    {txn.RecordGuard(store.MemberKey(org, "u_2"), 0), nil},
			"field holds":     {txn.FieldGuard(grants, "s_1", "edit", true), nil},
			"field changed":   {txn.FieldGuard(grants, "s_1", "read", true), redis.ErrStale},
			"field appeared":  {txn.FieldGuard(grants, "s_1", "", false), redis.ErrStale},
			"field went":      {txn.FieldGuard(grants, "s_2", "read", true), redis.ErrStale},
			"set holds":       {txn.CardGuard(teams, 1), nil},
			"set changed":     {txn.CardGuard(teams, 0), redis.ErrStale},
			"other shard":     {txn.RecordGuard(store.MemberKey("o_2", "u_1"), 0), redis.ErrMisuse},
		}
		for name, c := range cases {
			for _, dry := range []bool{false, true} {
				options := txn.UpdateOptions{Guards: []txn.Guard{c.guard}, DryRun: dry}
				err := s.Update(t.Context(), store.Organization(org), options, func(tx *store.Tx) error {
					tx.SetField(store.HeadsKey(org), name, "written")
					return nil
				})
				if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
					t.Errorf("%s, dry %v: %v", name, dry, err)
				}
			}
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

func TestIdempotentUpdateReplaysAnswer(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		runs := 0
		request := func(key, body string, save bool) error {
			options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: key, Fingerprint: "print", Save: save}}
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				runs++
				tx.SetField(store.HeadsKey("o_1"), key, strconv.Itoa(runs))
				tx.Answer(txn.Answer{Status: 201, ID: "s_1", Header: map[string]string{"Location": "/x"}, Body: []byte(body)})
				return nil
			})
		}
		cases := map[string]struct {
			body  string
			save  bool
			saved bool
		}{
			"body":        {"{\"a\":1}\nand more\x00", true, true},
			"no-body":     {"", true, true},
			"secret":      {"secret", false, false},
			"at-limit":    {strings.Repeat("x", 8<<10), true, true},
			"above-limit": {strings.Repeat("x", 8<<10+1), true, false},
		}
		for key, c := range cases {
			if err := request(key, c.body, c.save); err != nil {
				t.Fatal(err)
			}
			before := runs
			var replay *txn.ReplayError
			if err := request(key, "another", true); !errors.As(err, &replay) {
				t.Fatalf("%s: %v", key, err)
			}
			want := txn.Answer{Status: 201, ID: "s_1", Header: map[string]string{"Location": "/x"}, Body: []byte(c.body)}
			if !c.saved {
				want.Body = []byte{}
			}
			if diff := cmp.Diff(&txn.ReplayError{Fingerprint: "print", Answer: want, Saved: c.saved}, replay); diff != "" {
				t.Errorf("%s: %s", key, diff)
			}
			if runs != before {
				t.Errorf("%s: the closure ran again", key)
			}
		}
	})
}

// TestIdempotentUpdateRace covers two requests with one key that both saw no answer. The second to commit replays the
// answer of the first.
func TestIdempotentUpdateRace(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Save: true}}
		commit := func(value string, first func()) error {
			return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				first()
				tx.SetField(store.HeadsKey("o_1"), "s_1", value)
				tx.Answer(txn.Answer{Status: 200, Body: []byte(value)})
				return nil
			})
		}
		err := commit("late", func() {
			if err := commit("early", func() {}); err != nil {
				t.Error(err)
			}
		})
		var replay *txn.ReplayError
		if !errors.As(err, &replay) || string(replay.Answer.Body) != "early" {
			t.Errorf("got %v", err)
		}
	})
}

func TestIdempotencyDoesNotSaveErrors(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: "k", Save: true}}
		cause := errors.New("refused")
		for range 2 {
			err := s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				tx.Answer(txn.Answer{Status: 422})
				return cause
			})
			storetest.WantError(t, err, cause)
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
		storetest.WantError(t, write(txn.MaxKeys-1, 1), txn.ErrTooLarge) // plus the field and the operation key
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
		"put of what was not read":    func(tx *store.Tx) error { tx.Put(space, nil, nil); return nil },
		"delete of what was not read": func(tx *store.Tx) error { tx.Delete(space); return nil },
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
		"two places": func(tx *store.Tx) error {
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

// TestRetriedUpdateKeepsOwnClaim: the closure runs twice and makes a new identifier each time; its own first claim must not
// fail the second run.
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

// canceled returns a canceled context.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}

func TestUpdateAfterCancel(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		err := s.Update(canceled(t), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			_, _, err := tx.Record(store.SpaceKey("o_1", "s_1"))
			return err
		})
		if err == nil {
			t.Error("no error")
		}
	})
}

// TestUpdateRetriesInconsistentReads: an item moves between the closure's read of its position and the read of its neighbours. A
// not-found error would describe a state that never existed.
func TestUpdateRetriesInconsistentReads(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key, children := store.SpaceKey("o_1", "s_1"), store.ChildrenKey("o_1", store.Root)
		move := func(order string) {
			storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
				old, _, err := tx.Record(key)
				if len(old.Public) > 0 {
					tx.Remove(children, txn.OrderMember(string(old.Public), "s_1"))
				}
				tx.Put(key, nil, []byte(order))
				tx.Add(children, txn.OrderMember(order, "s_1"))
				return err
			})
		}
		move("a1")
		runs := 0
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			at, _, err := tx.Record(key)
			if err != nil {
				return err
			}
			if runs++; runs == 1 {
				move("a5")
			}
			order, err := tx.OrderKey(children, txn.Position{After: txn.OrderMember(string(at.Public), "s_1")})
			if err != nil {
				return err
			}
			tx.Add(children, txn.OrderMember(order, "s_2"))
			return nil
		})
		if runs != 2 {
			t.Errorf("the closure ran %d times", runs)
		}
		err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if _, _, err := tx.Record(key); err != nil {
				return err
			}
			_, err := tx.OrderKey(children, txn.Position{After: "a0!gone"})
			return err
		})
		storetest.WantError(t, err, txn.ErrNoSibling)
	})
}

// TestSupersetMemberPrecedesCommit: a member of another shard's index exists before the commit it refers to, remains if that commit
// fails, and is removed afterwards.
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
