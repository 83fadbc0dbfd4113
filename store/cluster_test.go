package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// maxRecoveryTime is the maximum time that a failover may block writers.
const maxRecoveryTime = 10 * time.Second

func TestClusterWritersContinueAfterMasterIsKilled(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	cluster, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := storetest.Server("cluster", cluster.URL()).Open(t)
	l := newWriteLoad(t, s)
	victim, err := cluster.Master(t.Context(), store.Name(s, store.OrganizationKey(l.fixture.Org)))
	if err != nil {
		t.Fatal(err)
	}
	l.killAndCheck(victim)
}

// writeLoad runs writers that each change their own comment repeatedly. Every write appends an event with a unique name.
type writeLoad struct {
	t       *testing.T
	store   *store.Store
	fixture storetest.Fixture
	writers []*writer
	stop    chan struct{}
	group   sync.WaitGroup
}

type writer struct {
	id           string // id of its comment
	acknowledged []string
	count        atomic.Int64 // number of acknowledged writes
	last         atomic.Int64 // start of the last acknowledged write, in Unix nanoseconds
}

const loadWriters = 6

// newWriteLoad returns a writeLoad whose writers are running.
func newWriteLoad(t *testing.T, s *store.Store) *writeLoad {
	t.Helper()
	l := &writeLoad{t: t, store: s, fixture: storetest.NewFixture(t, s), stop: make(chan struct{})}
	for n := range loadWriters {
		w := &writer{id: fmt.Sprint("c_", n)}
		l.writers = append(l.writers, w)
		l.group.Go(func() { l.write(w) })
	}
	return l
}

// write runs a writer until the load is stopped.
func (l *writeLoad) write(w *writer) {
	for n := 0; ; n++ {
		select {
		case <-l.stop:
			return
		default:
		}
		name, began := fmt.Sprint(w.id, "-", n), time.Now()
		err := l.attempt(w.id, name)
		switch {
		case err == nil:
			w.acknowledged = append(w.acknowledged, name)
			w.count.Add(1)
			w.last.Store(began.UnixNano())
		case !errors.Is(err, redis.ErrUnavailable) && !errors.Is(err, txn.ErrBusy):
			l.t.Errorf("writing: %v", err)
			return
		}
	}
}

// attempt makes one write: a new version of the comment, and an event.
func (l *writeLoad) attempt(id, name string) error {
	ctx, cancel := context.WithTimeout(l.t.Context(), maxRecoveryTime)
	defer cancel()
	statuses := []api.CommentStatus{api.CommentOpen, api.CommentResolved}
	return l.store.Update(ctx, store.Organization(l.fixture.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		comment, err := tx.Comment(l.fixture.Org, id)
		if err != nil {
			return err
		}
		was := comment.Fields.Status
		comment.Fields = api.CommentFields{ID: id, Status: statuses[comment.Version%2]}
		comment.Private = store.CommentPrivate{Author: "u_1", Target: l.fixture.Space, Space: l.fixture.Space}
		tx.Event(map[string]string{"name": name})
		_, err = tx.PutComment(l.fixture.Org, comment, was)
		return err
	})
}

// killAndCheck kills a server while the writers run and compares the stored data with the acknowledged writes.
func (l *writeLoad) killAndCheck(victim *storetest.Redis) {
	l.t.Helper()
	l.await("the writers", func(w *writer) bool { return w.count.Load() > 100 })
	victim.Kill()
	killed := time.Now()
	l.await("the writers after the failover", func(w *writer) bool { return w.last.Load() > killed.UnixNano() })
	back := time.Since(killed)
	more := l.writers[0].count.Load() + 50
	l.await("more writes", func(*writer) bool { return l.writers[0].count.Load() > more })
	close(l.stop)
	l.group.Wait()
	acknowledged, lost := l.check()
	l.t.Logf("back after %s; %d writes acknowledged, %d of them lost", back.Round(time.Millisecond), acknowledged, lost)
	if back > maxRecoveryTime {
		l.t.Errorf("every writer was back after %s only", back)
	}
}

// await waits until every writer satisfies reached.
func (l *writeLoad) await(name string, reached func(*writer) bool) {
	l.t.Helper()
	limited, cancel := context.WithTimeout(l.t.Context(), 3*maxRecoveryTime)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for _, w := range l.writers {
		for !reached(w) {
			select {
			case <-limited.Done():
				close(l.stop)
				l.group.Wait()
				l.t.Fatalf("%s: %s is not there after %s", name, w.id, 3*maxRecoveryTime)
			case <-tick.C:
			}
		}
	}
}

// check verifies the stored data: one event and one version per write. A failover may lose writes that no replica
// has, but not parts of writes.
func (l *writeLoad) check() (acknowledged, lost int) {
	l.t.Helper()
	client, prefix := store.Client(l.store)
	events, err := client.XRange(l.t.Context(), prefix+"{"+l.fixture.Org+"}:events", "-", "+").Result()
	if err != nil {
		l.t.Fatal(err)
	}
	applied := map[string]int{}
	for _, event := range events {
		applied[fmt.Sprint(event.Values["name"])]++
	}
	for name, times := range applied {
		if times > 1 {
			l.t.Errorf("%s was applied %d times", name, times)
		}
	}
	versions := int64(0)
	for _, w := range l.writers {
		record, _ := storetest.Record(l.t, l.store, store.CommentKey(l.fixture.Org, w.id))
		versions += record.Version
		acknowledged += len(w.acknowledged)
		for _, name := range w.acknowledged {
			if applied[name] == 0 {
				lost++
			}
		}
	}
	if versions != int64(len(applied)) {
		l.t.Errorf("%d versions of %d writes", versions, len(applied))
	}
	if report := storetest.Fsck(l.t, l.store, fsck.Options{}); len(report.Findings) > 0 {
		l.t.Errorf("afterwards: %v", report.Findings)
	}
	return acknowledged, lost
}
