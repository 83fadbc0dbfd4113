package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// twoNodes is a world of two nodes on one store. The world's clock is the monotonic clock of both; Redis and the nodes
// have clocks of their own.
type twoNodes struct {
	*servertest.World

	redisOffset atomic.Int64 // offset of the clock of Redis from the world's clock in milliseconds
	nodes       [2]node
}

// node is a server with a store connection and a clock of its own.
type node struct {
	offset  *atomic.Int64 // offset from the world's clock in milliseconds
	store   *store.Store
	server  *server.Server
	handler http.Handler
}

const (
	firstNode = iota
	secondNode
)

func newTwoNodes(t *testing.T, engine storetest.Engine) *twoNodes {
	t.Helper()
	p, prefix := &twoNodes{}, txn.NewIDGenerator(time.Now).New("test-")+":"
	var emulation *miniredis.Miniredis
	if engine.URL() == "" {
		emulation = miniredis.NewMiniRedis()
	}
	shifted := func(clock redis.Clock, offset *atomic.Int64) redis.Clock {
		return func() time.Time { return clock().Add(time.Duration(offset.Load()) * time.Millisecond) }
	}
	p.nodes[firstNode].offset, p.nodes[secondNode].offset = &atomic.Int64{}, &atomic.Int64{}
	jumping := func(i int) func(*store.Config) {
		return func(c *store.Config) {
			clock := c.Clock
			if p.World != nil {
				clock = p.Clock.Now
			}
			start := clock()
			c.Time, c.Clock = shifted(clock, &p.redisOffset), shifted(clock, p.nodes[i].offset)
			c.Monotonic = func() time.Duration { return clock().Sub(start) }
			c.Prefix, c.Emulation, c.Model = prefix, emulation, access.NewModel
		}
	}
	p.World = servertest.NewWorld(t, engine, jumping(firstNode))
	for i := range p.nodes {
		if i == secondNode {
			p.Store = engine.Open(t, jumping(secondNode))
		}
		p.Serve(func(o *server.Options) { o.Clock = shifted(p.Clock.Now, p.nodes[i].offset) })
		p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler = p.Store, p.Server, p.Handler
	}
	p.use(firstNode)
	t.Cleanup(func() { p.use(firstNode) })
	return p
}

// use makes node i serve the following requests.
func (p *twoNodes) use(i int) *servertest.World {
	p.Store, p.Server, p.Handler = p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler
	return p.World
}

// setOffset sets the offset of a node's clock.
func (p *twoNodes) setOffset(i int, ahead time.Duration) {
	p.nodes[i].offset.Store(ahead.Milliseconds())
}

// setRedisOffset sets the offset of the clock of Redis.
func (p *twoNodes) setRedisOffset(ahead time.Duration) { p.redisOffset.Store(ahead.Milliseconds()) }

// compareClocks makes both nodes compare their clocks.
func (p *twoNodes) compareClocks() {
	p.T.Helper()
	for i := range p.nodes {
		p.Must(p.nodes[i].store.CheckClocks(p.T.Context()))
	}
}

// checkPurges runs due jobs on both nodes, before and after they compare their clocks, and checks the number of purged
// spaces.
func (p *twoNodes) checkPurges(what string, want int) {
	p.T.Helper()
	for range 2 {
		p.runJobs()
		servertest.Equal(p.T, "purges "+what, want, servertest.CountPurges(p.World))
		p.compareClocks()
	}
}

// runJobs runs due jobs on both nodes.
func (p *twoNodes) runJobs() {
	p.T.Helper()
	for i := range p.nodes {
		servertest.RunJobs(p.use(i))
	}
}

// offsets are the tested clock offsets.
var offsets = []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour}

// eachOffset runs a test for every offset, with a correct clock on the first node and a wrong one on the second.
func eachOffset(t *testing.T, test func(t *testing.T, p *twoNodes)) {
	t.Helper()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		for _, ahead := range offsets {
			t.Run(ahead.String(), func(t *testing.T) {
				p := newTwoNodes(t, engine)
				p.setOffset(secondNode, ahead)
				test(t, p)
			})
		}
	})
}

// TestClockJumpKeepsTrashForSevenDays checks that an object deleted by a node with a wrong clock can be restored on either node
// for seven days, and that the node with the right clock purges it afterwards, while the other one does not.
func TestClockJumpKeepsTrashForSevenDays(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		var spaces [4]string
		for i := range spaces {
			spaces[i] = p.NewSpaceIn(fmt.Sprint("Space ", i), "").ID
		}
		outer := p.NewCollection("Outer", "").ID
		inside := p.NewSpaceIn("Inside", outer).ID
		for i, space := range spaces {
			servertest.Do(p.use(i%2), "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		}
		servertest.Do(p.use(secondNode), "admin", api.DeleteCollection, api.CollectionRef{Collection: outer})
		p.Clock.Advance(store.TrashTime - time.Second)
		p.runJobs()
		servertest.Do(p.use(secondNode), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[0]})
		servertest.Do(p.use(firstNode), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[1]})
		servertest.Do(p.use(secondNode), "admin", api.RestoreSpace, api.SpaceRef{Space: inside})
		p.Clock.Advance(time.Second)
		for i := range p.nodes {
			servertest.Refused(p.use(i), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[3]}, 404, api.ReasonNotFound)
		}
		servertest.Equal(t, "purges before anybody looks", 0, servertest.CountPurges(p.World))
		servertest.RunJobs(p.use(secondNode))
		servertest.Equal(t, "purges of the node with a wrong clock", 0, servertest.CountPurges(p.World))
		servertest.RunJobs(p.use(firstNode))
		servertest.Equal(t, "purges", 2, servertest.CountPurges(p.World))
		p.checkPurges("afterwards", 2)
		servertest.Do(p.use(firstNode), "admin", api.GetSpace, api.GetSpaceInput{Space: spaces[1]})
	})
}

// TestClockJumpDoesNotDelayJobs checks that a node runs the jobs scheduled by the other at once, whichever clock is
// wrong, and that correcting a clock does not delay earlier jobs.
func TestClockJumpDoesNotDelayJobs(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes {
			slug := fmt.Sprint("spec-", i)
			servertest.PutSpec(p.use(i), slug, api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n"})
			servertest.RunJobs(p.use(1 - i))
			servertest.Equal(t, slug, api.ProcessingComplete, servertest.ReadSpec(p.World, slug).ProcessingState)
		}
		servertest.PutSpec(p.use(secondNode), "late",
			api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Late, version: '1'}\npaths: {}\n"})
		space, _ := p.use(secondNode).NewSpaceWithPage("Findable words.\n")
		p.setOffset(secondNode, 0)
		p.Clock.Advance(10 * time.Second)
		servertest.RunJobs(p.use(secondNode))
		servertest.Equal(t, "late", api.ProcessingComplete, servertest.ReadSpec(p.World, "late").ProcessingState)
		found := servertest.Do(p.use(firstNode), "admin", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "findable"})
		servertest.Equal(t, "found", 1, len(found.Items))
		due := strings.Count(p.Dump()["{"+p.Org+"}:due"], ":")
		servertest.Equal(t, "jobs left", 0, due)
	})
}

// TestClockSetBackDoesNotDelayJobs checks that jobs planned while the clock of Redis was ahead run within eleven minutes after it
// is set back, without a restart, and also those that a later change would have scheduled once more.
func TestClockSetBackDoesNotDelayJobs(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		p := newTwoNodes(t, engine)
		p.compareClocks()
		p.runJobs()
		p.setRedisOffset(30 * 24 * time.Hour)
		p.compareClocks()
		space, page := p.NewSpaceWithPage("Early words.\n")
		servertest.PutSpec(p.World, "late", api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Late, version: '1'}\npaths: {}\n"})
		p.setRedisOffset(0)
		p.compareClocks()
		ref := p.NewRequest("editor", space)
		p.Change(ref, servertest.Write(page, "Findable words.\n"))
		p.MustMerge(ref)
		p.Clock.Advance(10 * time.Minute)
		p.runJobs()
		p.Clock.Advance(time.Minute)
		p.runJobs()
		found := servertest.Do(p.World, "admin", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "findable"})
		servertest.Equal(t, "found", 1, len(found.Items))
		servertest.Equal(t, "late", api.ProcessingComplete, servertest.ReadSpec(p.World, "late").ProcessingState)
		servertest.Equal(t, "jobs left", "", p.Dump()["{"+p.Org+"}:due"])
	})
}

// TestClockJumpKeepsTransferRevocable checks that a transfer can be revoked for exactly seven days on either node.
func TestClockJumpKeepsTransferRevocable(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		p.use(secondNode)
		early := servertest.TransferAway(p.World, false)
		late := servertest.TransferAway(p.World, false)
		p.Clock.Advance(store.TrashTime - time.Second)
		servertest.Do(p.use(firstNode), "admin", api.TakeTransferBack, early.SourceRef())
		servertest.Equal(t, "organization", p.Org,
			servertest.Do(p.World, "admin", api.GetSpace, api.GetSpaceInput{Space: early.Space}).Organization)
		p.Clock.Advance(time.Second)
		for i := range p.nodes {
			servertest.Refused(p.use(i), "admin", api.TakeTransferBack, late.SourceRef(), 409, api.ReasonState)
		}
	})
}

// TestClockJumpKeepsTimesInOrder checks that a change made by a slow clock is not dated before the object that it
// changes.
func TestClockJumpKeepsTimesInOrder(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes { // created by the wrong clock and changed by the correct one, then vice versa
			space, page := p.use(i).NewSpaceWithPage("Text.\n")
			ref := p.NewRequest("editor", space)
			added := p.Change(ref, servertest.NewPage("Added", "Text.\n")).Changes[0].Page.ID
			comment := servertest.Do(p.World, "editor", api.CreateComment, api.CreateCommentInput{
				Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")},
			})
			reply := servertest.Do(p.World, "editor", api.CreateReply, api.CreateReplyInput{
				CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Body: api.ReplyCreate{Body: servertest.CommentBody("!")},
			})
			p.use(1 - i)
			p.Change(ref, servertest.Write(added, "Other text.\n"), servertest.Write(page, "Changed.\n"))
			servertest.Do(p.World, "editor", api.UpdateComment, api.UpdateCommentInput{
				CommentRef: api.CommentRef{
					Space: space, Comment: comment.ID,
				}, Body: api.CommentUpdate{Body: new(servertest.CommentBody("??")), Resolved: api.Some(true)},
			})
			servertest.Do(p.World, "editor", api.UpdateReply, api.UpdateReplyInput{
				ReplyRef: api.ReplyRef{
					CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Reply: reply.ID,
				}, Body: api.ReplyUpdate{Body: new(servertest.CommentBody("!!"))},
			})
			checkTimeOrder(p.World, space)
			checkTimeOrder(p.World, space+"/change-requests/"+ref.ChangeRequest)
			p.MustMerge(ref)
			checkTimeOrder(p.World, space)
			servertest.Equal(t, "text", "Changed.\n", p.PageText(space, page))
		}
	})
}

// checkTimeOrder fails the test unless the times of the object at a path and of the objects nested in it are in order.
func checkTimeOrder(w *servertest.World, path string) {
	w.T.Helper()
	for _, below := range []string{"", "/content/pages", "/comments", "/change-requests"} {
		if below == "/change-requests" && strings.Contains(path, below) {
			continue
		}
		var tree any
		servertest.Decode(w, w.Call("admin", "GET", "/v1/spaces/"+path+below, nil, 200), &tree)
		walkObjects(tree, func(o map[string]any) {
			for made, changes := range map[string][]string{"createdAt": {"updatedAt"}, "postedAt": {"editedAt", "resolvedAt"}} {
				for _, changed := range changes {
					before, _ := o[made].(string)
					after, _ := o[changed].(string)
					if after != "" && after < before {
						w.T.Errorf("%s%s: %s %s, %s %s", path, below, made, before, changed, after)
					}
				}
			}
		})
	}
}

// walkObjects calls fn for all objects of a decoded JSON value.
func walkObjects(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		fn(v)
		for _, member := range v {
			walkObjects(member, fn)
		}
	case []any:
		for _, item := range v {
			walkObjects(item, fn)
		}
	}
}

// TestReplaysAndListsAfterClockJump checks that a repeat gets the first response on either node, and that a list
// contains each item once while both nodes add to it.
func TestReplaysAndListsAfterClockJump(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		space, page := p.NewSpaceWithPage("Text.\n")
		var there []string
		add := func(i int) {
			in := api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: servertest.CommentBody("?")}}
			key := []string{"Idempotency-Key", fmt.Sprint("comment ", len(there))}
			made := servertest.Do(p.use(i), "editor", api.CreateComment, in, key...)
			servertest.Equal(t, "repeat", made.ID, servertest.Do(p.use(1-i), "editor", api.CreateComment, in, key...).ID)
			there = append(there, made.ID)
		}
		for i := range 6 {
			add(i % 2)
		}
		known, n := slices.Clone(there), 0
		seen := servertest.ReadList(p.World, "/v1/spaces/"+space+"/comments", func() { add(n % 2); n++ })
		for _, id := range known {
			if times := len(slices.DeleteFunc(slices.Clone(seen), func(s string) bool { return s != id })); times != 1 {
				t.Errorf("%s was seen %d times of %v", id, times, seen)
			}
		}
		servertest.Equal(t, "comments", len(there), servertest.Do(p.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
	})
}

// TestClockJumpKeepsCredentialLifetime checks that a wrong clock neither extends the life of a credential nor ends it
// once the clock is correct again.
func TestClockJumpKeepsCredentialLifetime(t *testing.T) {
	t.Parallel()
	eachOffset(t, func(t *testing.T, p *twoNodes) {
		p.Tokens["short"] = servertest.Do(p.use(firstNode), "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{
			Name: "short", ExpiresAt: api.Some(api.At(p.Clock.Now().Add(30 * time.Minute))),
		}}).Token
		me := func(i int, as string) int { return p.use(i).Send(as, "GET", "/v1/user", nil).Status }
		wrong := 200
		if p.nodes[secondNode].offset.Load() > 0 {
			wrong = 401
		}
		servertest.Equal(t, "by the wrong clock", wrong, me(secondNode, "short"))
		servertest.Equal(t, "by the right clock", 200, me(firstNode, "short"))

		ref := p.NewRequest("editor", p.NewSpace().ID)
		_, signed := servertest.Upload(p.use(secondNode), ref, "a.txt", "text/plain", []byte("Bytes."))
		p.Clock.Advance(140 * time.Minute)
		servertest.Equal(t, "a signed address after its hour, and one of a wrong clock", 404,
			p.use(firstNode).Send("", "GET", signed, nil).Status)

		who := servertest.NewMember(p.use(secondNode), api.RoleEdit)
		p.Tokens[who] = servertest.Do(p.use(firstNode), who, api.CreateToken, api.CreateTokenInput{
			Body: api.TokenCreate{Name: "bound", Organization: api.Some(p.Org)},
		}).Token
		for i := range p.nodes {
			servertest.Equal(t, "a token for one organization", 200, p.use(i).Send(who, "GET", "/v1/orgs/"+p.Org, nil).Status)
		}

		made := servertest.Do(p.use(firstNode), "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "rotated"}})
		p.Tokens["old"] = made.Token
		servertest.Do(p.use(secondNode), "reader", api.RotateToken, api.RotateTokenInput{
			TokenRef: api.TokenRef{Token: made.ID}, Body: api.TokenRotate{OldValidFor: 3600},
		})
		p.Clock.Advance(time.Hour - time.Second)
		servertest.Equal(t, "a replaced secret within its time", 200, me(firstNode, "old"))
		p.Clock.Advance(time.Second)
		servertest.Equal(t, "a replaced secret after its overlap", 401, me(firstNode, "old"))
	})
}

// TestClockJumpsCauseNoErrorsCampaign checks random operations on two nodes with jumping clocks: no 5xx, all due jobs run, and fsck
// finds no errors.
func TestClockJumpsCauseNoErrorsCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.Campaign(t, "clocks", 120, 10_000)
	p := newTwoNodes(t, storetest.Memory())
	e := newRandomWorldIn(p.World, seed)
	e.rows = slices.DeleteFunc(e.rows, func(row api.Row) bool { // all certificates have expired a year ahead
		return row.Name == api.SetMemberSSO.Name || strings.HasPrefix(row.Name, "saml-providers.")
	})
	for i := range n {
		if i%checkInterval == 0 && i > 0 {
			p.use(e.random.IntN(2))
			e.runNightlyJobs()
		}
		if i%10 == 0 {
			p.setOffset(e.random.IntN(2), append(offsets, 0)[e.random.IntN(len(offsets)+1)])
		}
		p.use(e.random.IntN(2))
		e.step()
	}
	for i := range p.nodes {
		p.setOffset(i, 0)
	}
	e.runNightlyJobs()
	done := 0
	for _, times := range e.successes {
		done += times
	}
	if t.Logf("%d of %d requests were done", done, n); done < n/2 {
		t.Error("too few")
	}
}
