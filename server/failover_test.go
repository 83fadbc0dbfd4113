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

// failing is a world whose Redis fails over while a space is transferred or duplicated: before one write the replicas
// are detached, before a later one they are promoted.
type failing struct {
	*servertest.World

	engine storetest.Engine
	config func(*store.Config)
	hook   *servertest.Between
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
	storetest.NeedServer(t)
	failCopies(t, onSentinel(t))
}

// TestClusterFailoverInACopyCampaign does so where the organizations and the content have a master each.
//
//nolint:tparallel // one failover after the other
func TestClusterFailoverInACopyCampaign(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
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
	refusedEdit(noise(4 * room))
	f.Change(d.draft, servertest.NewPage("Small", "Small.\n"))
	o := l.outage(f.random, d.space)
	f.Must(o.Ready(t.Context()))
	for _, key := range []string{f.Org, f.to, d.space} { // each has another of the three masters
		f.Must(l.outage(f.random, key).Detach(t.Context()))
	}
	servertest.Refused(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space}, http.StatusServiceUnavailable, api.ReasonReplicasBehind)
	f.Must(o.Ready(t.Context()))
	servertest.Do(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	f.Clean()
	f.Must(o.Clear(t.Context()))
}

// failCopies aims failovers at transfers and duplicates, in turns.
func failCopies(t *testing.T, l lossy) {
	t.Helper()
	runs, seed := storetest.LongCampaign(t, "failover", 4, 200)
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
			f.Must(f.outage(f.random, f.Org).Clear(t.Context()))
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

func (a *toll) count(hit bool, answer servertest.Answer) {
	if hit {
		a.hit++
	}
	if servertest.Done(answer) {
		a.done++
	} else {
		a.refused++
	}
}

func newFailing(t *testing.T, l lossy, random *rand.Rand, change ...func(*store.Config)) *failing {
	t.Helper()
	f := &failing{engine: l.engine, hook: &servertest.Between{}, random: random, apart: l.apart, outage: l.outage}
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
	f.World = servertest.NewWorld(t, l.engine, f.config)
	f.Unsound = true // at the end nothing is there; it is checked after each failover
	for f.to = servertest.Organization(f.World, "Other"); !f.apart(f.Org, f.to); {
		f.to = servertest.Organization(f.World, "Other")
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
	f.T.Helper()
	d := docs{title: title}
	for d.space = f.NewSpaceIn(title, "").ID; !f.apart(f.Org, f.to, d.space); {
		d.space = f.NewSpaceIn(title, "").ID
	}
	r := f.NewRequest("admin", d.space)
	for n := range failingPages {
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

// aim lets act go through a failover, and then a node that has nothing in memory end what was begun. It reports whether
// the failover was in act.
func (f *failing) aim(writes int64, act func() servertest.Answer, keys ...string) (a servertest.Answer, hit bool) {
	f.T.Helper()
	o := f.outage(f.random, keys...)
	f.Must(o.Ready(f.T.Context()))
	promoted := false
	promote := func() {
		promoted = true
		f.Must(o.Promote(f.T.Context()))
	}
	at, later := 1+f.random.Int64N(writes), int64(1)
	if f.random.IntN(2) == 0 { // what is lost are several steps, which others rest on
		later += f.random.Int64N(failingSteps)
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
		if err := f.Server.RunDueJobs(f.T.Context()); !errors.Is(err, redis.ErrLagging) { // else they are put off, as everywhere
			f.Must(err)
		}
	}
	f.Clean()
	return a, hit
}

// writesOf counts the writes of what succeeds without a failover.
func (f *failing) writesOf(act func() servertest.Answer) int64 {
	f.T.Helper()
	const many = 1 << 30
	f.hook.Left.Store(many)
	if a := act(); !servertest.Done(a) {
		f.T.Fatalf("without a failover: %d %s", a.Status, a.Body)
	}
	return many - f.hook.Left.Swap(0)
}

func (f *failing) give(d docs) func() servertest.Answer {
	return func() servertest.Answer {
		return servertest.Try(f.World, "admin", api.TransferSpace, servertest.TransferSpace(d.space, f.to))
	}
}

func (f *failing) duplicate(d docs) func() servertest.Answer {
	return func() servertest.Answer {
		return servertest.Try(f.World, "admin", api.DuplicateSpace, api.SpaceRef{Space: d.space})
	}
}

// transferred transfers a space.
func (f *failing) transferred(n int, all *toll) {
	f.T.Helper()
	d := f.docs(fmt.Sprint("Docs ", n))
	a, hit := f.aim(f.writes[0], f.give(d), f.Org, f.to, d.space)
	all.count(hit, a)
	servertest.ShownOnce(f.World, d.space, f.Org, f.to, false)
	f.whole(d.space, d)
	servertest.Equal(f.T, "draft", 1, strings.Count(string(f.Call("admin", "GET", "/v1/spaces/"+d.space+"/change-requests/"+d.draft.ChangeRequest+"/content", nil, 200).Body), `"Draft"`))
	servertest.Do(f.World, "admin", api.GetComment, api.CommentInput{CommentRef: api.CommentRef{Space: d.space, Comment: d.comment}})
	f.Call("admin", "PATCH", "/v1/spaces/"+d.space, []byte(`{"title":"Written"}`), 200)
	for name := range f.Dump() {
		if strings.Contains(name, "}:out:") || strings.Contains(name, "}:in:") {
			f.T.Errorf("%s is left", name)
		}
	}
	if hit && servertest.Done(a) {
		servertest.Equal(f.T, "organization", f.to, servertest.Do(f.World, "admin", api.GetSpace, api.GetSpaceInput{Space: d.space}).Organization)
	}
	f.explain(n, a, hit)
}

// duplicated duplicates a space.
func (f *failing) duplicated(n int, all *toll) {
	f.T.Helper()
	d := f.docs(fmt.Sprint("Docs ", n))
	a, hit := f.aim(f.writes[1], f.duplicate(d), f.Org, f.to, d.space)
	all.count(hit, a)
	f.whole(d.space, d)
	copies := 0
	for _, s := range servertest.Do(f.World, "admin", api.ListSpaces, api.ListSpacesInput{Organization: f.Org, ListOptions: api.ListOptions{Limit: api.Some(1000)}}).Items {
		if s.Title == "Copy of "+d.title {
			copies++
			f.whole(s.ID, d)
		}
	}
	if hit && servertest.Done(a) {
		var made api.Space
		f.Must(json.Unmarshal(a.Body, &made))
		f.whole(made.ID, d)
		servertest.Equal(f.T, "copies", 1, copies)
	}
	if copies > 1 {
		f.T.Errorf("%d copies", copies)
	}
	f.explain(n, a, hit)
}

// whole fails the test unless all pages can be read.
func (f *failing) whole(space string, d docs) {
	f.T.Helper()
	for n, page := range d.pages {
		got := servertest.Do(f.World, "admin", api.GetContentPage, api.PageInput{Space: space, Page: page, PageOptions: api.PageOptions{Format: api.FormatMarkdown}})
		servertest.Equal(f.T, "text", textOfPage(n), *got.Markdown)
	}
}

func (f *failing) explain(n int, a servertest.Answer, hit bool) {
	if f.T.Failed() {
		f.T.Logf("run %d: %d %.300s, failover inside: %t", n, a.Status, a.Body, hit)
	}
}
