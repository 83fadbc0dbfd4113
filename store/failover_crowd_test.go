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
	crowdWriters = 16
	crowdSpaces  = 4
	crowdMoment  = 100 // writes among which the moment of a failover is drawn
	crowdCrashes = 8   // one failover in so many is a crash
)

// crowd is writers that each add pages to a space again and again, while the master goes. Each write has a name, a page
// with a text, and an event.
type crowd struct {
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

// pageWriter is one of them.
type pageWriter struct {
	name, space  string
	acknowledged []begun
	last         atomic.Int64 // when the last write that was acknowledged began, in Unix nanoseconds
}

// begun is a write, and when it began.
type begun struct {
	name string
	at   time.Time
}

func newCrowd(t *testing.T, engine storetest.Engine) *crowd {
	t.Helper()
	s := engine.Open(t, func(c *store.Config) { c.ReplicaWait = impatience })
	c := &crowd{t: t, engine: engine, store: s, org: storetest.NewEstate(t, s).Org, stop: make(chan struct{})}
	for range crowdSpaces {
		id := s.NewID(txn.HomePrefix(txn.SpacePrefix, c.org))
		c.spaces = append(c.spaces, id)
		storetest.Update(t, s, c.org, func(tx *store.Tx) error { return putNewSpace(tx, c.org, id, "") })
	}
	for n := range crowdWriters {
		c.writers = append(c.writers, &pageWriter{name: fmt.Sprint("w", n), space: c.spaces[n%crowdSpaces]})
	}
	return c
}

// keys are the keys of which a Cluster may have a master each: of the organization first, then of contents.
func (c *crowd) keys() []string {
	keys := []string{store.Name(c.store, store.OrganizationKey(c.org))}
	for _, space := range c.spaces {
		keys = append(keys, store.ContentName(c.store, space))
	}
	return keys
}

// through lets the writers go through an outage, at a moment that is drawn, and returns what became of their writes.
// Where the master of the organization stays (keeps), nothing may be lost.
func (c *crowd) through(random *rand.Rand, o storetest.Outage, keeps, crash bool) (acknowledged, lost int) {
	c.t.Helper()
	c.must(o.Ready(c.t.Context()))
	for _, w := range c.writers {
		c.group.Go(func() { c.write(w) })
	}
	c.group.Go(c.deliver)
	c.written(crowdWriters + random.IntN(crowdMoment))
	if random.IntN(2) == 0 {
		c.must(o.Detach(c.t.Context()))
		c.written(random.IntN(crowdMoment))
	}
	fail := o.Promote
	if crash {
		fail = o.Crash
	}
	c.must(fail(c.t.Context()))
	over := time.Now()
	c.await("writes after the failover", func() bool {
		return !slices.ContainsFunc(c.writers, func(w *pageWriter) bool { return w.last.Load() < over.UnixNano() })
	})
	c.end()
	return c.check(over, keeps)
}

func (c *crowd) must(err error) {
	c.t.Helper()
	if err != nil {
		c.end()
		c.t.Fatal(err)
	}
}

// end stops the writers.
func (c *crowd) end() {
	if !c.ended() {
		close(c.stop)
	}
	c.group.Wait()
}

// ended reports whether the writers are to stop.
func (c *crowd) ended() bool {
	select {
	case <-c.stop:
		return true
	default:
		return false
	}
}

// write writes until the end.
func (c *crowd) write(w *pageWriter) {
	for n := 0; !c.ended(); n++ {
		name, began := fmt.Sprint(w.name, "-", n), time.Now()
		err := c.attempt(w.space, name)
		switch {
		case err == nil:
			w.acknowledged = append(w.acknowledged, begun{name, began})
			w.last.Store(began.UnixNano())
			c.acknowledged.Add(1)
		case !errors.Is(err, redis.ErrUnavailable) && !errors.Is(err, txn.ErrBusy):
			c.t.Errorf("writing %s: %v", name, err)
			return
		}
	}
}

func (c *crowd) attempt(space, name string) error {
	ctx, cancel := context.WithTimeout(c.t.Context(), recovery)
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

// deliver empties the outbox until the end, as a job does.
func (c *crowd) deliver() {
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

// written waits for so many writes more.
func (c *crowd) written(more int) {
	c.t.Helper()
	enough := c.acknowledged.Load() + int64(more)
	c.await("the writers", func() bool { return c.acknowledged.Load() >= enough })
}

// await waits until the writers have come to something.
func (c *crowd) await(what string, reached func() bool) {
	c.t.Helper()
	limited, cancel := context.WithTimeout(c.t.Context(), 3*recovery)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !reached() {
		select {
		case <-limited.Done():
			c.must(fmt.Errorf("%s: not there after %s", what, 3*recovery))
		case <-tick.C:
		}
	}
}

// check holds what a fresh node finds against what was acknowledged: every head can be read, every write is there whole
// or not at all, and what is lost began before the failover was over.
func (c *crowd) check(over time.Time, keeps bool) (acknowledged, lost int) {
	c.t.Helper()
	fresh := reopened(c.t, c.engine, c.store)
	for _, finding := range storetest.Examine(c.t, fresh, fsck.Options{}).Findings {
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

// events are the spaces of the writes that were committed, by their names.
func (c *crowd) events() map[string]string {
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

// pages are the spaces of the pages that the heads reach, by the names of the writes. Each text is read.
func (c *crowd) pages(s *store.Store) map[string]string {
	c.t.Helper()
	found := map[string]string{}
	for _, space := range c.spaces {
		for id, text := range pagesOf(c.t, s, c.org, space) {
			name := id[len("p_"):]
			if text != "text of "+name {
				c.t.Errorf("page %s says %q", id, text)
			}
			found[name] = space
		}
	}
	return found
}

// pagesOf reads all pages of a head, with their texts.
func pagesOf(t *testing.T, s *store.Store, org, space string) map[string]string {
	t.Helper()
	batch := s.Pipeline()
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

// reopened opens the data of a store as a node does that has nothing in memory. Just after a failover a node of a Cluster
// may not know who serves all slots: wsd is started again then, as a service manager does.
func reopened(t *testing.T, engine storetest.Engine, s *store.Store) *store.Store {
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

// settled returns a crowd whose spaces are on the replica, too. On a busy machine the sentinels change who is who unasked:
// what goes with that is set up again.
func settled(t *testing.T, engine storetest.Engine, ready func(context.Context) error) *crowd {
	t.Helper()
	for range 5 {
		c := newCrowd(t, engine)
		c.must(ready(t.Context()))
		if c.stands() {
			return c
		}
	}
	t.Fatal("whatever is set up is lost before anything happens")
	return nil
}

// stands reports whether all spaces are there.
func (c *crowd) stands() bool {
	c.t.Helper()
	b := c.store.Pipeline()
	records := make([]*txn.Future[txn.Record], len(c.spaces))
	for i, space := range c.spaces {
		records[i] = b.Record(store.SpaceKey(c.org, space))
	}
	storetest.Do(c.t, b)
	return !slices.ContainsFunc(records, func(r *txn.Future[txn.Record]) bool { _, there, err := r.Get(); return err != nil || !there })
}

// crowds sends crowds through outages, one after the other.
func crowds(t *testing.T, engine storetest.Engine, ready func(context.Context) error, outageOf func(c *crowd, random *rand.Rand) (o storetest.Outage, keeps bool)) {
	t.Helper()
	runs, seed := storetest.LongCampaign(t, "failover", 3, 200)
	var acknowledged, lost, losing, crashes int
	for n := range runs {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if err := ready(t.Context()); err != nil { // the one before may be just over
				t.Fatal(err)
			}
			random, crash := rand.New(rand.NewPCG(seed, uint64(n))), n%crowdCrashes == 1
			c := settled(t, engine, ready)
			o, keeps := outageOf(c, random)
			here, gone := c.through(random, o, keeps, crash)
			c.must(o.Clear(t.Context()))
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
	t.Logf("%d failovers under %d writers, %d of them crashes: %d writes acknowledged; the lag lost %d of them, in %d failovers; no head is unreadable",
		runs, crowdWriters, crashes, acknowledged, lost, losing)
}

// TestSentinelFailoverUnderWritersCampaign lets the master go at moments that are drawn.
//
//nolint:tparallel // one failover after the other
func TestSentinelFailoverUnderWritersCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	sentinel, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	crowds(t, storetest.Server("sentinel", sentinel.URL()), sentinel.Ready, func(*crowd, *rand.Rand) (storetest.Outage, bool) {
		return sentinel.Outage(), false
	})
}

// TestClusterFailoverUnderWritersCampaign lets one or two of the masters of the organization and its contents go.
//
//nolint:tparallel // one failover after the other
func TestClusterFailoverUnderWritersCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	crowds(t, storetest.Server("cluster", cluster.URL()), cluster.Ready, func(c *crowd, random *rand.Rand) (storetest.Outage, bool) {
		organization, masters := "", map[string]string{}
		for i, key := range c.keys() {
			master, err := cluster.Master(t.Context(), key)
			c.must(err)
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
