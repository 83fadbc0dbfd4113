package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// failoverWorld is a world whose Redis fails over while a space is transferred or duplicated: the replicas are detached
// before one write and promoted before a later one.
type failoverWorld struct {
	*servertest.World

	engine             storetest.Engine
	configure          func(*store.Config)
	hook               *servertest.WriteHook
	random             *rand.Rand
	target             string   // target organization
	writeCounts        [2]int64 // number of writes of a transfer and a duplicate
	onDifferentMasters func(keys ...string) bool
	outage             func(random *rand.Rand, keys ...string) storetest.Outage
}

const (
	replicaWait       = 200 * time.Millisecond // for replicas that lag
	failoversPerWorld = 20                     // failovers per world; with more of them, fsck dominates the time
	pagesPerSpace     = 3
	// maxDetachedWrites is the maximum number of writes between detaching and promoting: from a commit of one organization
	// to that of the other.
	maxDetachedWrites = 12
)

// failoverSetup is a set-up of Redis servers: whether keys have different masters, and how masters fail.
type failoverSetup struct {
	engine             storetest.Engine
	onDifferentMasters func(keys ...string) bool
	outage             func(random *rand.Rand, keys ...string) storetest.Outage
}

// sentinelSetup starts Redis servers with one master under Sentinel and returns a set-up in which this master fails.
func sentinelSetup(t *testing.T) failoverSetup {
	t.Helper()
	s, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return failoverSetup{
		engine:             storetest.Server("sentinel", s.URL()),
		onDifferentMasters: func(...string) bool { return true },
		outage:             func(*rand.Rand, ...string) storetest.Outage { return s.Outage() },
	}
}

// clusterSetup starts a Redis Cluster with three masters and returns a set-up in which one or two of them fail.
func clusterSetup(t *testing.T) failoverSetup {
	t.Helper()
	c, err := storetest.StartCluster(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	apart := func(keys ...string) bool {
		masters := map[string]bool{}
		for _, key := range keys {
			master, err := c.Master(t.Context(), "{"+key+"}")
			if err != nil {
				t.Fatal(err)
			}
			masters[master.Addr] = true
		}
		return len(masters) == len(keys)
	}
	outage := func(random *rand.Rand, keys ...string) storetest.Outage {
		tagged := make([]string, len(keys))
		for i, at := range random.Perm(len(keys)) {
			tagged[i] = "{" + keys[at] + "}"
		}
		return c.Outage(tagged[:min(len(tagged), 1+random.IntN(2))]...)
	}
	return failoverSetup{engine: storetest.Server("cluster", c.URL()), onDifferentMasters: apart, outage: outage}
}

// TestCopiesSurviveSentinelFailoverCampaign causes failovers during transfers and duplicates on one master. A set-up
// takes seconds to start and to fail over.
//
//nolint:tparallel // one failover after the other
func TestCopiesSurviveSentinelFailoverCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	testFailovers(t, sentinelSetup(t))
}

// TestCopiesSurviveClusterFailoverCampaign does the same where the organizations and the content have different
// masters.
//
//nolint:tparallel // one failover after the other
func TestCopiesSurviveClusterFailoverCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	l := clusterSetup(t)
	testFailovers(t, l)
	t.Run("lagging replica", func(t *testing.T) { testLaggingReplica(t, l) })
}

// testLaggingReplica checks that changes are refused, and change nothing, if they exceed the budget of unreplicated commits or
// if replicas are detached.
func testLaggingReplica(t *testing.T, l failoverSetup) {
	const outboxBytes = 16 << 10
	f := newFailoverWorld(t, l, rand.New(rand.NewPCG(1, 1)), func(c *store.Config) { c.OutboxBytes = outboxBytes })
	d := f.createDocs("Full")
	noise := func(n int) api.ContentChange {
		text := make([]byte, n)
		for i := range text {
			text[i] = "0123456789abcdef"[f.random.IntN(16)]
		}
		return servertest.NewPage("Noise", string(text)+"\n")
	}
	refusedEdit := func(change api.ContentChange) {
		t.Helper()
		before := servertest.Do(f.World, "admin", api.GetChangeRequest, d.draft)
		e := servertest.Refused(f.World, "admin", api.EditChangeRequestContent, api.EditContentInput{
			ChangeRequestRef: d.draft, Body: api.ContentEdit{Changes: []api.ContentChange{change}},
		},
			http.StatusServiceUnavailable, api.ReasonReplicasBehind)
		if !strings.Contains(e.Message, "nothing was changed") {
			t.Errorf("the message is %q", e.Message)
		}
		servertest.Equal(t, "change request", before, servertest.Do(f.World, "admin", api.GetChangeRequest, d.draft))
	}
	refusedEdit(noise(4 * outboxBytes))
	f.Change(d.draft, servertest.NewPage("Small", "Small.\n"))
	o := l.outage(f.random, d.space)
	f.Must(o.Ready(t.Context()))
	for _, key := range []string{f.Org, f.target, d.space} { // each on a different master
		f.Must(l.outage(f.random, key).Detach(t.Context()))
	}
	servertest.Refused(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space}, http.StatusServiceUnavailable,
		api.ReasonReplicasBehind)
	f.Must(o.Ready(t.Context()))
	servertest.Do(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	f.WantClean()
	f.Must(o.Clear(t.Context()))
}

// testFailovers causes failovers during transfers and duplicates alternately.
func testFailovers(t *testing.T, l failoverSetup) {
	t.Helper()
	runs, seed := storetest.LongCampaign(t, "failover", 4, 200)
	var all failoverCounts
	for first := 0; first < runs && !t.Failed(); first += failoversPerWorld {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			f := newFailoverWorld(t, l, rand.New(rand.NewPCG(seed, uint64(first))))
			for n := first; n < min(first+failoversPerWorld, runs) && !t.Failed(); n++ {
				if n%2 == 0 {
					f.testTransfer(n, &all)
				} else {
					f.testDuplicate(n, &all)
				}
			}
			f.Must(f.outage(f.random, f.Org).Clear(t.Context()))
		})
	}
	if t.Failed() {
		return
	}
	t.Logf("%d transfers and duplicates, %d failovers between two of their writes: %d done, %d refused; all spaces are whole, in one "+
		"organization each",
		runs, all.hit, all.done, all.refused)
}

// failoverCounts counts the failovers within an operation, and the operations that succeeded and were refused.
type failoverCounts struct{ hit, done, refused int }

func (c *failoverCounts) count(hit bool, response servertest.Response) {
	if hit {
		c.hit++
	}
	if servertest.Succeeded(response) {
		c.done++
	} else {
		c.refused++
	}
}

func newFailoverWorld(t *testing.T, l failoverSetup, random *rand.Rand, change ...func(*store.Config)) *failoverWorld {
	t.Helper()
	f := &failoverWorld{
		engine: l.engine, hook: &servertest.WriteHook{Ignored: usesPermit}, random: random,
		onDifferentMasters: l.onDifferentMasters, outage: l.outage,
	}
	prefix := txn.NewIDGenerator(time.Now).New("failing-") + ":"
	f.configure = func(c *store.Config) {
		c.Prefix, c.ReplicaWait = prefix, replicaWait
		c.Hooks = append(c.Hooks, f.hook)
		for _, apply := range change {
			apply(c)
		}
	}
	if err := l.outage(random).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.World = servertest.NewWorld(t, l.engine, f.configure)
	f.SkipFsck = true // checked after each failover, since the data is gone at the end
	for f.target = servertest.NewOrganization(f.World, "Other"); !f.onDifferentMasters(f.Org, f.target); {
		f.target = servertest.NewOrganization(f.World, "Other")
	}
	d := f.createDocs("Docs")
	f.writeCounts = [2]int64{f.countWrites(f.transfer(d)), f.countWrites(f.duplicate(d))}
	return f
}

// usesPermit reports whether a command acquires or releases a permit of a user. The release follows the commit: a failover
// before it may lose a commit on a master whose replicas are detached.
func usesPermit(command goredis.Cmder) bool {
	return slices.ContainsFunc(command.Args(), func(arg any) bool {
		name, ok := arg.(string)
		return ok && strings.HasPrefix(name, "failing-") && strings.HasSuffix(name, ":turns")
	})
}

// docs is a space with published pages, a comment and a draft.
type docs struct {
	space, title string
	pages        []string
	draft        api.ChangeRequestRef
	comment      string
}

func (w *failoverWorld) createDocs(title string) docs {
	w.T.Helper()
	d := docs{title: title}
	for d.space = w.NewSpaceIn(title, "").ID; !w.onDifferentMasters(w.Org, w.target, d.space); {
		d.space = w.NewSpaceIn(title, "").ID
	}
	r := w.NewRequest("admin", d.space)
	for n := range pagesPerSpace {
		d.pages = append(d.pages, w.Change(r, servertest.NewPage(fmt.Sprint("Page ", n), textOfPage(n))).Changes[0].Page.ID)
	}
	w.MustMerge(r)
	d.draft = w.NewRequest("admin", d.space)
	w.Change(d.draft, servertest.NewPage("Draft", "Draft.\n"))
	d.comment = servertest.Do(w.World, "admin", api.CreateComment, api.CreateCommentInput{
		Space: d.space, Body: api.CommentCreate{Page: d.pages[0], Body: servertest.CommentBody("?")},
	}).ID
	return d
}

func textOfPage(n int) string { return fmt.Sprintf("Text %d.\n", n) }

// failDuring calls act during a failover, and then lets a node with empty caches complete the work. hit reports whether the
// failover happened within act.
func (w *failoverWorld) failDuring(writes int64, act func() servertest.Response, keys ...string) (a servertest.Response, hit bool) {
	w.T.Helper()
	o := w.outage(w.random, keys...)
	w.Must(o.Ready(w.T.Context()))
	promoted := false
	promote := func() {
		promoted = true
		w.Must(o.Promote(w.T.Context()))
	}
	at, later := 1+w.random.Int64N(writes), int64(1)
	if w.random.IntN(2) == 0 { // the failover loses several dependent steps
		later += w.random.Int64N(maxDetachedWrites)
	}
	w.hook.Before(at, func() {
		w.Must(o.Detach(w.T.Context()))
		w.hook.Func = promote
		w.hook.Remaining.Store(later)
	}, func() { a = act() })
	if hit = promoted; !hit {
		promote()
	}
	if e := a.Error(); !servertest.Succeeded(a) && a.Status != http.StatusServiceUnavailable {
		w.T.Errorf("failover before write %d and %d more: %d %s %s", at, later, a.Status, e.Reason, e.Message)
	}
	w.Must(o.Ready(w.T.Context()))
	w.Store = w.engine.Open(w.T, func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Allowance = w.Clock.Now, access.NewModel, budgets.Defaults().QuotaChangeBytes
	}, w.configure)
	w.Serve()
	for range 5 {
		w.Clock.Advance(time.Minute)
		if err := w.Server.RunDueJobs(w.T.Context()); !errors.Is(err, redis.ErrLagging) { // jobs that fail with ErrLagging are postponed
			w.Must(err)
		}
	}
	w.WantClean()
	return a, hit
}

// countWrites returns the number of writes of act without a failover. It fails the test if act does not succeed.
func (w *failoverWorld) countWrites(act func() servertest.Response) int64 {
	w.T.Helper()
	const many = 1 << 30
	w.hook.Remaining.Store(many)
	if a := act(); !servertest.Succeeded(a) {
		w.T.Fatalf("without a failover: %d %s", a.Status, a.Body)
	}
	return many - w.hook.Remaining.Swap(0)
}

func (w *failoverWorld) transfer(d docs) func() servertest.Response {
	return func() servertest.Response {
		return servertest.Try(w.World, "admin", api.TransferSpace, servertest.TransferInput(d.space, w.target))
	}
}

func (w *failoverWorld) duplicate(d docs) func() servertest.Response {
	return func() servertest.Response {
		return servertest.Try(w.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	}
}

// testTransfer transfers a space during a failover. It fails the test unless exactly one organization then has the complete
// space, which can be changed, and no transfer data is left.
func (w *failoverWorld) testTransfer(n int, all *failoverCounts) {
	w.T.Helper()
	d := w.createDocs(fmt.Sprint("Docs ", n))
	a, hit := w.failDuring(w.writeCounts[0], w.transfer(d), w.Org, w.target, d.space)
	all.count(hit, a)
	servertest.WantListedOnce(w.World, d.space, w.Org, w.target, false)
	w.checkPages(d.space, d)
	servertest.Equal(w.T, "draft", 1,
		strings.Count(string(w.Call("admin", "GET", "/v1/spaces/"+d.space+"/change-requests/"+d.draft.ChangeRequest+"/content", nil,
			200).Body), `"Draft"`))
	servertest.Do(w.World, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: d.space, Comment: d.comment}})
	w.Call("admin", "PATCH", "/v1/spaces/"+d.space, []byte(`{"title":"Written"}`), 200)
	for name := range w.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			w.T.Errorf("%s is left", name)
		}
	}
	if hit && servertest.Succeeded(a) {
		servertest.Equal(w.T, "organization", w.target,
			servertest.Do(w.World, "admin", api.GetSpace, api.GetSpaceInput{Space: d.space}).Organization)
	}
	w.explain(n, a, hit)
}

// testDuplicate duplicates a space during a failover. It fails the test unless the original and the copy, if there is one, are
// complete and there is at most one copy.
func (w *failoverWorld) testDuplicate(n int, all *failoverCounts) {
	w.T.Helper()
	d := w.createDocs(fmt.Sprint("Docs ", n))
	a, hit := w.failDuring(w.writeCounts[1], w.duplicate(d), w.Org, w.target, d.space)
	all.count(hit, a)
	w.checkPages(d.space, d)
	copies := 0
	for _, s := range servertest.Do(w.World, "admin", api.ListSpaces, api.ListSpacesInput{
		Organization: w.Org, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	}).Items {
		if s.Title == "Copy of "+d.title {
			copies++
			w.checkPages(s.ID, d)
		}
	}
	if hit && servertest.Succeeded(a) {
		var made api.Space
		w.Must(json.Unmarshal(a.Body, &made))
		w.checkPages(made.ID, d)
		servertest.Equal(w.T, "copies", 1, copies)
	}
	if copies > 1 {
		w.T.Errorf("%d copies", copies)
	}
	w.explain(n, a, hit)
}

// checkPages fails the test unless all pages of d have their original texts in a space.
func (w *failoverWorld) checkPages(space string, d docs) {
	w.T.Helper()
	for n, page := range d.pages {
		got := servertest.Do(w.World, "admin", api.GetContentPage, api.PageInput{
			Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown},
		})
		servertest.Equal(w.T, "text", textOfPage(n), *got.Markdown)
	}
}

func (w *failoverWorld) explain(n int, a servertest.Response, hit bool) {
	if w.T.Failed() {
		w.T.Logf("run %d: %d %.300s, failover inside: %t", n, a.Status, a.Body, hit)
	}
}
