package txn_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestMoveWithinOrder moves items in an order and compares the result with a list.
func TestMoveWithinOrder(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		children, list := store.ChildrenKey("o_1", store.Root), []string{} // members
		move := func(id string, at txn.Position) error {
			return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				order, err := tx.OrderKey(children, at)
				if err != nil {
					return err
				}
				if at.Self != "" {
					tx.Remove(children, at.Self)
				}
				tx.Add(children, txn.OrderMember(order, id))
				return nil
			})
		}
		want := func(ids string) {
			t.Helper()
			batch := s.NewBatch()
			members := batch.Range(children, "", 100, false)
			storetest.Do(t, batch)
			list = members.Value()
			got := ""
			for _, member := range list {
				_, id, _ := txn.SplitOrderMember(member)
				got += id
			}
			if got != ids {
				t.Fatalf("order %q, want %q (%q)", got, ids, list)
			}
		}
		steps := []struct {
			id   string
			at   func() txn.Position
			want string
		}{
			{"a", func() txn.Position { return txn.Position{} }, "a"},
			{"b", func() txn.Position { return txn.Position{} }, "ab"},
			{"c", func() txn.Position { return txn.Position{Before: list[0]} }, "cab"},
			{"d", func() txn.Position { return txn.Position{After: list[0]} }, "cdab"},
			{"e", func() txn.Position { return txn.Position{After: list[1], Before: list[2]} }, "cdeab"},
			{"b", func() txn.Position { return txn.Position{Before: list[0], Self: list[4]} }, "bcdea"},
			{"b", func() txn.Position { return txn.Position{Self: list[0]} }, "cdeab"},
			{"e", func() txn.Position { return txn.Position{After: list[1], Before: list[3], Self: list[2]} }, "cdeab"},
			{"d", func() txn.Position { return txn.Position{After: list[2], Self: list[1]} }, "cedab"},
		}
		for i, step := range steps {
			if err := move(step.id, step.at()); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
			want(step.want)
		}
		err := move("x", txn.Position{After: list[0], Before: list[2]})
		storetest.WantError(t, err, txn.ErrNotAdjacent)
		err = move("x", txn.Position{After: "a0!gone"})
		storetest.WantError(t, err, txn.ErrNoSibling)
		err = move("x", txn.Position{Before: list[0], Self: list[0]})
		storetest.WantError(t, err, txn.ErrNoSibling)
		want("cedab")
	})
}

// TestRangePagesReturnStableItemsOnce reads an index in pages while other members are added and removed, and checks that every
// member that stays is returned exactly once.
func TestRangePagesReturnStableItemsOnce(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		rapid.Check(t, func(r *rapid.T) {
			index := store.IndexKey("o_1", "cm", s.NewID("x"))
			change := func(add bool, members ...string) {
				storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
					for _, member := range members {
						if add {
							tx.Add(index, member)
						} else {
							tx.Remove(index, member)
						}
					}
					return nil
				})
			}
			staying := []string{"b", "d", "f", "h", "j", "l", "n"}
			change(true, staying...)
			reverse, after, seen := rapid.Bool().Draw(r, "reverse"), "", []string{}
			for {
				if others := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "c", "e", "g", "i", "k", "m", "o"}), 0, 3).Draw(r,
					"others"); len(others) > 0 {
					change(rapid.Bool().Draw(r, "add"), others...)
				}
				batch := s.NewBatch()
				page := batch.Range(index, after, rapid.IntRange(1, 4).Draw(r, "limit"), reverse)
				storetest.Do(t, batch)
				members := page.Value()
				if len(members) == 0 {
					break
				}
				seen = append(seen, members...)
				after = members[len(members)-1]
			}
			seen = slices.DeleteFunc(seen, func(member string) bool { return !slices.Contains(staying, member) })
			if reverse {
				slices.Reverse(seen)
			}
			if !slices.Equal(seen, staying) {
				r.Fatalf("saw %q", seen)
			}
		})
	})
}
