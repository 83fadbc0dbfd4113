package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
)

// deployment is a wsd and its Redis in a test, good until it is broken.
type deployment struct {
	t       *testing.T
	redis   *storetest.Redis // nil: wsd runs one itself
	client  *goredis.Client
	environ []string
}

const quickLooks = "WSD_BUDGETS=canary-every=50ms,examine-every=100ms,disk-reserve=256KiB"

// remote is a deployment on a Redis that somebody else runs.
func remote(t *testing.T, settings ...string) *deployment {
	t.Helper()
	r, err := storetest.StartRedis(t.Context(), t.TempDir(), append([]string{"--appendonly", "yes", "--appendfsync", "always"}, settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	d := &deployment{t: t, redis: r, client: r.Client()}
	t.Cleanup(func() { _ = d.client.Close() })
	d.environ = []string{"WSD_REDIS_URL=" + r.URL(), quickLooks}
	return d
}

// local is a deployment whose wsd runs its Redis in a directory.
func local(t *testing.T, directory string) *deployment {
	t.Helper()
	return &deployment{t: t, environ: []string{"WSD_DATA=" + directory, quickLooks}}
}

func (d *deployment) set(name, value string) {
	d.t.Helper()
	if err := d.client.ConfigSet(d.t.Context(), name, value).Err(); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deployment) do(args ...any) {
	d.t.Helper()
	if err := d.client.Do(d.t.Context(), args...).Err(); err != nil {
		d.t.Fatal(err)
	}
}

// fill makes the memory of Redis 98 % full.
func (d *deployment) fill() {
	d.t.Helper()
	d.do("setrange", "filler", 128<<20, "x")
	info, err := d.client.InfoMap(d.t.Context(), "memory").Result()
	if err != nil {
		d.t.Fatal(err)
	}
	var used int64
	if _, err := fmt.Sscan(info["Memory"]["used_memory"], &used); err != nil {
		d.t.Fatal(err)
	}
	d.set("maxmemory", fmt.Sprint(used*100/98))
}

// slowKeys and slowLoad make Redis load its data for some twenty seconds. The test does not wait for the end of it.
const (
	slowKeys = 150_000
	slowLoad = "50" // microseconds a key
)

// reload starts Redis again on data that takes its time.
func (d *deployment) reload() {
	d.t.Helper()
	pipe := d.client.Pipeline()
	for i := range slowKeys {
		pipe.Set(d.t.Context(), fmt.Sprint("filler", i), "x", 0)
	}
	if _, err := pipe.Exec(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.redis.Kill()
	if err := d.redis.StartWithout(d.t.Context(), "--key-load-delay", slowLoad); err != nil {
		d.t.Fatal(err)
	}
}

// rob replaces the lock of a directory, as who removes it and starts another wsd does.
func rob(t *testing.T, directory string) {
	t.Helper()
	lock := filepath.Join(directory, "lock")
	data, err := os.ReadFile(lock)
	if err == nil {
		err = os.WriteFile(lock+".new", data, 0o600)
	}
	if err == nil {
		err = os.Rename(lock+".new", lock)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// What a deployment is like when it is broken.
const (
	refused = "is refused at the start"
	waits   = "is waited for"
	served  = "is served"
)

// brokenDeployment is one kind of trouble, and what serve, doctor and /readyz say of it.
type brokenDeployment struct {
	code    int    // of the verdict
	reasons string // the names of the checks
	start   string // what a node does that starts
	make    func(t *testing.T) *deployment
	damage  func(d *deployment)
}

var brokenDeployments = map[string]brokenDeployment{
	"no persistence": {2, "persistence", refused, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) {
		d.set("save", "")
		d.set("appendonly", "no")
	}},
	"everysec": {0, "", served, func(t *testing.T) *deployment { return remote(t, "--appendfsync", "everysec") }, func(*deployment) {}},
	"evicting": {2, "eviction", refused, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) {
		d.set("maxmemory", "1gb")
		d.set("maxmemory-policy", "allkeys-lru")
	}},
	"memory at 98 %":    {1, "memory", served, func(t *testing.T) *deployment { return remote(t) }, (*deployment).fill},
	"too few replicas":  {2, "replicas", waits, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.set("min-replicas-to-write", "1") }},
	"read-only replica": {2, "role", waits, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.do("replicaof", "127.0.0.1", "1") }},
	"loading":           {2, "loading", waits, func(t *testing.T) *deployment { return remote(t, "--appendfsync", "no") }, (*deployment).reload},
	"another secret":    {2, "secret", refused, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.do("hset", "wsd:secrets", "WSD_SECRET", "another") }},
	"an older form": {1, "forms", served, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) {
		d.do("zadd", "wsd:nodes", "9999999999999", "0 older") // holds it up
		d.do("set", "wsd:schema", "0")
	}},
	"no network":         {2, "connection", waits, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.redis.Kill() }},
	"a hosted Redis":     {1, "config", served, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.do("acl", "setuser", "default", "-config") }},
	"a full memory":      {2, "memory", served, func(t *testing.T) *deployment { return remote(t) }, func(d *deployment) { d.set("maxmemory", "1mb") }},
	"a Redis that keeps": {0, "", served, func(t *testing.T) *deployment { return remote(t) }, func(*deployment) {}},
}

// Deployments that are broken have one verdict: of serve, which refuses, waits or serves; of the doctor; and of the
// probe of a node that was there before.
func TestBrokenDeployments(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	for name, c := range brokenDeployments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.make(t)
			running := startServing(t, d.environ...)
			running.says("serving at")
			c.damage(d)
			running.wantReady(c.code, c.reasons)
			d.wantDoctor(c.code, c.reasons)
			d.wantStart(c)
		})
	}
}

// wantStart starts a node on what is broken.
func (d *deployment) wantStart(c brokenDeployment) {
	d.t.Helper()
	if c.start == refused {
		environ := append([]string{"WSD_ADDR=127.0.0.1:0", "WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...)
		if got := wsd(d.t, environ, "serve"); got.code != c.code || !strings.Contains(got.err, c.reasons+": ") {
			d.t.Errorf("serve ends with %d: %s", got.code, got.err)
		}
		return
	}
	s := startServing(d.t, d.environ...)
	if c.start == waits {
		s.says("waiting for Redis")
	} else {
		s.says("serving at")
	}
	s.wantReady(c.code, c.reasons)
}

// readiness is what /readyz answers.
type readiness struct {
	Status  string   `json:"status"`
	Reasons []string `json:"reasons"`
}

// wantReady asks a node again and again until it says so.
func (s *serving) wantReady(code int, reasons string) {
	s.t.Helper()
	s.unread.Do(func() {
		go func() { // what is not read stops who says it
			for s.lines.Scan() {
			}
		}()
	})
	want := map[int]string{0: "ready", 1: "warning", 2: "unavailable"}[code]
	status := map[int]int{0: http.StatusOK, 1: http.StatusOK, 2: http.StatusServiceUnavailable}[code]
	var got readiness
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got = readiness{}
		body, answered := s.ask("/readyz")
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			s.t.Fatalf("%s: %v", body, err)
		}
		if answered == status && got.Status == want && strings.Join(got.Reasons, " ") == reasons {
			return
		}
	}
	s.t.Errorf("/readyz says %+v, want %s for %s", got, want, reasons)
}

// wantDoctor asks the doctor, who may know of more where other things than the test decide about that.
func (d *deployment) wantDoctor(code int, reasons string, besides ...string) {
	d.t.Helper()
	got := wsd(d.t, append([]string{"WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...), "doctor", "-o", "json")
	var found struct {
		Verdict redis.Verdict `json:"verdict"`
		Code    int           `json:"code"`
		Checks  redis.Health  `json:"checks"`
	}
	if err := json.Unmarshal([]byte(got.out), &found); err != nil {
		d.t.Fatalf("%d %s%s: %v", got.code, got.out, got.err, err)
	}
	if found.Code != got.code || found.Verdict != found.Checks.Verdict() {
		d.t.Errorf("it ends with %d and says %d, %s", got.code, found.Code, found.Verdict)
	}
	checks := slices.DeleteFunc(found.Checks, func(c redis.Check) bool { return slices.Contains(besides, c.Name) })
	if checks.Code() != code || strings.Join(checks.Reasons(), " ") != reasons {
		d.t.Errorf("doctor says %d %v, want %d %s:\n%s", checks.Code(), checks.Reasons(), code, reasons, got.out)
	}
}

// Two nodes on one directory: the second is refused, the doctor beside the first finds it healthy, and a node whose
// directory is taken away from it writes nothing any more.
func TestTwoNodesOnOneDirectory(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	directory := t.TempDir()
	d := local(t, directory)
	running := startServing(t, d.environ...)
	running.says("serving at")
	d.wantDoctor(0, "", "disk")
	environ := append([]string{"WSD_ADDR=127.0.0.1:0", "WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...)
	if got := wsd(t, environ, "serve"); got.code != exitRefused || !strings.Contains(got.err, "is locked") {
		t.Errorf("the second node ends with %d: %s", got.code, got.err)
	}
	if got := wsd(t, environ, "init", "--user", "ada@example.com", "--org", "Docs"); got.code != exitOK {
		t.Errorf("init beside it: %d %s", got.code, got.err)
	}
	rob(t, directory)
	running.wantReady(2, "directory")
}
