package store_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// withPendingUpgrade runs a test on data of form 1 on which nodes that support form 2 wait for 24 hours.
func withPendingUpgrade(t *testing.T, test func(f *mixedNodes, old *store.Store)) {
	t.Helper()
	withMixedNodes(t, func(f *mixedNodes) {
		f.after = 24 * time.Hour
		test(f, f.node(1))
	})
}

// advance lets time pass while nodes serve.
func (f *mixedNodes) advance(d time.Duration, nodes ...*store.Store) {
	f.t.Helper()
	f.now = f.now.Add(d)
	f.join(nodes...)
}

// wantPending checks how long the newer format has been known.
func (f *mixedNodes) wantPending(name string, s *store.Store, known time.Duration) {
	f.t.Helper()
	got, err := s.FormatStatus(f.t.Context())
	if err != nil || got.Upgrade == nil || got.Data != 1 || got.Upgrade.Format != 2 || got.Upgrade.Known != known ||
		got.Upgrade.Left() != (24*time.Hour-known).Round(time.Second) {
		f.t.Errorf("%s: %+v %+v %v, want form 2 known for %s", name, got, got.Upgrade, err, known)
	}
	f.want(name, f.write(s, "te_1"), 1)
}

// TestUpgradeWaits checks that the data gets a newer format after all nodes have supported it for 24 hours, counted once and not
// by the clock of Redis, and that the count is removed then.
func TestUpgradeWaits(t *testing.T) {
	t.Parallel()
	withPendingUpgrade(t, func(f *mixedNodes, _ *store.Store) {
		first, second := f.node(2), f.node(2)
		f.join(first, second)
		f.wantPending("at first", first, 0)
		since := first.PendingUpgrade().Since
		f.redis = 48 * time.Hour
		f.advance(time.Minute, first, second)
		f.wantPending("after a minute, and with another clock of Redis", second, time.Minute)
		f.advance(24*time.Hour-time.Minute-time.Millisecond, second, first)
		f.wantPending("just before", first, 24*time.Hour-time.Millisecond)
		if got := first.PendingUpgrade().Since; !got.Equal(since) || !since.Equal(f.now.Add(time.Millisecond-24*time.Hour)) {
			t.Errorf("it is pending since %s, and was since %s", got, since)
		}
		f.advance(time.Millisecond, first)
		f.want("then", f.write(first, "te_1"), 2)
		f.join(second, first)
		f.want("then, another node", f.write(second, "te_1"), 2)
		if n := first.Client.Exists(t.Context(), first.Name(redis.UpgradeKey())).Val(); n != 0 || first.PendingUpgrade() != nil {
			t.Errorf("the count is still there: %d %v", n, first.PendingUpgrade())
		}
	})
}

// TestUpgradeCountsServingTime checks that a restarted node continues the count, and that the time in which no node serves is not
// counted.
func TestUpgradeCountsServingTime(t *testing.T) {
	t.Parallel()
	withPendingUpgrade(t, func(f *mixedNodes, _ *store.Store) {
		first := f.node(2)
		f.join(first)
		f.advance(10*time.Hour, first)
		f.now = f.now.Add(48 * time.Hour)
		second := f.node(2)
		f.join(second)
		f.wantPending("after a stop of two days", second, 10*time.Hour)
		f.advance(14*time.Hour, second)
		f.want("after 24 hours of service", f.write(second, "te_1"), 2)
	})
}

// TestOlderNodeRestartsUpgrade checks that the count starts again after an older node has served, even if it left before the
// nodes that count saw it.
func TestOlderNodeRestartsUpgrade(t *testing.T) {
	t.Parallel()
	withPendingUpgrade(t, func(f *mixedNodes, old *store.Store) {
		first := f.node(2)
		f.join(first)
		f.advance(23*time.Hour, first)
		f.join(old, first)
		if got, err := first.FormatStatus(t.Context()); err != nil || got.Upgrade != nil || !got.Older() || first.PendingUpgrade() != nil {
			t.Errorf("with an older node: %+v %v", got, err)
		}
		if err := old.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.join(first)
		f.advance(23*time.Hour, first)
		f.wantPending("after it has left", first, 23*time.Hour)

		again, second := f.node(1), f.node(2)
		f.now = f.now.Add(time.Second)
		f.join(again)
		if err := again.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.join(second)
		f.advance(2*time.Hour, first)
		f.wantPending("after one that left at once", first, 0)
		f.advance(time.Hour, first, second)
		f.wantPending("the same, later", first, 3*time.Hour)
	})
}

// TestFinishUpgrade checks that an upgrade can be finished at once unless a serving node does not support the format, which is
// named, and that finishing again does nothing.
func TestFinishUpgrade(t *testing.T) {
	t.Parallel()
	withPendingUpgrade(t, func(f *mixedNodes, old *store.Store) {
		first := f.node(2)
		f.join(old, first)
		nodes, err := first.ServingNodes(t.Context())
		if err != nil || len(nodes) != 2 {
			t.Fatal(nodes, err)
		}
		older := nodes[slices.IndexFunc(nodes, func(n redis.ServingNode) bool { return n.Format == 1 })]
		_, err = first.FinishUpgrade(t.Context())
		storetest.WantError(t, err, redis.ErrOlderNode)
		if !strings.Contains(err.Error(), older.Name()) {
			t.Errorf("%v does not name %s", err, older.Name())
		}
		f.join(first)
		f.want("with an older node", f.write(first, "te_1"), 1)
		if err := old.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.join(first)
		f.wantPending("before", first, 0)
		for range 2 {
			got, err := f.node(2).FinishUpgrade(t.Context())
			if err != nil || got.Data != 2 || got.Upgrade != nil || got.Older() {
				t.Errorf("finished: %+v %v", got, err)
			}
		}
		f.join(first)
		f.want("after it", f.write(first, "te_1"), 2)
		storetest.WantError(t, old.Join(t.Context()), redis.ErrNewerFormat)
	})
}

// TestNewDataHasNewestFormat checks that new data has the newest format from the start.
func TestNewDataHasNewestFormat(t *testing.T) {
	t.Parallel()
	withMixedNodes(t, func(f *mixedNodes) {
		f.after = 24 * time.Hour
		s := f.node(2)
		f.join(s)
		f.want("new data", f.write(s, "te_1"), 2)
		if s.PendingUpgrade() != nil {
			t.Errorf("pending: %v", s.PendingUpgrade())
		}
	})
}

// newerFields has members of data format 2, at several depths.
type newerFields struct {
	ID     string               `json:"id"`
	Added  string               `json:"added,omitzero" since:"2"`
	Parts  []newerPart          `json:"parts,omitzero"`
	Nested map[string]newerPart `json:"nested,omitzero"`
	Link   *newerFields         `json:"link,omitzero"`
}

type newerPart struct {
	Name  string `json:"name"`
	Color int    `json:"color,omitzero" since:"2"`
}

// putNewer writes a document with the given fields.
func putNewer(t *testing.T, s *store.Store, fields newerFields) error {
	t.Helper()
	return s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := store.ReadDocument[newerFields, struct{}](tx, store.TeamKey("o_1", "te_new"))
		if err != nil {
			return err
		}
		d.Fields = fields
		_, err = store.PutDocument(tx, store.TeamKey("o_1", "te_new"), d)
		return err
	})
}

// TestNewMembersWaitForUpgrade checks that a record with a member that needs a newer format is refused until the upgrade is
// finished, at any depth, and that nothing is written then; a record without such a member is written.
func TestNewMembersWaitForUpgrade(t *testing.T) {
	t.Parallel()
	withPendingUpgrade(t, func(f *mixedNodes, _ *store.Store) {
		s := f.node(2)
		f.join(s)
		part := newerPart{Name: "n", Color: 7}
		newer := []newerFields{
			{Added: "x"},
			{Parts: []newerPart{{Name: "n"}, part}},
			{Nested: map[string]newerPart{"a": part}},
			{Link: &newerFields{Added: "x"}},
		}
		for _, fields := range newer {
			storetest.WantError(t, putNewer(t, s, fields), redis.ErrUpgradePending)
		}
		if r, _ := storetest.Record(t, s, store.TeamKey("o_1", "te_new")); r.Version != 0 {
			t.Errorf("it is written: %+v", r)
		}
		for _, fields := range []newerFields{
			{ID: "1"}, {Parts: []newerPart{{Name: "n"}}}, {Nested: map[string]newerPart{"a": {Name: "n"}}}, {Link: &newerFields{ID: "2"}},
		} {
			if err := putNewer(t, s, fields); err != nil {
				t.Errorf("%+v: %v", fields, err)
			}
		}
		if _, err := s.FinishUpgrade(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.join(s)
		for _, fields := range newer {
			if err := putNewer(t, s, fields); err != nil {
				t.Errorf("%+v: %v", fields, err)
			}
		}
	})
}

// TestUnknownMembersAreRemoved checks that a program removes members of a record that it does not know when it writes the
// record. Therefore a new member needs a new format.
func TestUnknownMembersAreRemoved(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		key := store.TeamKey("o_1", "te_1")
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			_, _, err := tx.Record(key)
			tx.Put(key, []byte(`{"later":1}`), []byte(`{"id":"te_1","later":1}`))
			return err
		})
		storetest.Update(t, s, "o_1", func(tx *store.Tx) error {
			d, err := store.ReadDocument[newerPart, struct{}](tx, key)
			if err == nil {
				d.Fields.Name = "n"
				_, err = store.PutDocument(tx, key, d)
			}
			return err
		})
		r, _ := storetest.Record(t, s, key)
		if got := string(r.Private) + string(r.Public); got != `{}{"name":"n"}` {
			t.Errorf("the record is %s", got)
		}
	})
}
