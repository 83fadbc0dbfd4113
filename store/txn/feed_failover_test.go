package txn_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// loseChanges replaces the stream of o_1 with changes of other commits and removes lost entries, like a failover to a
// replica that lacks the last commits of its master. Changes are triples of stream id, entry id and entry.
func loseChanges(t *testing.T, s *store.Store, lost []string, changes ...[3]string) {
	t.Helper()
	stream, entries := s.Prefix+"{o_1}:shape", s.Prefix+"{o_1}:shapes"
	pipe := s.Client.Pipeline()
	pipe.Del(t.Context(), stream)
	pipe.HDel(t.Context(), entries, lost...)
	for _, change := range changes {
		pipe.Do(t.Context(), "XADD", stream, change[0], "id", change[1], "entry", change[2], "op", "other-"+change[0])
		pipe.HSet(t.Context(), entries, change[1], change[2])
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// lastChangeID returns the stream id of the last change of o_1.
func lastChangeID(t *testing.T, s *store.Store) string {
	t.Helper()
	last, err := s.Client.XRevRangeN(t.Context(), s.Prefix+"{o_1}:shape", "+", "-", 1).Result()
	if err != nil || len(last) != 1 {
		t.Fatal(last, err)
	}
	return last[0].ID
}

func checkEntries(t *testing.T, s *store.Store, got map[string]string) {
	t.Helper()
	want, err := s.Client.HGetAll(t.Context(), s.Prefix+"{o_1}:shapes").Result()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestModelReloadsIfStreamIDWasReused checks that the model does not continue from a change that a failover lost, although
// another commit has its stream id.
func TestModelReloadsIfStreamIDWasReused(t *testing.T) {
	t.Parallel()
	withTwoStores(t, func(t *testing.T, writer, reader *store.Store, _ *storetest.Trips) {
		writeEntries(t, writer, "o_1", "s_1", "a", "s_2", "b")
		readModel(t, reader)
		loseChanges(t, writer, []string{"s_2"}, [3]string{lastChangeID(t, writer), "s_7", "new"})
		got, resets, _ := readModel(t, reader)
		checkEntries(t, writer, got)
		if resets != 2 {
			t.Errorf("%d resets, want 2", resets)
		}
	})
}

// TestModelIgnoresChangesOfLostHistory checks that a change that was read before a failover that lost it is not applied to a
// model that was reloaded since, even though it has a later stream id.
func TestModelIgnoresChangesOfLostHistory(t *testing.T) {
	t.Parallel()
	withTwoStores(t, func(t *testing.T, writer, reader *store.Store, _ *storetest.Trips) {
		writeEntries(t, writer, "o_1", "s_1", "a")
		readModel(t, reader)
		writeEntries(t, writer, "o_1", "s_2", "lost")
		batch := reader.NewBatch()
		feed := batch.FollowDeferred("o_1")
		storetest.Do(t, batch)
		loseChanges(t, writer, []string{"s_2"}, [3]string{"1-1", "s_7", "new"})
		got, _, _ := readModel(t, reader)
		checkEntries(t, writer, got)
		if err := feed.Apply(t.Context()); err != nil {
			t.Fatal(err)
		}
		feed.View(func(m txn.Model) { got = maps.Clone(m.(*mapModel).entries) })
		checkEntries(t, writer, got)
	})
}
