package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/storetest"
)

// startRefusingServer listens on a unix socket and answers every Redis command with the error reply.
func startRefusingServer(t *testing.T, socket, reply string) (stop func()) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			context.AfterFunc(ctx, func() { _ = conn.Close() })
			go func() {
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					if strings.HasPrefix(lines.Text(), "*") { // start of a command
						_, _ = io.WriteString(conn, "-"+reply+"\r\n")
					}
				}
			}()
		}
	}()
	return func() {
		_ = listener.Close()
		cancel()
	}
}

// testServer is a wsd running in the test process.
type testServer struct {
	t         *testing.T
	url       string
	lines     *bufio.Scanner
	stop      context.CancelFunc
	forceStop chan struct{} // closed to end it without any wait
	exitCode  chan int

	readOnce sync.Once // starts the reader of wantReady
}

func startServer(t *testing.T, environ ...string) *testServer {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close()
	read, write := io.Pipe()
	ctx, stop := context.WithCancel(t.Context())
	s := &testServer{
		t: t, url: "http://" + address, lines: bufio.NewScanner(read), stop: stop, forceStop: make(chan struct{}), exitCode: make(chan int,
			1),
	}
	environ = append([]string{
		"WSD_ADDR=" + address, "WSD_SECRET=" + strings.Repeat("s", 32), "WSD_DATA=" +
			t.TempDir(), "WSD_LOG_LEVEL=warn", "WSD_DRAIN_TIME=0s",
	}, environ...)
	go func() {
		code := execute(ctx, s.forceStop, []string{"serve"}, environ, io.Discard, write)
		_ = write.Close()
		s.exitCode <- code
	}()
	t.Cleanup(func() {
		stop()
		_, _ = io.Copy(io.Discard, read)
	})
	return s
}

// waitForLine reads log lines up to one that contains text.
func (s *testServer) waitForLine(text string) {
	s.t.Helper()
	var seen []string
	for s.lines.Scan() {
		s.t.Log(s.lines.Text())
		if seen = append(seen, s.lines.Text()); strings.Contains(s.lines.Text(), text) {
			return
		}
	}
	s.t.Fatalf("wsd never says %q:\n%s", text, strings.Join(seen, "\n"))
}

// get returns the body and status of a GET request.
func (s *testServer) get(path string) (body string, status int) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	if _ = answer.Body.Close(); err != nil {
		s.t.Fatal(err)
	}
	return string(data), answer.StatusCode
}

// wantStatus sends a GET request and checks its status.
func (s *testServer) wantStatus(path string, status int) (body string, header http.Header) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := io.ReadAll(answer.Body)
	if _ = answer.Body.Close(); err != nil || answer.StatusCode != status {
		s.t.Errorf("%s answers %d, want %d: %s %v", path, answer.StatusCode, status, data, err)
	}
	return string(data), answer.Header
}

// TestServeWaitsForRedis checks that a server started before its Redis is alive, reports the reason why it is not ready, and
// serves once Redis does.
func TestServeWaitsForRedis(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "redis.sock")
	s := startServer(t, "WSD_REDIS_URL=unix://"+socket)
	for _, phase := range []struct {
		why, reason string
		begin       func() (end func())
	}{
		{"it cannot be reached", "connection", func() func() { return func() {} }},
		{
			"it is loading its data", "loading", func() func() {
				return startRefusingServer(t, socket, "LOADING Redis is loading the dataset in memory")
			},
		},
		{"its master is away", "role", func() func() { return startRefusingServer(t, socket, "MASTERDOWN Link with MASTER is down") }},
		{
			"its cluster is not complete", "cluster", func() func() {
				return startRefusingServer(t, socket, "CLUSTERDOWN The cluster is down")
			},
		},
	} {
		end := phase.begin()
		s.waitForLine("waiting for Redis: " + phase.why)
		s.wantStatus("/healthz", http.StatusOK)
		if body, _ := s.wantStatus("/readyz", http.StatusServiceUnavailable); !strings.Contains(body, `["`+phase.reason+`"]`) {
			t.Errorf("not ready: %s", body)
		}
		body, header := s.wantStatus("/v1/user", http.StatusServiceUnavailable)
		var e api.ErrorBody
		if err := json.Unmarshal([]byte(body), &e); err != nil || e.Error.Reason != api.ReasonUnavailable ||
			!strings.Contains(e.Error.Message, phase.why) || header.Get("Retry-After") == "" ||
			e.Error.RequestID == "" || e.Error.RequestID != header.Get("X-Request-Id") {
			t.Errorf("an operation: %s %v %v", body, header, err)
		}
		end()
	}
	if storetest.HasServer() {
		redis, err := storetest.StartRedis(t.Context(), t.TempDir(), "--unixsocket", socket, "--appendonly", "yes")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(redis.Kill)
		s.waitForLine("serving at " + s.url)
		s.wantStatus("/readyz", http.StatusOK)
		s.wantStatus("/v1/user", http.StatusUnauthorized)
	}
	s.stop()
	for s.lines.Scan() { // Print the rest of the log.
		t.Log(s.lines.Text())
	}
	if code := <-s.exitCode; code != exitOK {
		t.Errorf("asked to end, it ended with %d", code)
	}
}

// TestPermanentErrorsAreNotRetried checks that permanent errors end serve, that other commands do not wait for Redis, and that
// each error is printed once.
func TestPermanentErrorsAreNotRetried(t *testing.T) {
	t.Parallel()
	none := "unix://" + filepath.Join(t.TempDir(), "none.sock")
	locked := filepath.Join(t.TempDir(), "locked.sock")
	t.Cleanup(startRefusingServer(t, locked, "WRONGPASS invalid username-password pair or user is disabled."))
	for name, c := range map[string]struct {
		url, want string
		code      int
		args      []string
	}{
		"a wrong password": {"unix://" + locked, "WRONGPASS", exitRefused, []string{"serve"}},
		"doctor":           {none, "must not start: connection", exitRefused, []string{"doctor"}},
		"fsck":             {none, "redis is unavailable", exitError, []string{"fsck"}},
		"token create":     {none, "redis is unavailable", exitError, []string{"token", "create", "--user", "a@example.com"}},
		"init": {
			none, "waiting for Redis: it cannot be reached\n", exitError, []string{
				"init", "--user", "a@example.com", "--org", "A", "--budgets", "store-wait=2s",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runWSD(t, []string{
				"WSD_REDIS_URL=" + c.url, "WSD_ADDR=127.0.0.1:0", "WSD_SECRET=" + strings.Repeat("s", 32), "WSD_LOG_LEVEL=error",
			}, c.args...)
			if got.code != c.code || !strings.Contains(got.stderr, c.want) || strings.Count(got.stderr, "store: redis") > 1 {
				t.Errorf("%d %s", got.code, got.stderr)
			}
		})
	}
}
