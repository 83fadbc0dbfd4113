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

// twoNodes is a world of two nodes on one store, each with a clock of its own. The clock of the world is that of Redis.
type twoNodes struct {
	*servertest.World

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
	clockOf := func(i int, c *servertest.Clock) redis.Clock {
		return func() time.Time { return c.Now().Add(time.Duration(p.nodes[i].ahead.Load()) * time.Millisecond) }
	}
	p.nodes[first].ahead, p.nodes[second].ahead = &atomic.Int64{}, &atomic.Int64{}
	jumping := func(i int) func(*store.Config) {
		return func(c *store.Config) {
			if p.World == nil {
				told := c.Clock
				c.Time, c.Clock = told, func() time.Time { return told().Add(time.Duration(p.nodes[i].ahead.Load()) * time.Millisecond) }
			} else {
				c.Time, c.Clock = p.Clock.Now, clockOf(i, p.Clock)
			}
			c.Prefix, c.Emulation, c.Model = prefix, emulation, access.New
		}
	}
	p.World = servertest.NewWorld(t, engine, jumping(first))
	for i := range p.nodes {
		if i == second {
			p.Store = engine.Open(t, jumping(second))
		}
		p.Serve(func(o *server.Options) { o.Clock = clockOf(i, p.Clock) })
		p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler = p.Store, p.Server, p.Handler
	}
	p.on(first)
	t.Cleanup(func() { p.on(first) })
	return p
}

// on makes what follows happen on a node.
func (p *twoNodes) on(i int) *servertest.World {
	p.Store, p.Server, p.Handler = p.nodes[i].store, p.nodes[i].server, p.nodes[i].handler
	return p.World
}

// jump sets the clock of a node so far before that of Redis; negative is behind.
func (p *twoNodes) jump(i int, ahead time.Duration) { p.nodes[i].ahead.Store(ahead.Milliseconds()) }

// jobs lets every node do what is due.
func (p *twoNodes) jobs() {
	p.T.Helper()
	for i := range p.nodes {
		servertest.RunJobs(p.on(i))
	}
}

// jumps are how far a clock is moved.
var jumps = []time.Duration{time.Hour, -time.Hour, 24 * time.Hour, -24 * time.Hour, 365 * 24 * time.Hour, -365 * 24 * time.Hour}

// eachJump runs a test with a first node whose clock is right and a second whose clock is not, for every jump.
func eachJump(t *testing.T, test func(t *testing.T, p *twoNodes)) {
	t.Helper()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
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
			spaces[i] = p.NewSpaceIn(fmt.Sprint("Space ", i), "").ID
		}
		outer := p.NewCollection("Outer", "").ID
		inside := p.NewSpaceIn("Inside", outer).ID
		for i, space := range spaces {
			servertest.Do(p.on(i%2), "admin", api.DeleteSpace, api.SpaceRef{Space: space})
		}
		servertest.Do(p.on(second), "admin", api.DeleteCollection, api.CollectionRef{Collection: outer})
		p.Clock.Advance(store.TrashTime - time.Second)
		p.jobs()
		servertest.Do(p.on(second), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[0]})
		servertest.Do(p.on(first), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[1]})
		servertest.Do(p.on(second), "admin", api.RestoreSpace, api.SpaceRef{Space: inside})
		p.Clock.Advance(time.Second)
		for i := range p.nodes {
			servertest.Refused(p.on(i), "admin", api.RestoreSpace, api.SpaceRef{Space: spaces[3]}, 404, api.ReasonNotFound)
		}
		servertest.Equal(t, "purges before anybody looks", 0, servertest.Purges(p.World))
		servertest.RunJobs(p.on(second))
		servertest.Equal(t, "purges", 2, servertest.Purges(p.World))
		p.jobs()
		servertest.Equal(t, "purges afterwards", 2, servertest.Purges(p.World))
		servertest.Do(p.on(first), "admin", api.GetSpace, api.GetSpaceInput{Space: spaces[1]})
	})
}

// Jobs that one node makes are done by the other, at once, whose ever clock is wrong; and when a clock that was wrong
// is put right, what is there from before does not wait for it.
func TestJumpAndJobs(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes {
			slug := fmt.Sprint("spec-", i)
			servertest.PutSpec(p.on(i), slug, api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n"})
			servertest.RunJobs(p.on(1 - i))
			servertest.Equal(t, slug, api.ProcessingComplete, servertest.SpecRead(p.World, slug).ProcessingState)
		}
		servertest.PutSpec(p.on(second), "late", api.OpenAPISource{Text: "openapi: 3.0.3\ninfo: {title: Late, version: '1'}\npaths: {}\n"})
		space, _ := p.on(second).Seed("Findable words.\n")
		p.jump(second, 0)
		p.Clock.Advance(10 * time.Second)
		servertest.RunJobs(p.on(second))
		servertest.Equal(t, "late", api.ProcessingComplete, servertest.SpecRead(p.World, "late").ProcessingState)
		found := servertest.Do(p.on(first), "admin", api.SearchSpace, api.SearchSpaceInput{Space: space, Query: "findable"})
		servertest.Equal(t, "found", 1, len(found.Items))
		due := strings.Count(p.Dump()["{"+p.Org+"}:due"], ":")
		servertest.Equal(t, "jobs left", 0, due)
	})
}

// A transfer can be taken back for seven days and not after them, whichever node made it and whichever is asked.
func TestJumpAndTakingBack(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		p.on(second)
		early := servertest.GiveAway(p.World, false)
		late := servertest.GiveAway(p.World, false)
		p.Clock.Advance(store.TrashTime - time.Second)
		servertest.Do(p.on(first), "admin", api.TakeTransferBack, early.Mine())
		servertest.Equal(t, "organization", p.Org, servertest.Do(p.World, "admin", api.GetSpace, api.GetSpaceInput{Space: early.Space}).Organization)
		p.Clock.Advance(time.Second)
		for i := range p.nodes {
			servertest.Refused(p.on(i), "admin", api.TakeTransferBack, late.Mine(), 409, api.ReasonState)
		}
	})
}

// What is written by a clock that is behind is not told to be older than what it changes.
func TestJumpAndWhatIsTold(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		for i := range p.nodes { // once made by the wrong clock and changed by the right one, once the other way round
			space, page := p.on(i).Seed("Text.\n")
			ref := p.NewRequest("editor", space)
			added := p.Change(ref, servertest.NewPage("Added", "Text.\n")).Changes[0].Page.ID
			comment := servertest.Do(p.World, "editor", api.CreateComment, api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: servertest.Says("?")}})
			reply := servertest.Do(p.World, "editor", api.CreateReply, api.CreateReplyInput{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Body: api.ReplyCreate{Body: servertest.Says("!")}})
			p.on(1 - i)
			p.Change(ref, servertest.Write(added, "Other text.\n"), servertest.Write(page, "Changed.\n"))
			servertest.Do(p.World, "editor", api.UpdateComment, api.UpdateCommentInput{
				CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Body: api.CommentUpdate{Body: new(servertest.Says("??")), Resolved: api.Some(true)},
			})
			servertest.Do(p.World, "editor", api.UpdateReply, api.UpdateReplyInput{
				ReplyRef: api.ReplyRef{CommentRef: api.CommentRef{Space: space, Comment: comment.ID}, Reply: reply.ID}, Body: api.ReplyUpdate{Body: new(servertest.Says("!!"))},
			})
			toldInOrder(p.World, space)
			toldInOrder(p.World, space+"/change-requests/"+ref.ChangeRequest)
			p.Merged(ref)
			toldInOrder(p.World, space)
			servertest.Equal(t, "text", "Changed.\n", p.Text(space, page))
		}
	})
}

// toldInOrder looks at a thing and all below it for times that do not follow each other.
func toldInOrder(w *servertest.World, path string) {
	w.T.Helper()
	for _, below := range []string{"", "/content/pages", "/comments", "/change-requests"} {
		if below == "/change-requests" && strings.Contains(path, below) {
			continue
		}
		var tree any
		servertest.Decode(w, w.Call("admin", "GET", "/v1/spaces/"+path+below, nil, 200), &tree)
		eachObject(tree, func(o map[string]any) {
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
		space, page := p.Seed("Text.\n")
		var there []string
		add := func(i int) {
			in := api.CreateCommentInput{Space: space, Body: api.CommentCreate{Page: page, Body: servertest.Says("?")}}
			key := []string{"Idempotency-Key", fmt.Sprint("comment ", len(there))}
			made := servertest.Do(p.on(i), "editor", api.CreateComment, in, key...)
			servertest.Equal(t, "repeat", made.ID, servertest.Do(p.on(1-i), "editor", api.CreateComment, in, key...).ID)
			there = append(there, made.ID)
		}
		for i := range 6 {
			add(i % 2)
		}
		known, n := slices.Clone(there), 0
		seen := servertest.WalkOf(p.World, "/v1/spaces/"+space+"/comments", func() { add(n % 2); n++ })
		for _, id := range known {
			if times := len(slices.DeleteFunc(slices.Clone(seen), func(s string) bool { return s != id })); times != 1 {
				t.Errorf("%s was seen %d times of %v", id, times, seen)
			}
		}
		servertest.Equal(t, "comments", len(there), servertest.Do(p.World, "admin", api.GetSpace, api.GetSpaceInput{Space: space}).Comments)
	})
}

// A credential does not last longer because a clock was wrong, and is not gone when it is right again.
func TestJumpAndCredentials(t *testing.T) {
	t.Parallel()
	eachJump(t, func(t *testing.T, p *twoNodes) {
		p.Tokens["short"] = servertest.Do(p.on(first), "editor", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{
			Name: "short", ExpiresAt: api.Some(api.At(p.Clock.Now().Add(30 * time.Minute))),
		}}).Token
		me := func(i int, as string) int { return p.on(i).Raw(as, "GET", "/v1/user", nil).Status }
		wrong := 200
		if p.nodes[second].ahead.Load() > 0 {
			wrong = 401
		}
		servertest.Equal(t, "by the wrong clock", wrong, me(second, "short"))
		servertest.Equal(t, "by the right clock", 200, me(first, "short"))

		ref := p.NewRequest("editor", p.NewSpace().ID)
		_, signed := servertest.Upload(p.on(second), ref, "a.txt", "text/plain", []byte("Bytes."))
		p.Clock.Advance(140 * time.Minute)
		servertest.Equal(t, "a signed address after its hour, and one of a wrong clock", 404, p.on(first).Raw("", "GET", signed, nil).Status)

		who := servertest.Newcomer(p.on(second), api.RoleEdit)
		p.Tokens[who] = servertest.Do(p.on(first), who, api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "bound", Organization: api.Some(p.Org)}}).Token
		for i := range p.nodes {
			servertest.Equal(t, "a token for one organization", 200, p.on(i).Raw(who, "GET", "/v1/orgs/"+p.Org, nil).Status)
		}

		made := servertest.Do(p.on(first), "reader", api.CreateToken, api.CreateTokenInput{Body: api.TokenCreate{Name: "rotated"}})
		p.Tokens["old"] = made.Token
		servertest.Do(p.on(second), "reader", api.RotateToken, api.RotateTokenInput{TokenRef: api.TokenRef{Token: made.ID}, Body: api.TokenRotate{OldValidFor: 3600}})
		p.Clock.Advance(time.Hour - time.Second)
		servertest.Equal(t, "a replaced secret within its time", 200, me(first, "old"))
		p.Clock.Advance(time.Second)
		servertest.Equal(t, "a replaced secret behind it", 401, me(first, "old"))
	})
}

// Whatever is done on two nodes whose clocks jump, nothing answers 5xx, all that is due is done, and fsck finds nothing.
func TestClocksCampaign(t *testing.T) {
	t.Parallel()
	n, seed := storetest.Campaign(t, "clocks", 120, 10_000)
	p := newTwoNodes(t, storetest.Memory())
	e := everydayIn(p.World, seed)
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
