package store_test

import (
	"strconv"
	"testing"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// mixedNodes is a set of nodes of several program versions on the same data.
type mixedNodes struct {
	t      *testing.T
	engine storetest.Engine
	prefix string
	now    time.Time     // of the nodes
	after  time.Duration // store.Config.UpgradeAfter of new nodes
	redis  time.Duration // difference of the clock of Redis
}

// withMixedNodes runs a test with mixed nodes on every engine.
func withMixedNodes(t *testing.T, test func(f *mixedNodes)) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name == "memory" {
			return // single process only
		}
		test(&mixedNodes{t: t, engine: engine, prefix: txn.NewIDGenerator(time.Now).New("test-") + ":", now: time.UnixMilli(1_700_000_000_000)})
	})
}

// node opens a store on the shared data as a program that supports data formats up to format.
func (f *mixedNodes) node(format int) *store.Store {
	f.t.Helper()
	return f.engine.Open(f.t, func(c *store.Config) {
		c.Prefix, c.Format, c.UpgradeAfter = f.prefix, format, f.after
		c.Clock, c.Time = func() time.Time { return f.now }, func() time.Time { return f.now.Add(f.redis) }
	})
}

// write writes a record and returns its format.
func (f *mixedNodes) write(s *store.Store, id string) int {
	f.t.Helper()
	key := store.TeamKey("o_1", id)
	storetest.Update(f.t, s, "o_1", func(tx *store.Tx) error {
		_, _, err := tx.Record(key)
		tx.Put(key, []byte("{}"), []byte("{}"))
		return err
	})
	r, err := s.Read(f.t.Context(), []redis.Key{key})
	if err != nil {
		f.t.Fatal(err)
	}
	return r[0].Record.Schema
}

// join makes nodes join the serving nodes, one after the other.
func (f *mixedNodes) join(nodes ...*store.Store) {
	f.t.Helper()
	for _, s := range nodes {
		if err := s.Join(f.t.Context()); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *mixedNodes) want(name string, got, want int) {
	f.t.Helper()
	if got != want {
		f.t.Errorf("%s: format %d, want %d", name, got, want)
	}
}

// TestNewFormatWaitsForAllNodes checks that a new format is written only after every serving node supports it.
func TestNewFormatWaitsForAllNodes(t *testing.T) {
	t.Parallel()
	withMixedNodes(t, func(f *mixedNodes) {
		old := f.node(1)
		f.join(old)
		first := f.node(2)
		f.join(first, old, first)
		f.want("with an older node", f.write(first, "te_1"), 1)
		f.want("an older node", f.write(old, "te_1"), 1)
		if got, err := first.FormatStatus(t.Context()); err != nil || !got.Older() || got.Newer() {
			t.Errorf("%v %v", got, err)
		}
		second := f.node(2)
		f.join(second)
		if err := old.Leave(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.join(first)
		f.want("when the older node has left", f.write(first, "te_1"), 2)
		f.join(second)
		f.want("another node that knows it", f.write(second, "te_1"), 2)
		storetest.WantError(t, old.Join(t.Context()), redis.ErrNewerFormat)
	})
}

// TestDeadNodeDelaysNewFormat checks that a failed node delays a new format until its lease expires.
func TestDeadNodeDelaysNewFormat(t *testing.T) {
	t.Parallel()
	withMixedNodes(t, func(f *mixedNodes) {
		f.join(f.node(1))
		s := f.node(2)
		f.now = f.now.Add(redis.NodeLease - time.Millisecond)
		f.join(s)
		f.want("within the lease", f.write(s, "te_1"), 1)
		f.now = f.now.Add(time.Millisecond)
		f.join(s)
		f.want("after it", f.write(s, "te_1"), 2)
	})
}

// TestRunningNodeRefusesNewerFormat checks that a node refuses records of a newer format without changing anything and
// continues to serve other records. If the data as a whole has a newer format, it refuses everything.
func TestRunningNodeRefusesNewerFormat(t *testing.T) {
	t.Parallel()
	withMixedNodes(t, func(f *mixedNodes) {
		s, key, known := f.node(1), store.TeamKey("o_1", "te_1"), store.TeamKey("o_1", "te_2")
		f.write(s, "te_1")
		plant := "2 " + strconv.Itoa(redis.SupportedFormat+1) + " {}\n{}"
		if err := s.Client.Set(t.Context(), s.Name(key), plant, 0).Err(); err != nil {
			t.Fatal(err)
		}
		err := s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
			_, _, err := tx.Record(key)
			tx.Put(key, []byte("{}"), []byte("{}"))
			return err
		})
		storetest.WantError(t, err, redis.ErrNewerFormat)
		b := s.NewBatch()
		record := b.Record(key)
		err = b.Do(t.Context())
		if err == nil {
			_, _, err = record.Get()
		}
		storetest.WantError(t, err, redis.ErrNewerFormat)
		if got := s.Client.Get(t.Context(), s.Name(key)).Val(); got != plant {
			t.Errorf("it is %q now", got)
		}
		f.want("another record", f.write(s, "te_2"), 1)

		if err := s.Client.Set(t.Context(), s.Name(redis.SchemaKey()), redis.SupportedFormat+1, 0).Err(); err != nil {
			t.Fatal(err)
		}
		storetest.WantError(t, s.Join(t.Context()), redis.ErrNewerFormat)
		err = s.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(*store.Tx) error {
			t.Error("it runs")
			return nil
		})
		storetest.WantError(t, err, redis.ErrNewerFormat)
		b = s.NewBatch()
		b.Record(known)
		storetest.WantError(t, b.Do(t.Context()), redis.ErrNewerFormat)
	})
}

// TestFsckStopsAtNewerFormat checks that fsck reports no damage and repairs nothing for a record of a newer format, whose
// derived data is unknown.
func TestFsckStopsAtNewerFormat(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		name := s.Name(store.SpaceKey(e.Org, e.Space))
		if err := s.Client.Set(t.Context(), name, "9 "+strconv.Itoa(redis.SupportedFormat+1)+" {}\n{}", 0).Err(); err != nil {
			t.Fatal(err)
		}
		_, err := fsck.Run(t.Context(), s, fsck.Options{Repair: true})
		storetest.WantError(t, err, redis.ErrNewerFormat)
	})
}
