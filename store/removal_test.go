package store_test

import (
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// threeClocks are the clocks of Redis and of one machine. monotonic is not affected by a start of the process.
type threeClocks struct {
	redis, wall time.Time
	monotonic   time.Duration
}

// pass lets time pass on all clocks.
func (c *threeClocks) pass(d time.Duration) {
	c.redis, c.wall, c.monotonic = c.redis.Add(d), c.wall.Add(d), c.monotonic+d
}

// removalWorld is a store that is opened again for each start of a node.
type removalWorld struct {
	*threeClocks

	t         *testing.T
	emulation *miniredis.Miniredis
	hooks     []goredis.Hook
	node      *store.Store
}

func newRemovalWorld(t *testing.T, hooks ...goredis.Hook) *removalWorld {
	t.Helper()
	start := time.Unix(1.8e9, 0)
	w := &removalWorld{threeClocks: &threeClocks{redis: start, wall: start}, t: t, emulation: miniredis.NewMiniRedis(), hooks: hooks}
	w.start()
	return w
}

// start starts a node.
func (w *removalWorld) start() {
	w.t.Helper()
	w.node = storetest.Open(w.t, func(c *store.Config) {
		c.Emulation, c.Prefix = w.emulation, "removal:"
		c.Time, c.Clock = func() time.Time { return w.redis }, func() time.Time { return w.wall }
		c.Hooks = append(c.Hooks, w.hooks...)
		c.Monotonic = func() time.Duration { return w.monotonic }
	})
	w.compare()
}

// compare compares the clocks of the node.
func (w *removalWorld) compare() {
	w.t.Helper()
	if err := w.node.CheckClocks(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// check fails the test unless a transaction may, or may not, remove what is due, and RemovalHolds agrees.
func (w *removalWorld) check(what string, may bool) {
	w.t.Helper()
	err := w.node.Update(w.t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		delay, err := tx.RemovalDelay(w.redis)
		if delay != 0 {
			w.t.Errorf("%s: a delay of %s", what, delay)
		}
		return err
	})
	if may && err != nil || !may && !errors.Is(err, redis.ErrRemovalHeld) {
		w.t.Errorf("%s: %v, want may remove %t", what, err, may)
	}
	w.compare()
	holds, err := w.node.RemovalHolds(w.t.Context())
	if err != nil || (len(holds) == 0) != may || w.node.IsRemovalHeld() == may {
		w.t.Errorf("%s: holds %v, %v", what, holds, err)
	}
}

// TestRemovalDelayBeforeDue checks that nothing is removed early, whatever the clocks say.
func TestRemovalDelayBeforeDue(t *testing.T) {
	t.Parallel()
	w := newRemovalWorld(t)
	err := w.node.Update(t.Context(), store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		delay, err := tx.RemovalDelay(w.redis.Add(time.Hour))
		if delay != time.Hour {
			t.Errorf("a delay of %s", delay)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRemovalIsHeldAcrossRestarts checks that a restart, which forgets the monotonic clock, does not end a hold, does not
// begin the wait again, and holds removals after a long stop.
func TestRemovalIsHeldAcrossRestarts(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	w := newRemovalWorld(t)
	w.check("the first start", true)
	w.pass(time.Hour)
	w.start()
	w.check("a restart", true)
	w.pass(3 * day)
	w.start()
	w.check("a stop of three days", false)
	w.pass(day - time.Hour)
	w.compare()
	w.start()
	w.check("a restart during the wait", false)
	w.pass(time.Hour)
	w.check("a day after the stop", true)
	for _, jump := range []time.Duration{30 * day, -30 * day} {
		w.redis, w.wall = w.redis.Add(jump), w.wall.Add(jump)
		w.check("a jump of both clocks", false)
		w.start()
		w.check("a restart after a jump", false)
		w.redis, w.wall = w.redis.Add(-jump), w.wall.Add(-jump)
		w.check("both clocks are back", true)
	}
}

// TestResumeEndsHoldsOfAllNodes checks that an operator ends the wait after a jump, also for a node that starts later, and
// cannot while the clocks differ.
func TestResumeEndsHoldsOfAllNodes(t *testing.T) {
	t.Parallel()
	w := newRemovalWorld(t)
	w.redis = w.redis.Add(30 * 24 * time.Hour)
	w.check("a jump of Redis", false)
	if err := w.node.ResumeRemoval(t.Context()); !errors.Is(err, redis.ErrRefused) {
		t.Errorf("resumed while the clocks differ: %v", err)
	}
	w.wall = w.redis
	w.check("a jump of both", false)
	if err := w.node.ResumeRemoval(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.compare()
	w.check("after the command", true)
	w.start()
	w.check("after a start", true)
	w.redis = w.redis.Add(time.Hour)
	w.check("the next jump", false)
}
