package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/storetest"
)

// clockWorld is two nodes on one Redis. The clocks of all three are offset from that of the machine.
type clockWorld struct {
	redis        *storetest.Redis
	client       *redis.Client
	redisOffset  string // file with the offset of the clock of Redis in seconds
	nodes        [2]*shiftedNode
	base         time.Duration // offset of the true time
	token        string
	organization string
	space        string // path of the space to which clients write

	scenario clockScenario
	trash    trash

	mu           sync.Mutex
	acknowledged []string // comments
	refused      atomic.Int64
}

// shiftedNode is a node with a clock that is offset from that of the machine.
type shiftedNode struct {
	host
	*node

	offset string // file with the offset in seconds
}

const (
	day      = 24 * time.Hour
	farAhead = 30 * day
)

// clockLibrary returns the value of LD_PRELOAD for libfaketime. The C library follows it, because jemalloc, with which Redis is
// linked, reads the clock while libfaketime allocates memory.
func clockLibrary(t *testing.T) string {
	t.Helper()
	requireProgram(t, "faketime")
	for _, pattern := range []string{"/usr/lib/*/faketime/libfaketimeMT.so.1", "/usr/lib*/faketime/libfaketimeMT.so.1"} {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return found[0] + " libc.so.6"
		}
	}
	t.Fatal("faketime is installed, but not libfaketimeMT.so.1")
	return ""
}

// setClock stores an offset from the clock of the machine.
func setClock(t *testing.T, file string, offset time.Duration) {
	t.Helper()
	next := file + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%+d\n", int64(offset.Seconds())), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(next, file); err != nil {
		t.Fatal(err)
	}
}

func newClockWorld(t *testing.T, program, library string) *clockWorld {
	t.Helper()
	dir := t.TempDir()
	w := &clockWorld{redisOffset: filepath.Join(dir, "redis")}
	setClock(t, w.redisOffset, 0)
	server, err := storetest.StartRedisWith(t.Context(), []string{
		"LD_PRELOAD=" + library, "FAKETIME_TIMESTAMP_FILE=" + w.redisOffset, "FAKETIME_NO_CACHE=1", "FAKETIME_DONT_FAKE_MONOTONIC=1",
	}, filepath.Join(dir, "data"), "--appendonly", "yes", "--appendfsync", "always")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	w.redis, w.client = server, newRedisClient(t, server.Addr, 0)
	for i := range w.nodes {
		offset := filepath.Join(dir, strconv.Itoa(i))
		setClock(t, offset, 0)
		h := newHost(program, server.URL()).withEnvironment("WSD_TEST_OFFSET="+offset, "WSD_BUDGETS=examine-every=2s")
		w.nodes[i] = &shiftedNode{host: h, offset: offset}
	}
	w.token, w.organization = w.nodes[0].createOrganization(t)
	w.serve(t)
	w.space = "/v1/spaces/" + w.newSpace(t, "Kept")
	return w
}

// serve starts both nodes.
func (w *clockWorld) serve(t *testing.T) {
	t.Helper()
	for _, n := range w.nodes {
		n.node = n.mustServe(t)
	}
}

// person returns a client of a node.
func (w *clockWorld) person(i int) person { return w.nodes[i].newPerson(w.token) }

// newSpace creates a space and returns its id.
func (w *clockWorld) newSpace(t *testing.T, title string) string {
	t.Helper()
	return member(w.person(0).do(t, "POST", "/v1/orgs/"+w.organization+"/spaces", map[string]any{"title": title}), "id")
}

// set sets the clocks of Redis and of both nodes, relative to the true time.
func (w *clockWorld) set(t *testing.T, ahead clockOffsets) {
	t.Helper()
	setClock(t, w.redisOffset, w.base+ahead.redis)
	for i, n := range w.nodes {
		setClock(t, n.offset, w.base+ahead.nodes[i])
	}
}

// warns reports whether /readyz of a node warns of the clock.
func (n *shiftedNode) warns(t *testing.T) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url+"/readyz", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(text), `"clock"`)
}

// eventuallyAll waits until a condition holds in all worlds. It asks seldom, because the condition depends on comparisons of
// clocks, which nodes make every ten seconds.
func eventuallyAll(t *testing.T, worlds []*clockWorld, what string, done func(w *clockWorld) bool) {
	t.Helper()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.After(2 * time.Minute); ; {
		if worlds = slices.DeleteFunc(slices.Clone(worlds), done); len(worlds) == 0 {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("%s: waited in vain for %s", worlds[0].scenario.name, what)
		}
	}
}

// awaitWarnings waits until both nodes of each world warn of the clock, or do not.
func awaitWarnings(t *testing.T, worlds []*clockWorld, when string, want func(w *clockWorld) [2]bool) {
	t.Helper()
	eventuallyAll(t, worlds, "the right warnings of the clock "+when, func(w *clockWorld) bool {
		return [2]bool{w.nodes[0].warns(t), w.nodes[1].warns(t)} == want(w)
	})
}

// awaitComparisons waits until the nodes of each world have compared their clocks once more. Between two comparisons they look for
// due jobs.
func awaitComparisons(t *testing.T, worlds []*clockWorld) {
	t.Helper()
	type progress struct {
		last    string
		changes int
	}
	seen := map[*clockWorld]*progress{}
	eventuallyAll(t, worlds, "comparisons of the clocks", func(w *clockWorld) bool {
		now, p := fmt.Sprint(w.client.HGetAll(t.Context(), "wsd:clocks").Val()), seen[w]
		switch {
		case p == nil:
			seen[w] = &progress{last: now}
		case p.last != now:
			p.last = now
			p.changes++
		}
		return p != nil && p.changes >= len(w.nodes)
	})
}

// write makes clients of both nodes write comments until the returned function is called.
func (w *clockWorld) write(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for i := range w.nodes {
		p := w.person(i)
		group.Go(func() {
			tick := time.NewTicker(250 * time.Millisecond) // the rate of requests is limited
			defer tick.Stop()
			for n := 0; ; n++ {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				text := fmt.Sprintf("%s-%d-%d", w.scenario.name, i, n)
				status, answer, err := p.send(t.Context(), request{ //nolint:contextcheck // a comment that was begun is not interrupted
					method: "POST", path: w.space + "/comments", body: map[string]any{"body": markdown(text)}, key: text,
				})
				switch {
				case err == nil && status == http.StatusOK:
					w.mu.Lock()
					w.acknowledged = append(w.acknowledged, text)
					w.mu.Unlock()
				case err == nil && status == http.StatusServiceUnavailable:
					w.refused.Add(1)
				default:
					t.Errorf("a comment: %d %v %v", status, answer, err)
					return
				}
			}
		})
	}
	return func() { cancel(); group.Wait() }
}

// clockOffsets are offsets of the clocks of Redis and of both nodes from the true time.
type clockOffsets struct {
	redis time.Duration
	nodes [2]time.Duration
}
