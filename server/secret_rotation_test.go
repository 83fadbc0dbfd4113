package server_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// rotation is two serving nodes on one Redis whose secrets are replaced again and again.
type rotation struct {
	t         *testing.T
	emulation *miniredis.Miniredis
	round     int // the nodes have the secrets of the round, and of the round before as the old ones
	nodes     [2]*servertest.World
	space     string
	site      api.SiteRef

	mu    sync.Mutex
	links map[string]bool // addresses of share links that were shown to somebody
}

// secretOf and keyOf return the secrets of a round.
func secretOf(round int) []byte { return []byte(strings.Repeat(fmt.Sprintf("secret %d ", round), 8)) }

func keyOf(round int) []byte { return fmt.Appendf(nil, "%032d", round) }

func newRotation(t *testing.T) *rotation {
	t.Helper()
	r := &rotation{t: t, emulation: miniredis.NewMiniRedis(), links: map[string]bool{}}
	r.emulation.ClockTTL(true)
	first := r.newNode()
	first.People()
	first.Schema = servertest.EmittedDocument(t, first.Handler)
	r.nodes[0] = first
	r.space = first.NewSpace().ID
	r.site = servertest.PublishedSite(first, api.SiteShareLink, r.space)
	servertest.Do(first, "admin", api.RegenerateSiteAuth, r.site)
	r.restart()
	return r
}

// newNode returns a node with the secrets of the round and those of the round before.
func (r *rotation) newNode() *servertest.World {
	r.t.Helper()
	secret, key := redis.Secret{Name: auth.SecretVariable, Value: secretOf(r.round)}, redis.Secret{
		Name: auth.EncryptionKeyVariable, Value: keyOf(r.round),
	}
	if r.round > 0 {
		secret.Old, key.Old = secretOf(r.round-1), keyOf(r.round-1)
	}
	return servertest.NewNodeWithSecrets(r.t, store.Config{Emulation: r.emulation}, secret, key)
}

// restart starts both nodes with the secrets of the next round.
func (r *rotation) restart() {
	r.t.Helper()
	r.round++
	before := r.nodes[0]
	for i := range r.nodes {
		if r.nodes[i] != nil {
			before.Must(r.nodes[i].Store.Leave(r.t.Context()))
			before.Must(r.nodes[i].Store.Close())
		}
		n := r.newNode()
		n.Org, n.OtherOrg, n.Users, n.Tokens, n.Schema = before.Org, before.OtherOrg, before.Users, before.Tokens, before.Schema
		n.Must(n.Store.Join(r.t.Context()))
		r.nodes[i] = n
	}
}

// settings returns the settings of the command that replaces the secrets.
func (r *rotation) settings() auth.SecretSettings {
	return auth.SecretSettings{
		Secret: string(secretOf(r.round)), OldSecret: string(secretOf(r.round - 1)), External: true,
		EncryptionKey: hex.EncodeToString(keyOf(r.round)), OldEncryptionKey: hex.EncodeToString(keyOf(r.round - 1)),
	}
}

// join renews the leases of both nodes.
func (r *rotation) join(ctx context.Context) error {
	return errors.Join(r.nodes[0].Store.Join(ctx), r.nodes[1].Store.Join(ctx))
}

var errCutOff = errors.New("cut off")

// run runs `wsd secret replace` and cuts it off before its n-th command to Redis; 0 = not. It reports whether it was cut off.
func (r *rotation) run(n int64, options auth.SecretOptions) bool {
	r.t.Helper()
	cut := &cutHook{}
	s, err := store.Open(r.t.Context(), store.Config{
		Memory: true, Emulation: r.emulation, Model: access.NewModel, Hooks: []goredis.Hook{cut},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // the process has ended
	cut.remaining.Store(n)
	options.Wait.Pause = r.join
	change, err := auth.PlanSecretChange(r.t.Context(), s, r.settings(), options)
	if err == nil && !change.IsEmpty() {
		var obstacles []string
		if obstacles, err = change.Obstacles(r.t.Context()); len(obstacles) > 0 {
			r.t.Errorf("%q", obstacles)
		}
		if err == nil {
			err = change.Apply(r.t.Context())
		}
	}
	if err != nil && !cut.done.Load() {
		r.t.Fatal(err)
	}
	return cut.done.Load()
}

// cutHook is a hook that fails every command from one on, as if the process had ended.
type cutHook struct {
	remaining atomic.Int64 // commands until then; 0 = never
	done      atomic.Bool
}

func (h *cutHook) cutOff() bool {
	if h.done.Load() {
		return true
	}
	if h.remaining.Load() > 0 && h.remaining.Add(-1) == 0 {
		h.done.Store(true)
	}
	return h.done.Load()
}

// DialHook implements redis.Hook.
func (h *cutHook) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (h *cutHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if h.cutOff() {
			command.SetErr(errCutOff)
			return errCutOff
		}
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (h *cutHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if h.cutOff() {
			return errCutOff
		}
		return next(ctx, commands)
	}
}

// use makes a link and a key of the site on node i, as people do. It returns false if the node refuses that because it may
// not have the secrets.
func (r *rotation) use(i int) bool {
	r.t.Helper()
	n := r.nodes[i]
	made := servertest.Try(n, "admin", api.CreateShareLink, api.CreateShareLinkInput{
		SiteRef: r.site, Body: api.ShareLinkCreate{Name: "Tea"},
	})
	key := servertest.Try(n, "admin", api.RegenerateSiteAuth, r.site)
	for _, a := range []servertest.Response{made, key} {
		switch {
		case a.Status == http.StatusServiceUnavailable && a.Error().Reason == api.ReasonSecret:
			return false
		case a.Status >= 300:
			r.t.Errorf("round %d: %d %s", r.round, a.Status, a.Body)
		}
	}
	return true
}

// allLinks is the input of the list of all share links.
func (r *rotation) allLinks() api.ListShareLinksInput {
	return api.ListShareLinksInput{SiteRef: r.site, ListOptions: api.ListOptions{Limit: api.Some(200)}}
}

// look remembers the links as node i shows them.
func (r *rotation) look(i int) {
	r.t.Helper()
	var page api.Page[api.ShareLink]
	a := servertest.Try(r.nodes[i], "admin", api.ListShareLinks, r.allLinks())
	if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != http.StatusOK {
		r.t.Errorf("round %d: %d %s", r.round, a.Status, a.Body)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, link := range page.Items {
		r.links[link.URLs.Published] = true
	}
}

// check checks on both nodes that every link that was shown opens and that the key of the site can be read.
func (r *rotation) check(when string) {
	r.t.Helper()
	for i, n := range r.nodes {
		for link := range r.links {
			if status := r.visit(n, link); status != http.StatusOK {
				r.t.Errorf("round %d, %s: node %d refuses a link that was shown: %d", r.round, when, i, status)
			}
		}
		if a := servertest.Try(n, "admin", api.GetSiteAuth, r.site); a.Status != http.StatusOK {
			r.t.Errorf("round %d, %s: node %d does not open the key of the site: %d %s", r.round, when, i, a.Status, a.Body)
		}
	}
}

// visit reads the space with a share link on a node, and returns the status.
func (r *rotation) visit(n *servertest.World, link string) int {
	r.t.Helper()
	_, query, _ := strings.Cut(link, "?")
	return n.Send("", http.MethodGet, "/v1/spaces/"+r.space+"?"+query, nil).Status
}

// wantFinished checks that nothing depends on an old secret, and that links that were shown before do not open any more. It
// deletes all links.
func (r *rotation) wantFinished(old map[string]bool) {
	r.t.Helper()
	report, err := auth.InspectSecrets(r.t.Context(), r.nodes[0].Store, r.settings())
	if err != nil || report.OldKey+report.OldLinks+len(report.Findings) > 0 {
		r.t.Errorf("round %d: %+v %v", r.round, report, err)
	}
	r.links = map[string]bool{}
	r.look(0)
	ended := 0
	for link := range old {
		if r.links[link] {
			continue
		}
		ended++
		if r.visit(r.nodes[0], link) == http.StatusOK {
			r.t.Errorf("round %d: an old link opens after the end of the replacement", r.round)
		}
	}
	if ended == 0 {
		r.t.Errorf("round %d: no old link was shown", r.round)
	}
	r.check("finished")
	links := servertest.Do(r.nodes[0], "admin", api.ListShareLinks, r.allLinks())
	for _, link := range links.Items {
		servertest.Do(r.nodes[0], "admin", api.DeleteShareLink, api.ShareLinkRef{SiteRef: r.site, ShareLink: link.ID})
	}
	r.links = map[string]bool{}
}

// TestSecretReplacementIsCutOffAtEveryStep replaces both secrets beside two serving nodes, cut off at every command, and its end,
// too. At every step both nodes open every link that was shown and every sealed value, and a repetition completes it.
func TestSecretReplacementIsCutOffAtEveryStep(t *testing.T) {
	t.Parallel()
	r := newRotation(t)
	steps := 0
	for n, more := int64(1), true; more; n++ {
		r.use(0)
		r.look(1)
		more = r.run(n, auth.SecretOptions{})
		r.look(0)
		r.nodes[1].Must(r.nodes[1].Store.Join(t.Context())) // the other node does not know of the replacement yet
		r.look(1)
		if !r.use(0) || !r.use(1) {
			t.Errorf("round %d: a node with both secrets refuses a write", r.round)
		}
		r.check("cut off")
		r.run(0, auth.SecretOptions{})
		r.look(0)
		r.look(1)
		r.check("completed")
		old := r.links
		more = r.run(n, auth.SecretOptions{Finish: true}) || more
		r.links = map[string]bool{}
		r.look(1)
		r.check("end cut off")
		r.run(0, auth.SecretOptions{Finish: true})
		r.nodes[0].Must(r.nodes[0].Store.Join(t.Context()))
		r.nodes[1].Must(r.nodes[1].Store.Join(t.Context()))
		r.wantFinished(old)
		r.restart()
		steps++
	}
	if steps < 20 {
		t.Errorf("%d steps, want more", steps)
	}
	t.Logf("%d steps", steps)
}

// TestSecretReplacementUnderLoadCampaign replaces both secrets while two nodes make links and keys all the time, cut off at
// random commands.
func TestSecretReplacementUnderLoadCampaign(t *testing.T) {
	t.Parallel()
	rounds, seed := storetest.Campaign(t, "secrets", 3, 100)
	random := rand.New(rand.NewPCG(seed, 0))
	r := newRotation(t)
	for range rounds {
		r.use(0)
		r.look(0)
		var done atomic.Bool
		var load sync.WaitGroup
		for i := range r.nodes {
			load.Go(func() {
				for n := 0; n < 20 && !done.Load(); n++ {
					if !r.use(i) {
						t.Errorf("round %d: node %d with both secrets refuses a write", r.round, i)
					}
					r.look(i)
				}
			})
		}
		r.run(1+random.Int64N(60), auth.SecretOptions{})
		r.run(0, auth.SecretOptions{})
		done.Store(true)
		load.Wait()
		r.check("replaced")
		r.run(1+random.Int64N(60), auth.SecretOptions{Finish: true})
		r.run(0, auth.SecretOptions{Finish: true})
		for _, n := range r.nodes {
			n.Must(n.Store.Join(t.Context()))
		}
		r.wantFinished(r.links)
		r.restart()
	}
}

// TestNodeWithoutSecretsOfDataStoresNone checks that a node that lacks the secrets of the data stores no secret and no link, and
// goes on reading, and that balancers are told to leave it once it opens nothing.
func TestNodeWithoutSecretsOfDataStoresNone(t *testing.T) {
	t.Parallel()
	r := newRotation(t)
	if !r.use(0) {
		t.Fatal("a node with both secrets refuses a write")
	}
	old := r.nodes[1]
	old.Must(old.Store.Leave(t.Context()))
	settings := r.settings()
	r.round-- // the node has the old secrets only
	r.nodes[1] = r.newNode()
	r.round++
	r.nodes[1].Org, r.nodes[1].Users, r.nodes[1].Tokens, r.nodes[1].Schema = old.Org, old.Users, old.Tokens, old.Schema
	old.Must(r.nodes[1].Store.Join(t.Context()))
	wait := auth.NodeWait{Pause: r.join}
	change, err := auth.PlanSecretChange(t.Context(), r.nodes[0].Store, settings, auth.SecretOptions{Force: true, Wait: wait})
	old.Must(err)
	if obstacles, err := change.Obstacles(t.Context()); err != nil || len(obstacles) != 1 {
		t.Errorf("%q %v", obstacles, err)
	}
	old.Must(change.Apply(t.Context()))
	if r.use(1) {
		t.Error("a node with the old secrets only stores a key or a link")
	}
	w := r.nodes[1]
	servertest.Do(w, "admin", api.GetSpace, api.GetSpaceInput{Space: r.space})
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz", http.StatusServiceUnavailable, "unavailable", "secret")
	checkProbe(w, "/readyz?for=read", http.StatusOK, "warning", "secret") // the old secrets are accepted
	finish, err := auth.PlanSecretChange(t.Context(), r.nodes[0].Store, settings, auth.SecretOptions{
		Finish: true, Force: true, Wait: wait,
	})
	old.Must(err)
	old.Must(finish.Apply(t.Context()))
	w.Store.CheckNow(t.Context())
	checkProbe(w, "/readyz?for=read", http.StatusServiceUnavailable, "unavailable", "secret")
	servertest.Refused(w, "admin", api.GetSiteAuth, r.site, 503, api.ReasonSecret)
}

// TestNodeStoresNoSecretAfterItsLease checks that a node whose lease is over stores no secret until it has renewed it.
func TestNodeStoresNoSecretAfterItsLease(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	site := api.SiteRef{Organization: w.Org, Site: w.Populate().Site}
	w.Must(w.Store.Join(t.Context()))
	servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
	w.Clock.Advance(redis.NodeLease)
	servertest.Refused(w, "admin", api.RegenerateSiteAuth, site, 503, api.ReasonSecret)
	servertest.Do(w, "admin", api.GetSiteAuth, site)
	w.Must(w.Store.Join(t.Context()))
	servertest.Do(w, "admin", api.RegenerateSiteAuth, site)
}
