package servertest

import (
	"maps"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// Snapshot is a saved state of a world. Worlds are created from it much faster than from scratch, on any engine.
type Snapshot struct {
	snapshot      storetest.Snapshot
	now           int64
	web           Web
	users         map[string]api.UserFields
	tokens        map[string]string
	org, otherOrg string
}

// Snapshot saves the stored data, users, tokens, web pages and time of the world.
func (w *World) Snapshot() *Snapshot {
	w.T.Helper()
	return &Snapshot{
		snapshot: w.snapshotter.Save(w.T, w.Store), now: w.Clock.ms.Load(), web: maps.Clone(w.Web),
		users: maps.Clone(w.Users), tokens: maps.Clone(w.Tokens), org: w.Org, otherOrg: w.OtherOrg,
	}
}

// World returns a copy of the snapshot at the same time of day, with a new server. change adjusts the configuration
// of its store.
func (o *Snapshot) World(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) *World {
	t.Helper()
	w := emptyWorldAt(t, engine, time.UnixMilli(o.now), change...)
	w.snapshotter.Restore(t, o.snapshot)
	maps.Copy(w.Web, o.web)
	w.Users, w.Tokens = maps.Clone(o.users), maps.Clone(o.tokens)
	w.Org, w.OtherOrg = o.org, o.otherOrg
	w.Serve()
	return w
}

// samples holds the snapshot of the sample organization, which the first test of the binary creates, and its ids.
var samples struct {
	sync.Mutex

	original *Snapshot
	sample   *Sample
}

// NewSampleWorld returns a world with a copy of the sample organization, see Populate.
func NewSampleWorld(t *testing.T, engine storetest.Engine, change ...func(*store.Config)) (*World, *Sample) {
	t.Helper()
	original, sample := sampleSnapshot(t)
	sample.Pages = maps.Clone(sample.Pages)
	return original.World(t, engine, change...), &sample
}

func sampleSnapshot(t *testing.T) (*Snapshot, Sample) {
	t.Helper()
	samples.Lock()
	defer samples.Unlock()
	if samples.original == nil {
		w := NewWorld(t, storetest.Memory())
		s := w.Populate()
		samples.original, samples.sample = w.Snapshot(), s
	}
	return samples.original, *samples.sample
}

// EachSampleWorld runs a test on every engine with a world of its own that contains the sample organization.
func EachSampleWorld(t *testing.T, test func(t *testing.T, w *World, s *Sample)) {
	t.Helper()
	Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		w, s := NewSampleWorld(t, engine)
		test(t, w, s)
	})
}
