package objects_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

func TestObjectsRoundTrip(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		trips := &storetest.Trips{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, trips) })
		cold := engine.Open(t, func(c *store.Config) {
			c.Prefix, c.CacheBytes = "shared-"+c.Prefix, -1
			c.Hooks = append(c.Hooks, trips)
		})
		noise := make([]byte, 300<<10)
		_, _ = rand.Read(noise)
		staged := []objects.Object{
			objects.NewBlob(nil), objects.NewBlob([]byte("x")), objects.NewBlob([]byte(strings.Repeat("text ", 1000))),
			objects.NewBlob(noise),
			objects.NewNode([]string{
				objects.Hash([]byte("a")), "", objects.Hash([]byte("b")),
			}, []byte(`{"n":1}`)), objects.NewNode(nil, nil),
		}
		var hashes []string
		for _, object := range staged {
			hashes = append(hashes, object.Hash)
		}
		for _, s := range []*store.Store{s, cold} {
			storetest.Update(t, s, "o_1", func(tx *store.Tx) error { tx.Objects("s_1", staged...); return nil })
			warmUp(t, s)
			trips.Count()
			found, err := s.Objects(t.Context(), "s_1", hashes)
			if err != nil {
				t.Fatal(err)
			}
			if n, most := trips.Count(), map[bool]int{true: 1, false: 0}[s == cold]; n != most {
				t.Errorf("%d trips, want %d", n, most)
			}
			for _, object := range staged {
				want, err := object.Payload()
				if err != nil || !bytes.Equal(found[object.Hash], want) {
					t.Errorf("object %s came back as %d bytes of %d, %v", object.Hash, len(found[object.Hash]), len(want), err)
				}
			}
			_, err = s.Objects(t.Context(), "s_2", hashes[:1])
			storetest.WantError(t, err, objects.ErrMissing)
			_, err = s.Objects(t.Context(), "s_1", []string{"no hash"})
			storetest.WantError(t, err, objects.ErrMissing)
		}
	})
}

func TestDamagedObjectIsCorrupt(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		good, other := objects.NewBlob([]byte("good")), objects.NewBlob([]byte("other"))
		for name, stored := range map[string]string{
			"empty": "", "codec": "\x09x", "zstd": "\x01garbage", "other bytes": "\x00bother", "no tag": "\x00",
		} {
			if err := s.PutObjects(t.Context(), "s_1", []objects.Object{other}); err != nil {
				t.Fatal(err)
			}
			space := "s_" + strings.ReplaceAll(name, " ", "")
			writeRawObject(t, s, space, good.Hash, stored)
			_, err := s.Objects(t.Context(), space, []string{good.Hash})
			storetest.WantError(t, err, redis.ErrCorrupt)
		}
	})
}

func TestHashMatchesSHA256(t *testing.T) {
	t.Parallel()
	// The first 160 bits of SHA-256("abc"), ba7816bf 8f01cfea 414140de 5dae2223 b00361a3.
	if got := objects.Hash([]byte("abc")); got != "n9s1dfsf07esikg18376rbh27mo06oh3"[:len(got)] && len(got) != 32 {
		t.Errorf("hash %q", got)
	}
	if a, b := objects.NewBlob([]byte("x")).Hash, objects.NewNode(nil, []byte("x")).Hash; a == b {
		t.Error("a blob and a node have one name")
	}
}

// entries returns entries with deterministic values.
func entries(from, to int) map[string]objects.Entry {
	generated := map[string]objects.Entry{}
	for i := from; i < to; i++ {
		generated[fmt.Sprintf("p_%04d", i)] = objects.Entry{Value: []byte(fmt.Sprint("value ", i))}
	}
	return generated
}

// TestMapMatchesPlainMap applies random changes to a persistent map and to a plain map, across the sizes at which its layout
// changes, and checks that their entries and differences are equal.
func TestMapMatchesPlainMap(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	rapid.Check(t, func(r *rapid.T) {
		c, model, root := s.Content("s_1"), map[string]objects.Entry{}, ""
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			from := rapid.IntRange(0, 600).Draw(r, "from")
			changed := entries(from, from+rapid.IntRange(0, 600).Draw(r, "count"))
			set, remove := changed, []string(nil)
			if rapid.Bool().Draw(r, "remove") {
				set, remove = nil, slices.Collect(maps.Keys(changed))
			}
			before, old := maps.Clone(model), root
			for _, id := range remove {
				delete(model, id)
			}
			maps.Copy(model, set)
			var err error
			if root, err = c.Apply(t.Context(), root, set, remove); err != nil {
				r.Fatal(err)
			}
			if built := s.Content("s_1").BuildMap(model); built != root {
				r.Fatalf("%d entries: root %q by history, %q at once", len(model), root, built)
			}
			changes, err := c.Diff(t.Context(), old, root)
			if err != nil {
				r.Fatal(err)
			}
			if diff := cmp.Diff(difference(before, model), changes); diff != "" {
				r.Fatal(diff)
			}
		}
		all, err := c.All(t.Context(), root)
		if err != nil {
			r.Fatal(err)
		}
		if diff := cmp.Diff(model, all); diff != "" {
			r.Fatal(diff)
		}
	})
}

// difference is Diff on plain maps.
func difference(a, b map[string]objects.Entry) map[string]objects.Change {
	changes := map[string]objects.Change{}
	for id, entry := range a {
		if after, have := b[id]; !have {
			changes[id] = objects.Change{Before: &entry}
		} else if !cmp.Equal(entry, after) {
			changes[id] = objects.Change{Before: &entry, After: &after}
		}
	}
	for id, entry := range b {
		if _, have := a[id]; !have {
			changes[id] = objects.Change{After: &entry}
		}
	}
	return changes
}

// warmUp sends the first pipeline of a store, which counts a trip for the connection.
func warmUp(t *testing.T, s *store.Store) {
	t.Helper()
	b := s.NewBatch()
	b.Value(store.UsedKey("u_1", "t_1"))
	storetest.Do(t, b)
}

func TestMapAccessesOnlyChangedBuckets(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		trips := &storetest.Trips{}
		s := engine.Open(t, func(c *store.Config) {
			c.CacheBytes = -1
			c.Hooks = append(c.Hooks, trips)
		})
		content := s.Content("s_1")
		root := content.BuildMap(entries(0, 5000))
		if err := s.PutObjects(t.Context(), "s_1", content.Staged()); err != nil {
			t.Fatal(err)
		}
		warmUp(t, s)
		trips.Count()
		c := s.Content("s_1")
		set := map[string]objects.Entry{"p_0007": {Value: []byte("new"), Refs: []string{objects.Hash(nil)}}}
		changed, err := c.Apply(t.Context(), root, set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if n := trips.Count(); n > 2 || len(c.Staged()) != 2 {
			t.Errorf("a change of one entry took %d trips and %d objects", n, len(c.Staged()))
		}
		if _, err := c.Diff(t.Context(), root, changed); err != nil || trips.Count() > 2 {
			t.Errorf("diff: %v", err)
		}
		found, err := c.Get(t.Context(), changed, "p_0007", "p_0008", "absent")
		if err != nil || trips.Count() > 2 {
			t.Errorf("get: %v", err)
		}
		want := map[string]objects.Entry{"p_0007": set["p_0007"], "p_0008": {Value: []byte("value 8")}}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Error(diff)
		}
	})
}

// TestNewOmitsReadObjects rebuilds a stored map that was also read and checks that New returns only objects that were not read.
func TestNewOmitsReadObjects(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	set := map[string]objects.Entry{"p_0007": {Value: []byte("new")}}
	theirs := s.Content("s_1")
	base := theirs.BuildMap(entries(0, 5000))
	changed, err := theirs.Apply(t.Context(), base, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutObjects(t.Context(), "s_1", theirs.Staged()); err != nil {
		t.Fatal(err)
	}
	again := func(c *objects.Content) []objects.Object {
		if _, err := c.Apply(t.Context(), base, set, nil); err != nil {
			t.Fatal(err)
		}
		c.Stage(objects.NewBlob([]byte("unrelated")))
		return c.New(c.Stage(objects.NewNode([]string{changed}, []byte("revision"))))
	}
	if made := again(s.Content("s_1")); len(made) != 3 {
		t.Errorf("%d objects are stored, want the revision, the root and a bucket: nobody has read them", len(made))
	}
	reader := s.Content("s_1")
	if _, err := reader.Diff(t.Context(), base, changed); err != nil {
		t.Fatal(err)
	}
	if made := again(reader); len(made) != 1 {
		t.Errorf("%d objects are stored, want only the revision", len(made))
	}
}

func TestUnchangedMapKeepsRoot(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for _, size := range []int{0, 1, 256, 257, 1000} {
		c := s.Content("s_1")
		root := c.BuildMap(entries(0, size))
		same, err := c.Apply(t.Context(), root, entries(0, min(size, 3)), []string{"absent"})
		if err != nil || same != root {
			t.Errorf("%d entries: root %q became %q, %v", size, root, same, err)
		}
	}
}

// TestMapChangesLayout checks that a map that grows or shrinks by one entry, at the sizes at which its layout changes, equals a
// map built at once.
func TestMapChangesLayout(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	for _, size := range []int{256, 1024, 4096} {
		c := s.Content("s_1")
		small, large := c.BuildMap(entries(0, size)), c.BuildMap(entries(0, size+1))
		grown, err := c.Apply(t.Context(), small, entries(size, size+1), nil)
		if err != nil || grown != large {
			t.Errorf("%d entries grow to %q, %v, want %q", size, grown, err, large)
		}
		shrunk, err := c.Apply(t.Context(), large, nil, slices.Collect(maps.Keys(entries(size, size+1))))
		if err != nil || shrunk != small {
			t.Errorf("%d entries shrink to %q, %v, want %q", size+1, shrunk, err, small)
		}
		changes, err := c.Diff(t.Context(), small, large)
		if err != nil || len(changes) != 1 {
			t.Errorf("%d entries: %d changes, %v", size, len(changes), err)
		}
	}
}

func FuzzMapObject(f *testing.F) {
	f.Add([]byte("l\x01\x01a\x01b\x00"))
	f.Add([]byte("r\x00" + strings.Repeat("-", 64)))
	f.Add([]byte("n\x01" + strings.Repeat("0", 32)))
	f.Add([]byte("l\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := decodeObject(data); err != nil {
			storetest.WantError(t, err, redis.ErrCorrupt)
		}
	})
}

// TestObjectsAreStoredBeforeCommit checks that objects that a transaction refers to exist as soon as the transaction is
// committed.
func TestObjectsAreStoredBeforeCommit(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		c := s.Content("s_1")
		hash := c.Stage(objects.NewBlob([]byte("text")))
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			tx.Objects("s_1", c.Staged()...)
			tx.SetField(store.HeadsKey("o_1"), "s_1", hash)
			return nil
		})
		payload, err := s.Content("s_1").Object(t.Context(), hash)
		if err != nil || string(payload) != "text" {
			t.Errorf("%q %v", payload, err)
		}
	})
}

// TestCommitWithObjectsFailsDuringSweep checks that no commit may refer to objects while a sweep removes some.
func TestCommitWithObjectsFailsDuringSweep(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		setEpoch := func(epoch string) {
			storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
				tx.SetField(txn.GCEpochsKey("o_1"), "s_1", epoch)
				return nil
			})
		}
		runs := 0
		commit := func(meanwhile func()) error {
			return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
				runs++
				if _, _, err := tx.Field(txn.GCEpochsKey("o_1"), "s_1"); err != nil {
					return err
				}
				if runs == 1 {
					meanwhile()
				}
				tx.Objects("s_1", objects.NewBlob([]byte("text")))
				return nil
			})
		}
		if err := commit(func() { setEpoch("2") }); err != nil || runs != 2 {
			t.Errorf("after a sweep: %v, %d runs", err, runs)
		}
		setEpoch("3")
		storetest.WantError(t, commit(func() {}), txn.ErrBusy)
	})
}

func TestStagedOmitsIntermediateObjects(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	c := s.Content("s_1")
	text := objects.NewBlob([]byte("text"))
	c.Stage(text)
	step := c.BuildMap(entries(0, 300))
	root, err := c.Apply(t.Context(), step, map[string]objects.Entry{"p_1": {Refs: []string{text.Hash}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, needed := c.Staged(), c.Staged(root)
	if len(all) != len(needed)+2 { // plus two unneeded ones: the old root and the old bucket
		t.Errorf("%d objects, %d needed", len(all), len(needed))
	}
	if err := s.PutObjects(t.Context(), "s_1", needed); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Content("s_1").All(t.Context(), root); err != nil || len(got) != 301 {
		t.Errorf("%d entries, %v", len(got), err)
	}
	if _, err := s.Objects(t.Context(), "s_1", []string{text.Hash}); err != nil {
		t.Error(err)
	}
}

// writeRawObject stores bytes under a given hash, which need not match.
func writeRawObject(t *testing.T, s *store.Store, space, hash, stored string) {
	t.Helper()
	first, _ := objects.FirstByte(hash)
	if err := s.Client.HSet(ctx(), s.Name(txn.ObjectKey(space, first)), hash, stored).Err(); err != nil {
		t.Fatal(err)
	}
}

// decodeObject decodes bytes as any kind of object.
func decodeObject(data []byte) error {
	_, _, err := objects.NewObject(data).Split()
	return err
}
