package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

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
	config             func(*store.Config)
	hook               *servertest.Between
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
	maxWritesBetween  = 12 // maximum number of writes between detaching and promoting: from a commit of one organization to that of the other
)

// failoverSetup is a set-up of Redis servers: whether keys have different masters, and how masters fail.
type failoverSetup struct {
	engine             storetest.Engine
	onDifferentMasters func(keys ...string) bool
	outage             func(random *rand.Rand, keys ...string) storetest.Outage
}

// onSentinel returns a set-up with one master.
func onSentinel(t *testing.T) failoverSetup {
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

// onCluster returns a set-up with three masters, of which one or two fail.
func onCluster(t *testing.T) failoverSetup {
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

// TestSentinelFailoverInACopyCampaign causes failovers during transfers and duplicates on one master. A set-up takes
// seconds to start and to fail over.
//
//nolint:tparallel // one failover after the other
func TestSentinelFailoverInACopyCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	testFailovers(t, onSentinel(t))
}

// TestClusterFailoverInACopyCampaign does the same where the organizations and the content have different masters.
//
//nolint:tparallel // one failover after the other
func TestClusterFailoverInACopyCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	l := onCluster(t)
	testFailovers(t, l)
	t.Run("behind", func(t *testing.T) { testLaggingReplica(t, l) })
}

// testLaggingReplica fills the budget of unreplicated commits and then keeps a replica from following: changes that need either
// are refused and change nothing.
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
		e := servertest.Refused(f.World, "admin", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: d.draft, Body: api.ContentEdit{Changes: []api.ContentChange{change}}},
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
	servertest.Refused(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space}, http.StatusServiceUnavailable, api.ReasonReplicasBehind)
	f.Must(o.Ready(t.Context()))
	servertest.Do(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	f.Clean()
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
	t.Logf("%d transfers and duplicates, %d failovers between two of their writes: %d done, %d refused; all spaces are whole, in one organization each",
		runs, all.hit, all.done, all.refused)
}

// failoverCounts counts the results.
type failoverCounts struct{ hit, done, refused int }

func (a *failoverCounts) count(hit bool, answer servertest.Answer) {
	if hit {
		a.hit++
	}
	if servertest.Done(answer) {
		a.done++
	} else {
		a.refused++
	}
}

func newFailoverWorld(t *testing.T, l failoverSetup, random *rand.Rand, change ...func(*store.Config)) *failoverWorld {
	t.Helper()
	f := &failoverWorld{engine: l.engine, hook: &servertest.Between{}, random: random, onDifferentMasters: l.onDifferentMasters, outage: l.outage}
	prefix := txn.NewIDs(time.Now).New("failing-") + ":"
	f.config = func(c *store.Config) {
		c.Prefix, c.ReplicaWait = prefix, replicaWait
		c.Hooks = append(c.Hooks, f.hook)
		for _, apply := range change {
			apply(c)
		}
	}
	if err := l.outage(random).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.World = servertest.NewWorld(t, l.engine, f.config)
	f.Unsound = true // checked after each failover, since the data is gone at the end
	for f.target = servertest.Organization(f.World, "Other"); !f.onDifferentMasters(f.Org, f.target); {
		f.target = servertest.Organization(f.World, "Other")
	}
	d := f.createDocs("Docs")
	f.writeCounts = [2]int64{f.countWrites(f.transfer(d)), f.countWrites(f.duplicate(d))}
	return f
}

// docs is a space with published pages, a comment and a draft.
type docs struct {
	space, title string
	pages        []string
	draft        api.ChangeRequestRef
	comment      string
}

func (f *failoverWorld) createDocs(title string) docs {
	f.T.Helper()
	d := docs{title: title}
	for d.space = f.NewSpaceIn(title, "").ID; !f.onDifferentMasters(f.Org, f.target, d.space); {
		d.space = f.NewSpaceIn(title, "").ID
	}
	r := f.NewRequest("admin", d.space)
	for n := range pagesPerSpace {
		d.pages = append(d.pages, f.Change(r, servertest.NewPage(fmt.Sprint("Page ", n), textOfPage(n))).Changes[0].Page.ID)
	}
	f.Merged(r)
	d.draft = f.NewRequest("admin", d.space)
	f.Change(d.draft, servertest.NewPage("Draft", "Draft.\n"))
	d.comment = servertest.Do(f.World, "admin", api.CreateComment, api.CreateCommentInput{
		Space: d.space, Body: api.CommentCreate{Page: d.pages[0], Body: servertest.Says("?")},
	}).ID
	return d
}

func textOfPage(n int) string { return fmt.Sprintf("Text %d.\n", n) }

// failDuring calls act during a failover, and then lets a node with empty caches complete the work. hit reports whether the
// failover happened within act.
func (f *failoverWorld) failDuring(writes int64, act func() servertest.Answer, keys ...string) (a servertest.Answer, hit bool) {
	f.T.Helper()
	o := f.outage(f.random, keys...)
	f.Must(o.Ready(f.T.Context()))
	promoted := false
	promote := func() {
		promoted = true
		f.Must(o.Promote(f.T.Context()))
	}
	at, later := 1+f.random.Int64N(writes), int64(1)
	if f.random.IntN(2) == 0 { // loses several dependent steps
		later += f.random.Int64N(maxWritesBetween)
	}
	f.hook.Before(at, func() {
		f.Must(o.Detach(f.T.Context()))
		f.hook.Then = promote
		f.hook.Left.Store(later)
	}, func() { a = act() })
	if hit = promoted; !hit {
		promote()
	}
	if e := a.Error(); !servertest.Done(a) && a.Status != http.StatusServiceUnavailable {
		f.T.Errorf("failover before write %d and %d more: %d %s %s", at, later, a.Status, e.Reason, e.Message)
	}
	f.Must(o.Ready(f.T.Context()))
	f.Store = f.engine.Open(f.T, func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Change = f.Clock.Now, access.New, budgets.Defaults().QuotaChange
	}, f.config)
	f.Serve()
	for range 5 {
		f.Clock.Advance(time.Minute)
		if err := f.Server.RunDueJobs(f.T.Context()); !errors.Is(err, redis.ErrLagging) { // otherwise they are postponed, as in operation
			f.Must(err)
		}
	}
	f.Clean()
	return a, hit
}

// countWrites counts the writes of act without a failover.
func (f *failoverWorld) countWrites(act func() servertest.Answer) int64 {
	f.T.Helper()
	const many = 1 << 30
	f.hook.Left.Store(many)
	if a := act(); !servertest.Done(a) {
		f.T.Fatalf("without a failover: %d %s", a.Status, a.Body)
	}
	return many - f.hook.Left.Swap(0)
}

func (f *failoverWorld) transfer(d docs) func() servertest.Answer {
	return func() servertest.Answer {
		return servertest.Try(f.World, "admin", api.TransferSpace, servertest.TransferSpace(d.space, f.target))
	}
}

func (f *failoverWorld) duplicate(d docs) func() servertest.Answer {
	return func() servertest.Answer {
		return servertest.Try(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	}
}

// testTransfer transfers a space.
func (f *failoverWorld) testTransfer(n int, all *failoverCounts) {
	f.T.Helper()
	d := f.createDocs(fmt.Sprint("Docs ", n))
	a, hit := f.failDuring(f.writeCounts[0], f.transfer(d), f.Org, f.target, d.space)
	all.count(hit, a)
	servertest.ShownOnce(f.World, d.space, f.Org, f.target, false)
	f.checkPages(d.space, d)
	servertest.Equal(f.T, "draft", 1, strings.Count(string(f.Call("admin", "GET", "/v1/spaces/"+d.space+"/change-requests/"+d.draft.ChangeRequest+"/content", nil, 200).Body), `"Draft"`))
	servertest.Do(f.World, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: d.space, Comment: d.comment}})
	f.Call("admin", "PATCH", "/v1/spaces/"+d.space, []byte(`{"title":"Written"}`), 200)
	for name := range f.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			f.T.Errorf("%s is left", name)
		}
	}
	if hit && servertest.Done(a) {
		servertest.Equal(f.T, "organization", f.target, servertest.Do(f.World, "admin", api.GetSpace, api.GetSpaceInput{Space: d.space}).Organization)
	}
	f.explain(n, a, hit)
}

// testDuplicate duplicates a space.
func (f *failoverWorld) testDuplicate(n int, all *failoverCounts) {
	f.T.Helper()
	d := f.createDocs(fmt.Sprint("Docs ", n))
	a, hit := f.failDuring(f.writeCounts[1], f.duplicate(d), f.Org, f.target, d.space)
	all.count(hit, a)
	f.checkPages(d.space, d)
	copies := 0
	for _, s := range servertest.Do(f.World, "admin", api.ListSpaces, api.ListSpacesInput{Organization: f.Org, ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
		if s.Title == "Copy of "+d.title {
			copies++
			f.checkPages(s.ID, d)
		}
	}
	if hit && servertest.Done(a) {
		var made api.Space
		f.Must(json.Unmarshal(a.Body, &made))
		f.checkPages(made.ID, d)
		servertest.Equal(f.T, "copies", 1, copies)
	}
	if copies > 1 {
		f.T.Errorf("%d copies", copies)
	}
	f.explain(n, a, hit)
}

// checkPages fails the test unless all pages can be read.
func (f *failoverWorld) checkPages(space string, d docs) {
	f.T.Helper()
	for n, page := range d.pages {
		got := servertest.Do(f.World, "admin", api.GetContentPage, api.PageInput{Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
		servertest.Equal(f.T, "text", textOfPage(n), *got.Markdown)
	}
}

func (f *failoverWorld) explain(n int, a servertest.Answer, hit bool) {
	if f.T.Failed() {
		f.T.Logf("run %d: %d %.300s, failover inside: %t", n, a.Status, a.Body, hit)
	}
}
