package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

const (
	poolWriters    = 16
	poolSpaces     = 4
	failoverWrites = 100 // writes among which the time of a failover is drawn
	crashInterval  = 8   // one in crashInterval failovers is a crash
)

// writerPool runs writers that each add pages to a space repeatedly during failovers. Each write has a unique name, a
// page with a text, and an event.
type writerPool struct {
	t            *testing.T
	engine       storetest.Engine
	store        *store.Store
	org          string
	spaces       []string
	writers      []*pageWriter
	acknowledged atomic.Int64
	stop         chan struct{}
	group        sync.WaitGroup
}

// pageWriter is one writer of a writerPool.
type pageWriter struct {
	name, space  string
	acknowledged []startedWrite
	last         atomic.Int64 // start of the last acknowledged write, in Unix nanoseconds
}

// startedWrite is a write and its start time.
type startedWrite struct {
	name string
	at   time.Time
}

func newWriterPool(t *testing.T, engine storetest.Engine) *writerPool {
	t.Helper()
	s := engine.Open(t, func(c *store.Config) { c.ReplicaWait = replicaWait })
	c := &writerPool{t: t, engine: engine, store: s, org: storetest.NewFixture(t, s).Org, stop: make(chan struct{})}
	for range poolSpaces {
		id := s.NewID(txn.HomePrefix(txn.SpacePrefix, c.org))
		c.spaces = append(c.spaces, id)
		storetest.Update(t, s, c.org, func(tx *store.Tx) error { return putNewSpace(tx, c.org, id, "") })
	}
	for n := range poolWriters {
		c.writers = append(c.writers, &pageWriter{name: fmt.Sprint("w", n), space: c.spaces[n%poolSpaces]})
	}
	return c
}

// keys returns the keys that may be on different masters of a Cluster: the organization's first, then those of
// contents.
func (c *writerPool) keys() []string {
	keys := []string{store.Name(c.store, store.OrganizationKey(c.org))}
	for _, space := range c.spaces {
		keys = append(keys, store.ContentName(c.store, space))
	}
	return keys
}

// runOutage runs the writers through an outage at a random time and returns the numbers of acknowledged and lost
// writes. If the master of the organization does not fail (keeps), no write may be lost.
func (c *writerPool) runOutage(random *rand.Rand, o storetest.Outage, keeps, crash bool) (acknowledged, lost int) {
	c.t.Helper()
	c.noError(o.Ready(c.t.Context()))
	for _, w := range c.writers {
		c.group.Go(func() { c.write(w) })
	}
	c.group.Go(c.deliver)
	c.awaitWrites(poolWriters + random.IntN(failoverWrites))
	if random.IntN(2) == 0 {
		c.noError(o.Detach(c.t.Context()))
		c.awaitWrites(random.IntN(failoverWrites))
	}
	fail := o.Promote
	if crash {
		fail = o.Crash
	}
	c.noError(fail(c.t.Context()))
	over := time.Now()
	c.await("writes after the failover", func() bool {
		return !slices.ContainsFunc(c.writers, func(w *pageWriter) bool { return w.last.Load() < over.UnixNano() })
	})
	c.stopWriters()
	return c.check(over, keeps)
}

func (c *writerPool) noError(err error) {
	c.t.Helper()
	if err != nil {
		c.stopWriters()
		c.t.Fatal(err)
	}
}

// stopWriters stops the writers and waits until they have ended.
func (c *writerPool) stopWriters() {
	if !c.stopped() {
		close(c.stop)
	}
	c.group.Wait()
}

// stopped reports whether the writers must stop.
func (c *writerPool) stopped() bool {
	select {
	case <-c.stop:
		return true
	default:
		return false
	}
}

// write runs a writer until the pool is stopped.
func (c *writerPool) write(w *pageWriter) {
	for n := 0; !c.stopped(); n++ {
		name, began := fmt.Sprint(w.name, "-", n), time.Now()
		err := c.attempt(w.space, name)
		switch {
		case err == nil:
			w.acknowledged = append(w.acknowledged, startedWrite{name, began})
			w.last.Store(began.UnixNano())
			c.acknowledged.Add(1)
		case !errors.Is(err, redis.ErrUnavailable) && !errors.Is(err, txn.ErrBusy):
			c.t.Errorf("writing %s: %v", name, err)
			return
		}
	}
}

func (c *writerPool) attempt(space, name string) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), maxRecoveryTime)
	defer cancel()
	lock := txn.UpdateOptions{Lock: []redis.Key{store.HeadsKey(c.org).Field(space)}}
	return c.store.Update(ctx, store.Organization(c.org), lock, func(tx *store.Tx) error {
		tx.Event(event(name, "merge", "space", space))
		head, _, err := tx.Head(c.org, space)
		if err != nil {
			return err
		}
		return storetest.AddPage(tx, c.store.Content(space), c.org, head, name)
	})
}

// deliver empties the outbox at intervals, like a job, until the pool is stopped.
func (c *writerPool) deliver() {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-c.stop:
			return
		case <-tick.C:
		}
		err := c.store.Deliver(c.t.Context(), c.org, nil)
		for _, passing := range []error{redis.ErrUnavailable, txn.ErrBusy, redis.ErrStale, redis.ErrLagging} {
			if errors.Is(err, passing) {
				err = nil
			}
		}
		if err != nil {
			c.t.Errorf("delivering: %v", err)
			return
		}
	}
}

// awaitWrites waits for a number of further writes.
func (c *writerPool) awaitWrites(more int) {
	c.t.Helper()
	enough := c.acknowledged.Load() + int64(more)
	c.await("the writers", func() bool { return c.acknowledged.Load() >= enough })
}

// await waits until reached returns true.
func (c *writerPool) await(name string, reached func() bool) {
	c.t.Helper()
	limited, cancel := context.WithTimeout(c.t.Context(), 3*maxRecoveryTime)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !reached() {
		select {
		case <-limited.Done():
			c.noError(fmt.Errorf("%s: not there after %s", name, 3*maxRecoveryTime))
		case <-tick.C:
		}
	}
}

// check compares the data read by a new node with the acknowledged writes: every head is readable, every write is
// complete or absent, and lost writes began before the failover was over.
func (c *writerPool) check(over time.Time, keeps bool) (acknowledged, lost int) {
	c.t.Helper()
	fresh := reopen(c.t, c.engine, c.store)
	for _, finding := range storetest.Fsck(c.t, fresh, fsck.Options{}).Findings {
		c.t.Errorf("fsck: %s", finding)
	}
	applied, pages := c.events(), c.pages(fresh)
	if !maps.Equal(applied, pages) {
		c.t.Errorf("half of a write: %d events, %d pages", len(applied), len(pages))
	}
	for _, w := range c.writers {
		acknowledged += len(w.acknowledged)
		for _, write := range w.acknowledged {
			if pages[write.name] != "" {
				continue
			}
			lost++
			if keeps || write.at.After(over) {
				c.t.Errorf("%s was acknowledged and is lost, and no failover explains it", write.name)
			}
		}
	}
	return acknowledged, lost
}

// events returns the spaces of the committed writes by name.
func (c *writerPool) events() map[string]string {
	c.t.Helper()
	client, prefix := store.Client(c.store)
	events, err := client.XRange(c.t.Context(), prefix+"{"+c.org+"}:events", "-", "+").Result()
	if err != nil {
		c.t.Fatal(err)
	}
	applied := map[string]string{}
	for _, e := range events {
		name, _ := e.Values["name"].(string)
		if applied[name] != "" {
			c.t.Errorf("%s was applied twice", name)
		}
		applied[name], _ = e.Values["space"].(string)
	}
	return applied
}

// pages returns the spaces of the pages reachable from the heads by write name. It reads each text.
func (c *writerPool) pages(s *store.Store) map[string]string {
	c.t.Helper()
	pages := map[string]string{}
	for _, space := range c.spaces {
		for id, text := range pagesOf(c.t, s, c.org, space) {
			name := id[len("p_"):]
			if text != "text of "+name {
				c.t.Errorf("page %s says %q", id, text)
			}
			pages[name] = space
		}
	}
	return pages
}

// pagesOf reads all pages of a head, with their texts.
func pagesOf(t *testing.T, s *store.Store, org, space string) map[string]string {
	t.Helper()
	batch := s.NewBatch()
	future := batch.Field(store.HeadsKey(org), space)
	storetest.Do(t, batch)
	head, err := store.ParseHead(future.Value())
	if err != nil {
		t.Fatal(err)
	}
	content, texts := s.Content(space), map[string]string{}
	entries, err := content.All(t.Context(), head.Pages)
	if err != nil {
		t.Errorf("the head of %s cannot be read: %v", space, err)
	}
	for id, entry := range entries {
		text, err := content.Object(t.Context(), entry.Refs[0])
		if err != nil {
			t.Errorf("page %s of %s cannot be read: %v", id, space, err)
		}
		texts[id] = string(text)
	}
	return texts
}

// reopen opens the data of a store in a node with empty caches. It retries, because just after a failover a node of
// a Cluster may not know the masters of all slots.
func reopen(t *testing.T, engine storetest.Engine, s *store.Store) *store.Store {
	t.Helper()
	_, prefix := store.Client(s)
	for n := 0; ; n++ {
		fresh, err := store.Open(t.Context(), store.Config{URL: engine.URL(), Prefix: prefix})
		if errors.Is(err, redis.ErrRefused) && n < 100 {
			time.Sleep(100 * time.Millisecond)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = fresh.Close() })
		return fresh
	}
}

// newSyncedPool returns a writerPool whose spaces are on the replica as well. If the sentinels changed the master in
// the meantime, it starts again.
func newSyncedPool(t *testing.T, engine storetest.Engine, ready func(context.Context) error) *writerPool {
	t.Helper()
	for range 5 {
		c := newWriterPool(t, engine)
		c.noError(ready(t.Context()))
		if c.spacesExist() {
			return c
		}
	}
	t.Fatal("whatever is set up is lost before anything happens")
	return nil
}

// spacesExist reports whether all spaces exist.
func (c *writerPool) spacesExist() bool {
	c.t.Helper()
	b := c.store.NewBatch()
	records := make([]*txn.Future[txn.Record], len(c.spaces))
	for i, space := range c.spaces {
		records[i] = b.Record(store.SpaceKey(c.org, space))
	}
	storetest.Do(c.t, b)
	return !slices.ContainsFunc(records, func(r *txn.Future[txn.Record]) bool { _, there, err := r.Get(); return err != nil || !there })
}

// runWriterPools runs pools through outages one after the other.
func runWriterPools(
	t *testing.T, engine storetest.Engine, ready func(
		context.Context,
	) error, outageOf func(c *writerPool, random *rand.Rand) (o storetest.Outage, keeps bool),
) {
	t.Helper()
	runs, seed := storetest.LongCampaign(t, "failover", 3, 200)
	var acknowledged, lost, losing, crashes int
	for n := range runs {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if err := ready(t.Context()); err != nil { // the previous outage may have just ended
				t.Fatal(err)
			}
			random, crash := rand.New(rand.NewPCG(seed, uint64(n))), n%crashInterval == 1
			c := newSyncedPool(t, engine, ready)
			o, keeps := outageOf(c, random)
			here, gone := c.runOutage(random, o, keeps, crash)
			c.noError(o.Clear(t.Context()))
			acknowledged, lost = acknowledged+here, lost+gone
			losing += min(gone, 1)
			if crash {
				crashes++
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d failovers under %d writers, %d of them crashes: %d writes acknowledged; the lag lost %d of them, in %d failovers; no head "+
		"is unreadable",
		runs, poolWriters, crashes, acknowledged, lost, losing)
}

// TestContentIsReadableAfterSentinelFailoverCampaign checks that content is readable after failures of the master at random
// times.
//
//nolint:tparallel // one failover after the other
func TestContentIsReadableAfterSentinelFailoverCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	sentinel, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	runWriterPools(t, storetest.Server("sentinel", sentinel.URL()), sentinel.Ready, func(*writerPool, *rand.Rand) (storetest.Outage, bool) {
		return sentinel.Outage(), false
	})
}

// TestContentIsReadableAfterClusterFailoverCampaign checks that content is readable after failures of one or two of the masters
// of the organization and its contents.
//
//nolint:tparallel // one failover after the other
func TestContentIsReadableAfterClusterFailoverCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	runWriterPools(t, storetest.Server("cluster", cluster.URL()), cluster.Ready, func(
		c *writerPool, random *rand.Rand,
	) (storetest.Outage, bool) {
		organization, masters := "", map[string]string{}
		for i, key := range c.keys() {
			master, err := cluster.Master(t.Context(), key)
			c.noError(err)
			masters[master.Addr] = key
			if i == 0 {
				organization = master.Addr
			}
		}
		addrs := slices.Sorted(maps.Keys(masters))
		random.Shuffle(len(addrs), func(i, j int) { addrs[i], addrs[j] = addrs[j], addrs[i] })
		addrs = addrs[:min(len(addrs), 1+random.IntN(2))]
		keys := make([]string, len(addrs))
		for i, addr := range addrs {
			keys[i] = masters[addr]
		}
		return cluster.Outage(keys...), !slices.Contains(addrs, organization)
	})
}
