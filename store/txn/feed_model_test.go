package txn_test

import (
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// mapModel is a model that stores the entries unchanged.
type mapModel struct {
	entries map[string]string
	applied int
	resets  int
}

func newMapModel(string) txn.Model { return &mapModel{entries: map[string]string{}} }

func (p *mapModel) Apply(id string, entry []byte) {
	p.applied++
	if entry == nil {
		delete(p.entries, id)
		return
	}
	p.entries[id] = string(entry)
}

func (p *mapModel) Size() (bytes int) {
	for id, entry := range p.entries {
		bytes += len(id) + len(entry)
	}
	return bytes
}

func (p *mapModel) Reset() {
	p.resets++
	p.entries = map[string]string{}
}

// readModel reads the changes and returns the contents of the model.
func readModel(t *testing.T, s *store.Store) (entries map[string]string, resets, applied int) {
	t.Helper()
	batch := s.NewBatch()
	shape := batch.Follow("o_1")
	storetest.Do(t, batch)
	shape.View(func(m txn.Model) {
		model := m.(*mapModel)
		entries, resets, applied = maps.Clone(model.entries), model.resets, model.applied
	})
	return entries, resets, applied
}

// writeEntries writes access entries, each in its own commit.
func writeEntries(t *testing.T, s *store.Store, org string, changes ...string) {
	t.Helper()
	for i := 0; i+1 < len(changes); i += 2 {
		storetest.Update(t, s, org, func(tx *store.Tx) error {
			if changes[i+1] == "" {
				tx.SetAccess(changes[i], nil)
			} else {
				tx.SetAccess(changes[i], []byte(changes[i+1]))
			}
			return nil
		})
	}
}

// withTwoStores opens two stores on one database, like two nodes.
func withTwoStores(t *testing.T, test func(t *testing.T, writer, reader *store.Store, trips *storetest.Trips)) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name == "memory" {
			s := engine.Open(t, func(c *store.Config) { c.Model = newMapModel })
			test(t, s, s, nil)
			return
		}
		trips := &storetest.Trips{}
		writer := engine.Open(t)
		_, prefix := writer.Client, writer.Prefix
		reader := engine.Open(t, func(c *store.Config) {
			c.Model, c.Prefix, c.Hooks = newMapModel, prefix, append(c.Hooks, trips)
		})
		test(t, writer, reader, trips)
	})
}

func TestModelFollowsChanges(t *testing.T) {
	t.Parallel()
	withTwoStores(t, func(t *testing.T, writer, reader *store.Store, trips *storetest.Trips) {
		check := func(want map[string]string, resets int) {
			t.Helper()
			got, n, _ := readModel(t, reader)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if n != resets {
				t.Errorf("all entries were read %d times, want %d", n, resets)
			}
		}
		check(map[string]string{}, 0) // an organization without entries does not exist
		writeEntries(t, writer, "o_1", "s_1", "a", "s_2", "b", "l_1", "c")
		check(map[string]string{"s_1": "a", "s_2": "b", "l_1": "c"}, 1)
		writeEntries(t, writer, "o_1", "s_1", "d", "s_2", "", "s_3", "e")
		if trips != nil {
			trips.Count()
		}
		check(map[string]string{"s_1": "d", "s_3": "e", "l_1": "c"}, 1)
		if trips != nil {
			if n := trips.Count(); n != 1 {
				t.Errorf("the news took %d trips", n)
			}
		}
		writeEntries(t, writer, "o_2", "s_9", "x")
		check(map[string]string{"s_1": "d", "s_3": "e", "l_1": "c"}, 1)
	})
}

func TestModelReloadsAfterLossOfStream(t *testing.T) {
	t.Parallel()
	cases := map[string]func(t *testing.T, s *store.Store){
		"stream trimmed": func(t *testing.T, s *store.Store) {
			client, prefix := s.Client, s.Prefix
			if err := client.XTrimMaxLen(t.Context(), prefix+"{o_1}:shape", 1).Err(); err != nil {
				t.Fatal(err)
			}
		},
		"stream deleted": func(t *testing.T, s *store.Store) {
			client, prefix := s.Client, s.Prefix
			if err := client.Del(t.Context(), prefix+"{o_1}:shape").Err(); err != nil {
				t.Fatal(err)
			}
		},
		// A failover lost the last commits, and another commit has the same stream id.
		"history replaced": func(t *testing.T, s *store.Store) {
			client, prefix := s.Client, s.Prefix
			last, err := client.XRevRangeN(t.Context(), prefix+"{o_1}:shape", "+", "-", 2).Result()
			if err != nil || len(last) != 2 {
				t.Fatal(err)
			}
			pipe := client.Pipeline()
			pipe.Del(t.Context(), prefix+"{o_1}:shape")
			for _, args := range [][]string{{last[1].ID, "s_0", "lost"}, {"99999999999999-1", "s_7", "new"}} {
				pipe.Do(t.Context(), "XADD", prefix+"{o_1}:shape", args[0], "id", args[1], "entry", args[2], "op", "other-1")
			}
			pipe.HSet(t.Context(), prefix+"{o_1}:shapes", "s_7", "new")
			if _, err := pipe.Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, damage := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			withTwoStores(t, func(t *testing.T, writer, reader *store.Store, _ *storetest.Trips) {
				writeEntries(t, writer, "o_1", "s_1", "a", "s_2", "b")
				readModel(t, reader)
				writeEntries(t, writer, "o_1", "s_3", "c", "s_1", "")
				damage(t, writer)
				got, resets, _ := readModel(t, reader)
				client, prefix := writer.Client, writer.Prefix
				want, err := client.HGetAll(t.Context(), prefix+"{o_1}:shapes").Result()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" || resets != 2 {
					t.Errorf("%d resets %s", resets, diff)
				}
			})
		})
	}
}

func TestModelLoadsManyEntries(t *testing.T) {
	t.Parallel()
	withTwoStores(t, func(t *testing.T, writer, reader *store.Store, _ *storetest.Trips) {
		want := map[string]string{}
		for at := 0; at < 5000; at += 400 {
			storetest.Update(t, writer, "o_1", func(tx *store.Tx) error {
				for i := at; i < min(at+400, 5000); i++ {
					id, entry := fmt.Sprint("s_", i), fmt.Sprintf(`{"parent":"l_%060d"}`, i)
					tx.SetAccess(id, []byte(entry))
					want[id] = entry
				}
				return nil
			})
		}
		got, _, _ := readModel(t, reader)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, _, before := readModel(t, reader)
		writeEntries(t, writer, "o_1", "s_1", "changed")
		got, _, after := readModel(t, reader)
		if got["s_1"] != "changed" || after-before > 1 {
			t.Errorf("one change made %d", after-before)
		}
	})
}

// TestModelIsNeverOlderThanBatch writes and reads from many goroutines and checks that a commit that precedes a batch is
// visible in its model.
func TestModelIsNeverOlderThanBatch(t *testing.T) {
	t.Parallel()
	withTwoStores(t, func(t *testing.T, writer, reader *store.Store, _ *storetest.Trips) {
		var group sync.WaitGroup
		for n := range 8 {
			group.Go(func() {
				id := fmt.Sprint("s_", n)
				for i := range 20 {
					writeEntries(t, writer, "o_1", id, strconv.Itoa(i))
					if got, _, _ := readModel(t, reader); got[id] != strconv.Itoa(i) {
						t.Errorf("%s is %q after %d was committed", id, got[id], i)
						return
					}
				}
			})
		}
		group.Wait()
	})
}
