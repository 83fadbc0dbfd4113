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
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// twoNodes is a world of two nodes on one store, each with a clock of its own. The clock of the world is that of Redis.
type twoNodes struct {
	*world

	nodes [2]node
}

// node is one of them.
type node struct {
	ahead   *atomic.Int64 // milliseconds before the clock of Redis
	store   *store.Store
	server  *server.Server
	handler http.Handler
}

const (
	first = iota
	second
)

func newTwoNodes(t *testing.T, engine storetest.Engine) *twoNodes {
	t.Helper()
	p, prefix := &twoNodes{}, txn.NewIDs(time.Now).New("test-")+":"
	var emulation *miniredis.Miniredis
	if engine.URL() == "" {
		emulation = miniredis.NewMiniRedis()
	}
	clockOf := func(i int, c *clock) redis.Clock {
		return func() time.Time { return c.Now().Add(time.Duration(p.nodes[i].ahead.Load()) * time.Millisecond) }
	}
	p.nodes[first].ahead, p.nodes[second].ahead = &atomic.Int64{}, &atomic.Int64{}
	jumping := func(i int) func(*store.Config) {
		return func(c *store.Config) {
			if p.world == nil {
				told := c.Clock
				c.Time, c.Clock = told, func() time.Time { return told().Add(time.Duration(p.nodes[i].ahead.Load()) * time.Millisecond) }
			} else {
				c.Time, c.Clock = p.clock.Now, clockOf(i, p.clock)
			}
			c.Prefix, c.Emulation, c.Model = prefix, emulation, access.New
		}
	}
	p.world = newWorld(t, engine, jumping(first))
	for i := range p.nodes {
		if i == second {
			p.store = engine.Open(t, jumping(second))
		}
		p.serve(func(o *server.Options) { o.Clock = clockOf(i, p.clock) })
		p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler = p.store, p.server, p.handler
	}
	p.on(first)
	t.Cleanup(func() { p.on(first) })
	return p
}

// on makes what follows happen on a node.
func (p *twoNodes) on(i int) *world {
	p.store, p.server, p.handler = p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler
	return p.world
}

// jump sets the clock of a node so far before that of Redis; negative is behind.
func (p *twoNodes) jump(i int, ahead time.Duration) { p.nodes[i].ahead.Store(ahead.Milliseconds()) }

// jobs lets every node do what is due.
func (p *twoNodes) jobs() {
	p.t.Helper()
	for i := range p.nodes {
		runJobs(p.on(i))
	}
}

// jumps are how far a clock is moved.
var jumps = []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour}

// eachJump runs a test with a first node whose clock is right and a second whose clock is not, for every jump.
func eachJump(t *testing.T, test func(t *testing.T, p *twoNodes)) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		for _, ahead := range jumps {
			t.Run(ahead.String(), func(t *testing.T) {
				p := newTwoNodes(t, engine)
				p.jump(second, ahead)
				test(t, p)
			})
		}
	})
}

// What was deleted by a node whose clock is wrong can be restored for seven days, by either, and goes then: by whichever
// looks first.
func TestJumpAndTheTrash(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		var spaces [4]string
		for i := range spaces {
			spaces[i] = p.newSpaceIn(fmt.Sprint("Space ", i), "").ID
		}
		outer := p.newCollection("Outer", "").ID
		inside := p.newSpaceIn("Inside", outer).ID
		for i, space := range spaces {
			do(p.on(i%2), "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		}
		do(p.on(second), "admin", api.DeleteCollection, api.CollectionRef{Collection: outer})
		p.clock.Advance(store.TrashTime - time.Second)
		p.jobs()
		do(p.on(second), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[0]})
		do(p.on(first), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[1]})
		do(p.on(second), "admin", api.RestoreSpace, api.SpaceRef{Space: inside})
		p.clock.Advance(time.Second)
		for i := range p.nodes {
			refused(p.on(i), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[3]}, 404, api.ReasonNotFound)
		}
		equal(t, "purges before anybody looks", 0, purges(p.world))
		runJobs(p.on(second))
		equal(t, "purges", 2, purges(p.world))
		p.jobs()
		equal(t, "purges afterwards", 2, purges(p.world))
		do(p.on(first), "admin", api.GetSpace, api.GetSpaceInput{Space: spaces[1]})
	})
}

// Jobs that one node makes are done by the other, at once, whose ever clock is wrong; and when a clock that was wrong
// is put right, what is there from before does not wait for it.
func TestJumpAndJobs(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes {
			slug := fmt.Sprint("spec-", i)
			putSpec(p.on(i), slug, api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n"})
			runJobs(p.on(1 - i))
			equal(t, slug, api.ProcessingComplete, specRead(p.world, slug).ProcessingState)
		}
		putSpec(p.on(second), "late", api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Late, version: '1'}\npaths: {}\n"})
		space, _ := p.on(second).seed("Findable words.\n")
		p.jump(second, 0)
		p.clock.Advance(10 * time.Second)
		runJobs(p.on(second))
		equal(t, "late", api.ProcessingComplete, specRead(p.world, "late").ProcessingState)
		found := do(p.on(first), "admin", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "findable"})
		equal(t, "found", 1, len(found.Items))
		due := strings.Count(p.dump()["{"+p.org+"}:due"], ":")
		equal(t, "jobs left", 0, due)
	})
}

// A transfer can be taken back for seven days and not after them, whichever node made it and whichever is asked.
func TestJumpAndTakingBack(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		p.on(second)
		early := giveAway(p.world, false)
		late := giveAway(p.world, false)
		p.clock.Advance(store.TrashTime - time.Second)
		do(p.on(first), "admin", api.TakeTransferBack, early.mine())
		equal(t, "organization", p.org, do(p.world, "admin", api.GetSpace, api.GetSpaceInput{Space: early.space}).Organization)
		p.clock.Advance(time.Second)
		for i := range p.nodes {
			refused(p.on(i), "admin", api.TakeTransferBack, late.mine(), 409, api.ReasonState)
		}
	})
}

// What is written by a clock that is behind is not told to be older than what it changes.
func TestJumpAndWhatIsTold(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes { // once made by the wrong clock and changed by the right one, once the other way round
			space, page := p.on(i).seed("Text.\n")
			ref := p.newRequest("editor", space)
			added := p.change(ref, newPage("Added", "Text.\n")).Changes[0].Page.ID
			comment := do(p.world, "editor", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("?")}})
			reply := do(p.world, "editor", api.CreateReply, api.CreateReplyInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Body: api.ReplyCreate{Body: says("!")}})
			p.on(1 - i)
			p.change(ref, write(added, "Other text.\n"), write(page, "Changed.\n"))
			do(p.world, "editor", api.UpdateComment, api.UpdateCommentInput{
				CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Body: api.CommentUpdate{Body: new(says("??")), Resolved: api.Some(true)},
			})
			do(p.world, "editor", api.UpdateReply, api.UpdateReplyInput{
				ReplyRef: api.ReplyRef{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Reply: reply.ID}, Body: api.ReplyUpdate{Body: new(says("!!"))},
			})
			toldInOrder(p.world, space)
			toldInOrder(p.world, space+"/change-requests/"+ref.ChangeRequest)
			p.merged(ref)
			toldInOrder(p.world, space)
			equal(t, "text", "Changed.\n", p.text(space, page))
		}
	})
}

// toldInOrder looks at a thing and all below it for times that do not follow each other.
func toldInOrder(w *world, path string) {
	w.t.Helper()
	for _, below := range []string{"", "/content/pages", "/comments", "/change-requests"} {
		if below == "/change-requests" && strings.Contains(path, below) {
			continue
		}
		var tree any
		decode(w, w.call("admin", "GET", "/v1/spaces/"+path+below, nil, 200), &tree)
		eachObject(tree, func(o map[string]any) {
			for made, changes := range map[string][]string{"createdAt": {"updatedAt"}, "postedAt": {"editedAt", "resolvedAt"}} {
				for _, changed := range changes {
					before, _ := o[made].(string)
					after, _ := o[changed].(string)
					if after != "" && after < before {
						w.t.Errorf("%s%s: %s %s, %s %s", path, below, made, before, changed, after)
					}
				}
			}
		})
	}
}

// eachObject hands over the objects of a decoded JSON.
func eachObject(v any, fn func(map[string]any)) {
	switch v := v.(type) {
	case map[string]any:
		fn(v)
		for _, member := range v {
			eachObject(member, fn)
		}
	case []any:
		for _, item := range v {
			eachObject(item, fn)
		}
	}
}

// A repeat gets the answer of the first, wherever it comes to; and a list shows what is there exactly once while both
// nodes add to it.
func TestJumpAndRepeats(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		space, page := p.seed("Text.\n")
		var there []string
		add := func(i int) {
			in := api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: says("?")}}
			key := []string{"Idempotency-Key", fmt.Sprint("comment ", len(there))}
			made := do(p.on(i), "editor", api.CreateComment, in, key...)
			equal(t, "repeat", made.ID, do(p.on(1-i), "editor", api.CreateComment, in, key...).ID)
			there = append(there, made.ID)
		}
		for i := range 6 {
			add(i % 2)
		}
		known, n := slices.Clone(there), 0
		seen := walkOf(p.world, "/v1/spaces/"+space+"/comments", func() { add(n % 2); n++ })
		for _, id := range known {
			if times := len(slices.DeleteFunc(slices.Clone(seen), func(s string) bool { return s != id })); times != 1 {
				t.Errorf("%s was seen %d times of %v", id, times, seen)
			}
		}
		equal(t, "comments", len(there), do(p.world, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
	})
}

// A credential does not last longer because a clock was wrong, and is not gone when it is right again.
func TestJumpAndCredentials(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		p.tokens["short"] = do(p.on(first), "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{
			Name: "short", ExpiresAt: api.Some(api.At(p.clock.Now().Add(30 * time.Minute))),
		}}).Token
		me := func(i int, as string) int { return p.on(i).raw(as, "GET", "/v1/user", nil).Status }
		wrong := 200
		if p.nodes[second].ahead.Load() > 0 {
			wrong = 401
		}
		equal(t, "by the wrong clock", wrong, me(second, "short"))
		equal(t, "by the right clock", 200, me(first, "short"))

		ref := p.newRequest("editor", p.newSpace().ID)
		_, signed := upload(p.on(second), ref, "a.txt", "text/plain", []byte("Bytes."))
		p.clock.Advance(140 * time.Minute)
		equal(t, "a signed address after its hour, and one of a wrong clock", 404, p.on(first).raw("", "GET", signed, nil).Status)

		who := newcomer(p.on(second), api.RoleEdit)
		p.tokens[who] = do(p.on(first), who, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(p.org)}}).Token
		for i := range p.nodes {
			equal(t, "a token for one organization", 200, p.on(i).raw(who, "GET", "/v1/orgs/"+p.org, nil).Status)
		}

		made := do(p.on(first), "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "rotated"}})
		p.tokens["old"] = made.Token
		do(p.on(second), "reader", api.RotateToken, api.RotateTokenInput{TokenRef: api.TokenRef{Token: made.ID}, Body: api.TokenRotate{OldValidFor: 3600}})
		p.clock.Advance(time.Hour - time.Second)
		equal(t, "a replaced secret within its time", 200, me(first, "old"))
		p.clock.Advance(time.Second)
		equal(t, "a replaced secret behind it", 401, me(first, "old"))
	})
}

// Whatever is done on two nodes whose clocks jump, nothing answers 5xx, all that is due is done, and fsck finds nothing.
func TestClocksCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.Campaign(t, "clocks", 120, 10_000)
	p := newTwoNodes(t, storetest.Memory())
	e := everydayIn(p.world, seed)
	e.rows = slices.DeleteFunc(e.rows, func(row api.Row) bool { // a year ahead, no certificate is good
		return row.Name == api.SetMemberSSO.Name || strings.HasPrefix(row.Name, "saml-providers.")
	})
	for i := range n {
		if i%everydaySteps == 0 && i > 0 {
			p.on(e.random.IntN(2))
			e.night()
		}
		if i%10 == 0 {
			p.jump(e.random.IntN(2), append(jumps, 0)[e.random.IntN(len(jumps)+1)])
		}
		p.on(e.random.IntN(2))
		e.step()
	}
	for i := range p.nodes {
		p.jump(i, 0)
	}
	e.night()
	done := 0
	for _, times := range e.done {
		done += times
	}
	if t.Logf("%d of %d requests were done", done, n); done < n/2 {
		t.Error("too few")
	}
}
