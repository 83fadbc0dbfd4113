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

// deployment is a wsd configuration and its Redis.
type deployment struct {
	t       *testing.T
	redis   *storetest.Redis // nil if wsd runs its own
	client  *goredis.Client
	environ []string
}

const fastChecks = "WSD_BUDGETS=canary-every=50ms,examine-every=100ms,disk-reserve=256KiB"

// newRemoteDeployment returns a deployment on a Redis that wsd does not run itself.
func newRemoteDeployment(t *testing.T, settings ...string) *deployment {
	t.Helper()
	r, err := storetest.StartRedis(t.Context(), t.TempDir(), append([]string{"--appendonly", "yes", "--appendfsync", "always"},
		settings...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Kill)
	d := &deployment{t: t, redis: r, client: r.Client()}
	t.Cleanup(func() { _ = d.client.Close() })
	d.environ = []string{"WSD_REDIS_URL=" + r.URL(), fastChecks}
	return d
}

// newLocalDeployment returns a deployment whose wsd runs its own Redis in directory.
func newLocalDeployment(t *testing.T, directory string) *deployment {
	t.Helper()
	return &deployment{t: t, environ: []string{"WSD_DATA=" + directory, fastChecks}}
}

func (d *deployment) setConfig(name, value string) {
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

// fillMemory lowers the memory limit of Redis so that 98 % of it is used.
func (d *deployment) fillMemory() {
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
	d.setConfig("maxmemory", fmt.Sprint(used*100/98))
}

// fillerKeys and keyLoadDelay make Redis take about 20 seconds to load its data. The test does not wait for the end of the
// loading.
const (
	fillerKeys   = 150_000
	keyLoadDelay = "50" // microseconds per key
)

// restartLoading restarts Redis with data that takes long to load.
func (d *deployment) restartLoading() {
	d.t.Helper()
	pipe := d.client.Pipeline()
	for i := range fillerKeys {
		pipe.Set(d.t.Context(), fmt.Sprint("filler", i), "x", 0)
	}
	if _, err := pipe.Exec(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	d.redis.Kill()
	if err := d.redis.StartWithout(d.t.Context(), "--key-load-delay", keyLoadDelay); err != nil {
		d.t.Fatal(err)
	}
}

// replaceLock replaces the lock file of a directory, as if an operator had removed it and started another wsd.
func replaceLock(t *testing.T, directory string) {
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

// Results of serve on a broken deployment.
const (
	startRefused = "is refused at the start"
	startWaits   = "is waited for"
	startServes  = "is served"
)

// brokenDeployment is a kind of damage with the expected results of serve, doctor and /readyz.
type brokenDeployment struct {
	code    int    // exit code of the verdict
	reasons string // names of the failed checks
	start   string // startRefused, startWaits or startServes
	make    func(t *testing.T) *deployment
	damage  func(d *deployment)
}

var brokenDeployments = map[string]brokenDeployment{
	"no persistence": {2, "persistence", startRefused, func(t *testing.T) *deployment {
		return newRemoteDeployment(t)
	}, func(d *deployment) {
		d.setConfig("save", "")
		d.setConfig("appendonly", "no")
	}},
	"appendfsync everysec": {
		0, "", startServes, func(t *testing.T) *deployment {
			return newRemoteDeployment(t, "--appendfsync", "everysec")
		}, func(*deployment) {},
	},
	"eviction": {2, "eviction", startRefused, func(t *testing.T) *deployment { return newRemoteDeployment(t) }, func(d *deployment) {
		d.setConfig("maxmemory", "1gb")
		d.setConfig("maxmemory-policy", "allkeys-lru")
	}},
	"memory at 98 %": {
		1, "memory", startServes, func(t *testing.T) *deployment { return newRemoteDeployment(t) }, (*deployment).fillMemory,
	},
	"too few replicas": {
		2, "replicas", startWaits, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.setConfig("min-replicas-to-write", "1") },
	},
	"read-only replica": {
		2, "role", startWaits, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.do("replicaof", "127.0.0.1", "1") },
	},
	"loading data": {
		2, "loading", startWaits, func(t *testing.T) *deployment {
			return newRemoteDeployment(t, "--appendfsync", "everysec")
		}, (*deployment).restartLoading,
	},
	"another secret": {
		2, "secret", startRefused, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.do("hset", "wsd:secrets", "WSD_SECRET", "another") },
	},
	"an older format": {1, "forms", startServes, func(t *testing.T) *deployment { return newRemoteDeployment(t) }, func(d *deployment) {
		d.do("zadd", "wsd:nodes", "9999999999999", "0 older") // an older node prevents the upgrade
		d.do("set", "wsd:schema", "0")
	}},
	"stopped Redis": {
		2, "connection", startWaits, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.redis.Kill() },
	},
	"a Redis without CONFIG": {
		1, "config", startServes, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.do("acl", "setuser", "default", "-config") },
	},
	"a full memory": {
		2, "memory", startServes, func(t *testing.T) *deployment {
			return newRemoteDeployment(t)
		}, func(d *deployment) { d.setConfig("maxmemory", "1mb") },
	},
	"persistent Redis": {0, "", startServes, func(t *testing.T) *deployment { return newRemoteDeployment(t) }, func(*deployment) {}},
}

// TestBrokenDeploymentVerdicts checks that a starting node, the doctor, and /readyz of a node that was already running give the
// same verdict on a broken deployment.
func TestBrokenDeploymentVerdicts(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	for name, c := range brokenDeployments {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := c.make(t)
			running := startServer(t, d.environ...)
			running.waitForLine("serving at")
			c.damage(d)
			running.wantReady(c.code, c.reasons)
			d.wantDoctor(c.code, c.reasons)
			d.wantStart(c)
		})
	}
}

// wantStart starts a node on the broken deployment and checks the result of the start.
func (d *deployment) wantStart(c brokenDeployment) {
	d.t.Helper()
	if c.start == startRefused {
		environ := append([]string{"WSD_ADDR=127.0.0.1:0", "WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...)
		if got := runWSD(d.t, environ, "serve"); got.code != c.code || !strings.Contains(got.stderr, c.reasons+": ") {
			d.t.Errorf("serve ends with %d: %s", got.code, got.stderr)
		}
		return
	}
	s := startServer(d.t, d.environ...)
	if c.start == startWaits {
		s.waitForLine("waiting for Redis")
	} else {
		s.waitForLine("serving at")
	}
	s.wantReady(c.code, c.reasons)
}

// readiness is the response body of /readyz.
type readiness struct {
	Status  string   `json:"status"`
	Reasons []string `json:"reasons"`
}

// wantReady polls /readyz until it returns the expected status and reasons.
func (s *testServer) wantReady(code int, reasons string) {
	s.t.Helper()
	s.readOnce.Do(func() {
		go func() { // unread log lines would block the server
			for s.lines.Scan() {
			}
		}()
	})
	want := map[int]string{0: "ready", 1: "warning", 2: "unavailable"}[code]
	status := map[int]int{0: http.StatusOK, 1: http.StatusOK, 2: http.StatusServiceUnavailable}[code]
	var got readiness
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		got = readiness{}
		body, answered := s.get("/readyz")
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			s.t.Fatalf("%s: %v", body, err)
		}
		if answered == status && got.Status == want && strings.Join(got.Reasons, " ") == reasons {
			return
		}
	}
	s.t.Errorf("/readyz says %+v, want %s for %s", got, want, reasons)
}

// wantDoctor runs wsd doctor and checks its exit code and reasons. Checks named in ignored depend on the machine and
// are left out.
func (d *deployment) wantDoctor(code int, reasons string, ignored ...string) {
	d.t.Helper()
	got := runWSD(d.t, append([]string{"WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...), "doctor", "-o", "json")
	var found struct {
		Verdict redis.Verdict `json:"verdict"`
		Code    int           `json:"code"`
		Checks  redis.Health  `json:"checks"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &found); err != nil {
		d.t.Fatalf("%d %s%s: %v", got.code, got.stdout, got.stderr, err)
	}
	if found.Code != got.code || found.Verdict != found.Checks.Verdict() {
		d.t.Errorf("it ends with %d and says %d, %s", got.code, found.Code, found.Verdict)
	}
	checks := slices.DeleteFunc(found.Checks, func(c redis.Check) bool { return slices.Contains(ignored, c.Name) })
	if checks.Code() != code || strings.Join(checks.Reasons(), " ") != reasons {
		d.t.Errorf("doctor says %d %v, want %d %s:\n%s", checks.Code(), checks.Reasons(), code, reasons, got.stdout)
	}
}

// TestSecondNodeOnDirectoryIsRefused checks that a second node on a directory in use is refused while the doctor works, and
// that a node whose lock file was replaced is no longer ready.
func TestSecondNodeOnDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	directory := t.TempDir()
	d := newLocalDeployment(t, directory)
	running := startServer(t, d.environ...)
	running.waitForLine("serving at")
	d.wantDoctor(0, "", "disk")
	environ := append([]string{"WSD_ADDR=127.0.0.1:0", "WSD_SECRET=" + strings.Repeat("s", 32)}, d.environ...)
	if got := runWSD(t, environ, "serve"); got.code != exitRefused || !strings.Contains(got.stderr, "is locked") {
		t.Errorf("the second node ends with %d: %s", got.code, got.stderr)
	}
	if got := runWSD(t, environ, "init", "--user", "ada@example.com", "--org", "Docs"); got.code != exitOK {
		t.Errorf("init beside it: %d %s", got.code, got.stderr)
	}
	replaceLock(t, directory)
	running.wantReady(2, "directory")
}
