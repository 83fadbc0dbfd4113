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
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// failing is a world whose Redis fails over while a space is transferred or duplicated: before one write the replicas
// are detached, before a later one they are promoted.
type failing struct {
	*world

	engine storetest.Engine
	config func(*store.Config)
	hook   *between
	random *rand.Rand
	to     string   // another organization
	writes [2]int64 // of a transfer, and of a duplicate
	apart  func(keys ...string) bool
	outage func(random *rand.Rand, keys ...string) storetest.Outage
}

const (
	failingWait  = 200 * time.Millisecond // for replicas that do not follow
	failingWorld = 20                     // failovers that a world goes through: more, and fsck takes most of the time
	failingPages = 3
	failingSteps = 12 // writes between the two at most: from a commit of one organization to that of the other
)

// lossy is a set-up of servers: whether keys have different masters where that is possible, and how masters go.
type lossy struct {
	engine storetest.Engine
	apart  func(keys ...string) bool
	outage func(random *rand.Rand, keys ...string) storetest.Outage
}

// onSentinel has one master.
func onSentinel(t *testing.T) lossy {
	t.Helper()
	s, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return lossy{
		engine: storetest.Server("sentinel", s.URL()),
		apart:  func(...string) bool { return true },
		outage: func(*rand.Rand, ...string) storetest.Outage { return s.Outage() },
	}
}

// onCluster has three masters, of which one or two go.
func onCluster(t *testing.T) lossy {
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
	return lossy{engine: storetest.Server("cluster", c.URL()), apart: apart, outage: outage}
}

// TestSentinelFailoverInACopyCampaign aims failovers at transfers and duplicates, on one master. A set-up of Redis takes
// seconds to start and to fail over.
//
//nolint:tparallel // one failover after the other
func TestSentinelFailoverInACopyCampaign(t *testing.T) {
	t.Parallel()
	if !redis.HasServer() {
		return // said once, by storetest.Main
	}
	failCopies(t, onSentinel(t))
}

// TestClusterFailoverInACopyCampaign does so where the organizations and the content have a master each.
//
//nolint:tparallel // one failover after the other
func TestClusterFailoverInACopyCampaign(t *testing.T) {
	t.Parallel()
	if !redis.HasServer() {
		return // said once, by storetest.Main
	}
	l := onCluster(t)
	failCopies(t, l)
	t.Run("behind", func(t *testing.T) { behind(t, l) })
}

// behind fills what commits carry for the replicas, and then keeps a replica from following: what would need either is
// refused and changes nothing.
func behind(t *testing.T, l lossy) {
	const room = 16 << 10
	f := newFailing(t, l, rand.New(rand.NewPCG(1, 1)), func(c *store.Config) { c.OutboxBytes = room })
	d := f.docs("Full")
	noise := func(n int) api.ContentChange {
		text := make([]byte, n)
		for i := range text {
			text[i] = "0123456789abcdef"[f.random.IntN(16)]
		}
		return newPage("Noise", string(text)+"\n")
	}
	refusedEdit := func(change api.ContentChange) {
		t.Helper()
		before := do(f.world, "admin", api.GetChangeRequest, d.draft)
		e := refused(f.world, "admin", api.EditChangeRequestContent, api.EditContentInput{ChangeRequestRef: d.draft, Body: api.ContentEdit{Changes: []api.ContentChange{change}}},
			http.StatusServiceUnavailable, api.ReasonReplicasBehind)
		if !strings.Contains(e.Message, "nothing was changed") {
			t.Errorf("the message is %q", e.Message)
		}
		equal(t, "change request", before, do(f.world, "admin", api.GetChangeRequest, d.draft))
	}
	refusedEdit(noise(4 * room))
	f.change(d.draft, newPage("Small", "Small.\n"))
	o := l.outage(f.random, d.space)
	f.must(o.Ready(t.Context()))
	for _, key := range []string{f.org, f.to, d.space} { // each has another of the three masters
		f.must(l.outage(f.random, key).Detach(t.Context()))
	}
	refused(f.world, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space}, http.StatusServiceUnavailable, api.ReasonReplicasBehind)
	f.must(o.Ready(t.Context()))
	do(f.world, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	f.clean()
	f.must(o.Clear(t.Context()))
}

// failCopies aims failovers at transfers and duplicates, in turns.
func failCopies(t *testing.T, l lossy) {
	t.Helper()
	runs, seed := storetest.Campaign(t, "failover", 4, 200)
	var all toll
	for first := 0; first < runs && !t.Failed(); first += failingWorld {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			f := newFailing(t, l, rand.New(rand.NewPCG(seed, uint64(first))))
			for n := first; n < min(first+failingWorld, runs) && !t.Failed(); n++ {
				if n%2 == 0 {
					f.transferred(n, &all)
				} else {
					f.duplicated(n, &all)
				}
			}
			f.must(f.outage(f.random, f.org).Clear(t.Context()))
		})
	}
	if t.Failed() {
		return
	}
	t.Logf("%d transfers and duplicates, %d failovers between two of their writes: %d done, %d refused; all spaces are whole, in one organization each",
		runs, all.hit, all.done, all.refused)
}

// toll is what happened.
type toll struct{ hit, done, refused int }

func (a *toll) count(hit bool, answer answer) {
	if hit {
		a.hit++
	}
	if done(answer) {
		a.done++
	} else {
		a.refused++
	}
}

func newFailing(t *testing.T, l lossy, random *rand.Rand, change ...func(*store.Config)) *failing {
	t.Helper()
	f := &failing{engine: l.engine, hook: &between{}, random: random, apart: l.apart, outage: l.outage}
	prefix := txn.NewIDs(time.Now).New("failing-") + ":"
	f.config = func(c *store.Config) {
		c.Prefix, c.ReplicaWait = prefix, failingWait
		c.Hooks = append(c.Hooks, f.hook)
		for _, apply := range change {
			apply(c)
		}
	}
	if err := l.outage(random).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.world = newWorld(t, l.engine, f.config)
	f.unsound = true // at the end nothing is there; it is checked after each failover
	for f.to = organization(f.world, "Other"); !f.apart(f.org, f.to); {
		f.to = organization(f.world, "Other")
	}
	d := f.docs("Docs")
	f.writes = [2]int64{f.writesOf(f.give(d)), f.writesOf(f.duplicate(d))}
	return f
}

// docs is a space with published pages, a comment and a draft.
type docs struct {
	space, title string
	pages        []string
	draft        api.ChangeRequestRef
	comment      string
}

func (f *failing) docs(title string) docs {
	f.t.Helper()
	d := docs{title: title}
	for d.space = f.newSpaceIn(title, "").ID; !f.apart(f.org, f.to, d.space); {
		d.space = f.newSpaceIn(title, "").ID
	}
	r := f.newRequest("admin", d.space)
	for n := range failingPages {
		d.pages = append(d.pages, f.change(r, newPage(fmt.Sprint("Page ", n), textOfPage(n))).Changes[0].Page.ID)
	}
	f.merged(r)
	d.draft = f.newRequest("admin", d.space)
	f.change(d.draft, newPage("Draft", "Draft.\n"))
	d.comment = do(f.world, "admin", api.CreateComment, api.CreateCommentInput{
		Space: d.space, Body: api.CommentCreate{Page: d.pages[0], Body: says("?")},
	}).ID
	return d
}

func textOfPage(n int) string { return fmt.Sprintf("Text %d.\n", n) }

// aim lets act go through a failover, and then a node that has nothing in memory end what was begun. It reports whether
// the failover was in act.
func (f *failing) aim(writes int64, act func() answer, keys ...string) (a answer, hit bool) {
	f.t.Helper()
	o := f.outage(f.random, keys...)
	f.must(o.Ready(f.t.Context()))
	promoted := false
	promote := func() {
		promoted = true
		f.must(o.Promote(f.t.Context()))
	}
	at, later := 1+f.random.Int64N(writes), int64(1)
	if f.random.IntN(2) == 0 { // what is lost are several steps, which others rest on
		later += f.random.Int64N(failingSteps)
	}
	f.hook.before(at, func() {
		f.must(o.Detach(f.t.Context()))
		f.hook.then = promote
		f.hook.left.Store(later)
	}, func() { a = act() })
	if hit = promoted; !hit {
		promote()
	}
	if e := a.Error(); !done(a) && a.Status != http.StatusServiceUnavailable {
		f.t.Errorf("failover before write %d and %d more: %d %s %s", at, later, a.Status, e.Reason, e.Message)
	}
	f.must(o.Ready(f.t.Context()))
	f.store = f.engine.Open(f.t, func(c *store.Config) {
		c.Clock, c.Model, c.Quota.Change = f.clock.Now, access.New, budgets.Defaults().QuotaChange
	}, f.config)
	f.serve()
	for range 5 {
		f.clock.Advance(time.Minute)
		if err := f.server.RunDueJobs(f.t.Context()); !errors.Is(err, redis.ErrLagging) { // else they are put off, as everywhere
			f.must(err)
		}
	}
	f.clean()
	return a, hit
}

// writesOf counts the writes of what succeeds without a failover.
func (f *failing) writesOf(act func() answer) int64 {
	f.t.Helper()
	const many = 1 << 30
	f.hook.left.Store(many)
	if a := act(); !done(a) {
		f.t.Fatalf("without a failover: %d %s", a.Status, a.Body)
	}
	return many - f.hook.left.Swap(0)
}

func (f *failing) give(d docs) func() answer {
	return func() answer { return try(f.world, "admin", api.TransferSpace, transferSpace(d.space, f.to)) }
}

func (f *failing) duplicate(d docs) func() answer {
	return func() answer { return try(f.world, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space}) }
}

// transferred transfers a space.
func (f *failing) transferred(n int, all *toll) {
	f.t.Helper()
	d := f.docs(fmt.Sprint("Docs ", n))
	a, hit := f.aim(f.writes[0], f.give(d), f.org, f.to, d.space)
	all.count(hit, a)
	shownOnce(f.world, d.space, f.org, f.to, false)
	f.whole(d.space, d)
	equal(f.t, "draft", 1, strings.Count(string(f.call("admin", "GET", "/v1/spaces/"+d.space+"/change-requests/"+d.draft.ChangeRequest+"/content", nil, 200).Body), `"Draft"`))
	do(f.world, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: d.space, Comment: d.comment}})
	f.call("admin", "PATCH", "/v1/spaces/"+d.space, []byte(`{"title":"Written"}`), 200)
	for name := range f.dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			f.t.Errorf("%s is left", name)
		}
	}
	if hit && done(a) {
		equal(f.t, "organization", f.to, do(f.world, "admin", api.GetSpace, api.GetSpaceInput{Space: d.space}).Organization)
	}
	f.explain(n, a, hit)
}

// duplicated duplicates a space.
func (f *failing) duplicated(n int, all *toll) {
	f.t.Helper()
	d := f.docs(fmt.Sprint("Docs ", n))
	a, hit := f.aim(f.writes[1], f.duplicate(d), f.org, f.to, d.space)
	all.count(hit, a)
	f.whole(d.space, d)
	copies := 0
	for _, s := range do(f.world, "admin", api.ListSpaces, api.ListSpacesInput{Organization: f.org, ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
		if s.Title == "Copy of "+d.title {
			copies++
			f.whole(s.ID, d)
		}
	}
	if hit && done(a) {
		var made api.Space
		f.must(json.Unmarshal(a.Body, &made))
		f.whole(made.ID, d)
		equal(f.t, "copies", 1, copies)
	}
	if copies > 1 {
		f.t.Errorf("%d copies", copies)
	}
	f.explain(n, a, hit)
}

// whole fails the test unless all pages can be read.
func (f *failing) whole(space string, d docs) {
	f.t.Helper()
	for n, page := range d.pages {
		got := do(f.world, "admin", api.GetContentPage, api.PageInput{Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
		equal(f.t, "text", textOfPage(n), *got.Markdown)
	}
}

func (f *failing) explain(n int, a answer, hit bool) {
	if f.t.Failed() {
		f.t.Logf("run %d: %d %.300s, failover inside: %t", n, a.Status, a.Body, hit)
	}
}
