package rest_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// outage is a hook that simulates an unreachable Redis while active is set.
type outage struct{ active atomic.Bool }

var errUnreachable = &net.OpError{Op: "dial", Net: "unix", Err: errors.New("connection refused")}

// DialHook implements redis.Hook.
func (o *outage) DialHook(next redis.DialHook) redis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (o *outage) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, command redis.Cmder) error {
		if o.active.Load() {
			command.SetErr(errUnreachable)
			return errUnreachable
		}
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook.
func (o *outage) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, commands []redis.Cmder) error {
		if o.active.Load() {
			for _, command := range commands {
				command.SetErr(errUnreachable)
			}
			return errUnreachable
		}
		return next(ctx, commands)
	}
}

// TestOutageReturnsUnavailable checks that every operation responds with 503 with Retry-After while Redis is
// unreachable, and that nothing is lost.
func TestOutageReturnsUnavailable(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &outage{}
		w, s := servertest.NewSampleWorld(t, engine, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		before := w.Dump()
		hook.active.Store(true)
		for _, row := range api.Rows() {
			wantUnavailable(t, w.Send("admin", row.Method, w.SamplePath(row, s), w.SampleBody(row, s)))
		}
		checkProbes(t, w, http.StatusServiceUnavailable)
		hook.active.Store(false)
		checkProbes(t, w, http.StatusOK)
		servertest.WantUnchanged(w, before, "after an outage")
		w.Call("admin", http.MethodGet, "/v1/spaces/"+s.Handbook, nil, http.StatusOK)
	})
}

func wantUnavailable(t *testing.T, a servertest.Response) {
	t.Helper()
	seconds, err := strconv.Atoi(a.Header.Get("Retry-After"))
	if a.Status != http.StatusServiceUnavailable || a.Error().Reason != api.ReasonUnavailable || err != nil || seconds < 1 {
		t.Errorf("%d with Retry-After %q: %s", a.Status, a.Header.Get("Retry-After"), a.Body)
	}
}

// checkProbes checks the status of the health probes. The process is always live.
func checkProbes(t *testing.T, w *servertest.World, ready int) {
	t.Helper()
	w.Store.CheckNow(t.Context())
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": ready, "/readyz?for=read": ready} {
		if got := probe(w, path); got != want {
			t.Errorf("%s answers %d, want %d", path, got, want)
		}
	}
}

// probe returns the status of a path that is not an operation.
func probe(w *servertest.World, path string) int {
	w.T.Helper()
	recorder := httptest.NewRecorder()
	r, err := http.NewRequestWithContext(w.T.Context(), http.MethodGet, path, nil)
	w.Must(err)
	w.Handler.ServeHTTP(recorder, r)
	return recorder.Code
}

// TestKilledRedisIsReportedQuickly checks that requests fail within two seconds after Redis was killed, not after a
// timeout.
func TestKilledRedisIsReportedQuickly(t *testing.T) {
	t.Parallel()
	servertest.Suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		program, err := exec.LookPath("redis-server")
		if engine.URL() == "" || err != nil {
			return // the emulation runs in this process and cannot be killed: see TestOutageReturnsUnavailable
		}
		socket := filepath.Join(t.TempDir(), "s")
		kill := startRedis(t, program, socket)
		t.Cleanup(func() { kill() }) // runs after the cleanup of the world, which is registered later
		w := servertest.NewWorld(t, storetest.Server("killed", "unix://"+socket))
		w.SkipFsck = true
		space := w.CreateSpace("A", "", "")
		kill()
		start := time.Now()
		wantUnavailable(t, w.Send("admin", http.MethodGet, "/v1/spaces/"+space, nil))
		wantUnavailable(t, w.Send("admin", http.MethodPatch, "/v1/spaces/"+space, api.SpacePatch{Title: api.Some("B")}))
		checkProbes(t, w, http.StatusServiceUnavailable)
		if took := time.Since(start); took > 6*time.Second {
			t.Errorf("it took %v to say so", took)
		}
		kill = startRedis(t, program, socket) // without data: the cleanup of the test looks for unknown keys
		checkProbes(t, w, http.StatusOK)
	})
}

// startRedis runs a Redis without persistence and returns a function that kills it.
func startRedis(t *testing.T, program, socket string) (kill func()) {
	t.Helper()
	command := exec.CommandContext(context.WithoutCancel(t.Context()), program, "--port", "0", "--unixsocket", socket, "--save", "",
		"--appendonly", "no", "--dir", filepath.Dir(socket))
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		_ = command.Process.Kill()
		_ = command.Wait()
	}
	client := redis.NewClient(&redis.Options{
		Network: "unix", Addr: socket, MaxRetries: 100, MinRetryBackoff: 5 * time.Millisecond, MaxRetryBackoff: 20 * time.Millisecond,
	})
	defer func() { _ = client.Close() }()
	if err := client.Ping(t.Context()).Err(); err != nil {
		kill()
		t.Fatal(err)
	}
	return kill
}
