package txn_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/postings"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

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

// TestUpdateRetriesOnConflict changes each kind of read value between the closure's read and its commit, and checks that the
// closure runs twice and that the second run reads the change.
func TestUpdateRetriesOnConflict(t *testing.T) {
	t.Parallel()
	org := "o_1"
	index, set, children := store.IndexKey(org, "cm", "s_1"), postings.StaleKey(org), store.ChildrenKey(org, store.Root)
	cases := map[string]struct {
		read   func(tx *store.Tx) (string, error)
		change func(tx *store.Tx)
	}{
		"record added": {
			func(tx *store.Tx) (string, error) {
				_, ok, err := tx.Record(store.SpaceKey(org, "s_1"))
				return fmt.Sprint(ok), err
			},
			func(tx *store.Tx) {
				_, _, _ = tx.Record(store.SpaceKey(org, "s_1"))
				tx.Put(store.SpaceKey(org, "s_1"), nil, nil)
			},
		},
		"field added": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "s_1"); return v, err },
			func(tx *store.Tx) { tx.SetField(store.HeadsKey(org), "s_1", "new") },
		},
		"field changed": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "old"); return v, err },
			func(tx *store.Tx) { tx.SetField(store.HeadsKey(org), "old", "new") },
		},
		"field deleted": {
			func(tx *store.Tx) (string, error) { v, _, err := tx.Field(store.HeadsKey(org), "old"); return v, err },
			func(tx *store.Tx) { tx.DeleteField(store.HeadsKey(org), "old") },
		},
		"member added to order": {
			func(tx *store.Tx) (string, error) { n, err := tx.Cardinality(index); return fmt.Sprint(n), err },
			func(tx *store.Tx) { tx.Add(index, "c_1") },
		},
		"member added to set": {
			func(tx *store.Tx) (string, error) { n, err := tx.Cardinality(set); return fmt.Sprint(n), err },
			func(tx *store.Tx) { tx.SetAdd(set, "t_1") },
		},
		"neighbour inserted": {
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
		member, grants, teams := store.MemberKey(org, "u_1"), txn.GCEpochsKey(org), postings.StaleKey(org)
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
			"record holds":            {txn.RecordGuard(member, 1), nil},
			"record moved":            {txn.RecordGuard(member, 2), redis.ErrStale},
			"record appeared":         {txn.RecordGuard(member, 0), redis.ErrStale},
			"absent holds":            {txn.RecordGuard(store.MemberKey(org, "u_2"), 0), nil},
			"field holds":             {txn.FieldGuard(grants, "s_1", "edit", true), nil},
			"field changed":           {txn.FieldGuard(grants, "s_1", "read", true), redis.ErrStale},
			"field appeared":          {txn.FieldGuard(grants, "s_1", "", false), redis.ErrStale},
			"field removed":           {txn.FieldGuard(grants, "s_2", "read", true), redis.ErrStale},
			"set holds":               {txn.CardGuard(teams, 1), nil},
			"set changed":             {txn.CardGuard(teams, 0), redis.ErrStale},
			"record of another shard": {txn.RecordGuard(store.MemberKey("o_2", "u_1"), 0), redis.ErrMisuse},
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

// TestStaleGuardLeavesUsageUnchanged checks that a transaction with a stale guard writes nothing to its organization, not even
// the bytes of the objects that it stored: the caller authorizes again and commits them. They are counted if another error ends
// the transaction.
func TestStaleGuardLeavesUsageUnchanged(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		usage := func() string { return storetest.Dump(t, s)["{"+e.Org+"}:use"] }
		write := func(text string, options txn.UpdateOptions, claims ...redis.Key) error {
			return s.Update(t.Context(), store.Organization(e.Org), options, func(tx *store.Tx) error {
				tx.Objects(e.Space, objects.NewBlob([]byte(text)))
				for _, name := range claims {
					tx.Claim(name, e.Org)
				}
				return nil
			})
		}
		taken := store.EmailKey("a@example.org")
		if err := s.Touch(t.Context(), taken, "u_1 0"); err != nil {
			t.Fatal(err)
		}
		before := usage()
		stale := txn.UpdateOptions{Guards: []txn.Guard{txn.FieldGuard(store.HeadsKey(e.Org), e.Space, "another", true)}}
		storetest.WantError(t, write("stale", stale), redis.ErrStale)
		if after := usage(); after != before {
			t.Errorf("usage %s after a stale guard, %s before", after, before)
		}
		if err := write("claimed", txn.UpdateOptions{}, taken); err == nil || usage() == before {
			t.Errorf("usage %s after %v", usage(), err)
		}
	})
}

// TestUpdateRetriesInconsistentReads moves an item between the closure's read of its position and the read of its neighbours. A
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

// TestUpdateRetriesMisuseAfterInconsistentReads deletes a record between two reads of the closure, which then uses the transaction
// with the empty id of the absent record. The closure runs again, whether or not it returns an error. With consistent reads, and
// in one trip, misuse stays an error.
func TestUpdateRetriesMisuseAfterInconsistentReads(t *testing.T) {
	t.Parallel()
	for name, returned := range map[string]error{"nil": nil, "error": errors.New("refused")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			suite.EachStore(t, func(t *testing.T, s *store.Store) {
				listed, item := store.SpaceKey("o_1", "s_list"), store.SpaceKey("o_1", "s_item")
				storetest.Put(t, s, "o_1", listed, `["s_item"]`)
				storetest.Put(t, s, "o_1", item, `{}`)
				runs := 0
				remove := func(meanwhile func(), prefetch ...redis.Key) error {
					options := txn.UpdateOptions{Prefetch: prefetch}
					return s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
						runs++
						list, _, err := tx.Record(listed)
						if err != nil || string(list.Public) == "[]" {
							return err
						}
						meanwhile()
						if _, ok, err := tx.Record(item); err != nil || ok {
							return err
						}
						tx.SetField(store.HeadsKey("o_1"), "", "value")
						return returned
					})
				}
				deleted := false
				err := remove(func() {
					if deleted {
						return
					}
					deleted = true
					storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
						err := tx.Prefetch(listed, item)
						tx.Put(listed, []byte(`{}`), []byte(`[]`))
						tx.Delete(item)
						return err
					})
				})
				if err != nil || runs != 2 {
					t.Errorf("%d runs, %v", runs, err)
				}
				storetest.Put(t, s, "o_1", listed, `["s_item"]`)
				want := returned
				if want == nil {
					want = redis.ErrMisuse
				}
				runs = 0
				storetest.WantError(t, remove(func() {}), want)
				storetest.WantError(t, remove(func() {}, listed, item), want)
				if runs != 2 {
					t.Errorf("consistent reads: %d runs, want 1 each", runs)
				}
			})
		})
	}
}
