package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// commitHook is a hook that calls functions just before the next objects are written and just before the next commit after
// them.
type commitHook struct {
	storetest.Trips

	mu              sync.Mutex
	objects, commit func()
}

// set sets the functions to call before the next objects and before the next commit.
func (a *commitHook) set(objects, commit func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.objects, a.commit = objects, commit
}

// take returns and clears the function to call before objects or, if commit is set, before a commit. The one for a commit is
// only returned after the one for objects.
func (a *commitHook) take(commit bool) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	var do func()
	switch {
	case !commit:
		do, a.objects = a.objects, nil
	case a.objects == nil:
		do, a.commit = a.commit, nil
	}
	if do == nil {
		return func() {}
	}
	return do
}

func (a *commitHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if strings.HasPrefix(command.Name(), "eval") && strings.Contains(fmt.Sprint(command.Args()[3]), "}:op:") {
			a.take(true)()
		}
		if store.StoresObjects(command) {
			a.take(false)()
		}
		return next(ctx, command)
	}
}

func (a *commitHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// replicaWait is how long tests wait for lagging replicas.
const replicaWait = 200 * time.Millisecond

// failovers tests writes to a space during failovers of its Redis.
type failovers struct {
	t       *testing.T
	engine  storetest.Engine
	store   *store.Store
	hook    *commitHook
	fixture storetest.Fixture
}

func newFailovers(t *testing.T, engine storetest.Engine) *failovers {
	t.Helper()
	hook := &commitHook{}
	s := engine.Open(t, func(c *store.Config) { c.Hooks, c.ReplicaWait = append(c.Hooks, hook), replicaWait })
	return &failovers{t: t, engine: engine, store: s, hook: hook, fixture: storetest.NewFixture(t, s)}
}

// newNode opens the data in a node with empty caches.
func (f *failovers) newNode() *store.Store {
	f.t.Helper()
	return reopen(f.t, f.engine, f.store)
}

// write adds a page to the space.
func (f *failovers) write(name string) error {
	return f.store.Update(f.t.Context(), store.Organization(f.fixture.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		head, _, err := tx.Head(f.fixture.Org, f.fixture.Space)
		if err != nil {
			return err
		}
		return storetest.AddPage(tx, f.store.Content(f.fixture.Space), f.fixture.Org, head, name)
	})
}

// writeDuringFailover writes a page whose objects do not reach the replica, which is promoted before the commit. The result of the
// write and the data read by a new node must agree. It returns the problems.
func (f *failovers) writeDuringFailover(name string, detach, promote func(context.Context) error) (problems []string) {
	f.t.Helper()
	must := func(do func(context.Context) error) func() {
		return func() {
			if err := do(f.t.Context()); err != nil {
				f.t.Errorf("%s: %v", name, err)
			}
		}
	}
	f.hook.set(must(detach), must(promote))
	err := f.write(name)
	if err != nil && !errors.Is(err, redis.ErrUnavailable) {
		problems = append(problems, fmt.Sprintf("%s: %v", name, err))
	}
	fresh := f.newNode()
	defer func() { _ = fresh.Close() }()
	report, failed := fsck.Run(f.t.Context(), fresh, fsck.Options{})
	for _, finding := range report.Findings {
		problems = append(problems, fmt.Sprintf("%s: fsck: %s", name, finding))
	}
	if failed != nil {
		problems = append(problems, fmt.Sprintf("%s: fsck: %v", name, failed))
	}
	text, failed := f.read(fresh, name)
	if err == nil && (failed != nil || text != "text of "+name) {
		problems = append(problems, fmt.Sprintf("%s was acknowledged, and a fresh node reads %q, %v", name, text, failed))
	}
	return problems
}

// read reads a page through its head; "" = the head does not contain it.
func (f *failovers) read(s *store.Store, name string) (text string, err error) {
	batch := s.NewBatch()
	future := batch.Field(store.HeadsKey(f.fixture.Org), f.fixture.Space)
	if err := batch.Do(f.t.Context()); err != nil {
		return "", err
	}
	stored := future.Value()
	head, err := store.ParseHead(stored)
	if err != nil {
		return "", err
	}
	content := s.Content(f.fixture.Space)
	entries, err := content.Get(f.t.Context(), head.Pages, "p_"+name)
	if err != nil || len(entries) == 0 {
		return "", err
	}
	payload, err := content.Object(f.t.Context(), entries["p_"+name].Refs[0])
	return string(payload), err
}

// TestSentinelFailoverBeforeCommitLosesNoObjectsCampaign checks that no objects are lost if a replica without them is promoted
// just before the commit that refers to them. It first does so without fencing, which must be detected.
func TestSentinelFailoverBeforeCommitLosesNoObjectsCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	runs, _ := storetest.LongCampaign(t, "failover", 2, 200)
	sentinel, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	engine := storetest.Server("sentinel", sentinel.URL())
	run := func(f *failovers, name string) []string {
		o := sentinel.Outage()
		if err := o.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		return f.writeDuringFailover(name, o.Detach, o.Promote)
	}
	f := newFailovers(t, engine)
	for n := range runs {
		for _, problem := range run(f, fmt.Sprint("n", n)) {
			t.Error(problem)
		}
	}
	unfenced := newFailovers(t, engine)
	store.Unfence(unfenced.store)
	if problems := run(unfenced, "unfenced"); len(problems) == 0 {
		t.Error("without the fence nothing is wrong: these failovers miss")
	} else {
		t.Logf("without the fence: %s", problems[0])
	}
	clearDamaged(t, unfenced.store)
}

// clearDamaged clears a store that a test has damaged on purpose.
func clearDamaged(t *testing.T, s *store.Store) {
	t.Helper()
	client, prefix := store.Client(s)
	names, err := client.Keys(t.Context(), prefix+"*").Result()
	for _, name := range names {
		err = errors.Join(err, client.Del(t.Context(), name).Err())
	}
	if err != nil {
		t.Error(err)
	}
}
