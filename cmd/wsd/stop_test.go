package main

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// logLine is a log line of wsd, written as JSON.
type logLine struct {
	Level   string `json:"level"`
	Msg     string `json:"msg"`
	Address string `json:"address"`
	Error   string `json:"error"`
}

// parseLogLine decodes a log line and reports a test error if it is not JSON.
func parseLogLine(t *testing.T, line string) (read logLine) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &read); err != nil {
		t.Errorf("%v: %s", err, line)
	}
	return read
}

// TestServeDrainsBeforeStop checks that after the first signal a server reports that it is not ready and serves for the drain
// time, that a second signal ends it, and that its log consists of JSON lines.
func TestServeDrainsBeforeStop(t *testing.T) {
	t.Parallel()
	s := startServer(t, "WSD_STORE=memory", "WSD_DRAIN_TIME=1h", "WSD_LOG_LEVEL=info")
	s.waitForLine("serving at " + s.url)
	if first := parseLogLine(t, s.lines.Text()); first.Level != "INFO" || first.Address != s.url {
		t.Errorf("the first line: %+v", first)
	}
	s.drainLog()
	s.wantStatus("/readyz", http.StatusOK)
	address := "WSD_ADDR=" + strings.TrimPrefix(s.url, "http://")
	if got := runWSD(t, []string{address}, "ready", "--for", "read"); got.code != exitOK || got.stdout != "ready\n" ||
		got.stderr != "wsd: warning: persistence\n" {
		t.Errorf("wsd ready: %+v", got)
	}
	s.stop()
	for deadline := time.Now().Add(time.Minute); s.status("/readyz") != http.StatusServiceUnavailable; {
		if time.Now().After(deadline) {
			t.Fatal("it stays ready")
		}
	}
	if got := runWSD(t, []string{address}, "ready"); got.code != exitError || !strings.Contains(got.stderr, "not ready") {
		t.Errorf("wsd ready while it stops: %+v", got)
	}
	s.wantStatus("/healthz", http.StatusOK)
	s.wantStatus("/v1/user", http.StatusUnauthorized)
	select {
	case code := <-s.exitCode:
		t.Fatalf("it ended too soon, with %d", code)
	default:
	}
	close(s.forceStop)
	if code := <-s.exitCode; code != exitOK {
		t.Errorf("it ended with %d", code)
	}
	if got := runWSD(t, []string{address}, "ready"); got.code != exitError || !strings.Contains(got.stderr, "nothing answers") {
		t.Errorf("wsd ready when it has ended: %+v", got)
	}
}

// drainLog reads the remaining log lines, which must be JSON.
func (s *testServer) drainLog() {
	go func() {
		for s.lines.Scan() {
			var line map[string]any
			if err := json.Unmarshal(s.lines.Bytes(), &line); err != nil {
				s.t.Errorf("%v: %s", err, s.lines.Text())
			}
		}
	}()
}

// status returns the status of a GET request, or 0 if the server cannot be reached.
func (s *testServer) status(path string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	return answer.StatusCode
}

// TestParseDrainTime checks that the drain time is the configured one, or five seconds if none is configured and stderr is not
// a terminal, and that invalid times are rejected.
func TestParseDrainTime(t *testing.T) {
	t.Parallel()
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for text, want := range map[string]time.Duration{"": defaultDrainTime, "0s": 0, "2m": 2 * time.Minute} {
		for name, stderr := range map[string]io.Writer{"a pipe": &bytes.Buffer{}, "a file": file} {
			if got, err := (&config{drainTime: text}).parseDrainTime(stderr); got != want || err != nil {
				t.Errorf("%q to %s: %s %v", text, name, got, err)
			}
		}
	}
	for _, text := range []string{"5", "-1s", "soon"} {
		if got := runWSD(t, []string{"WSD_STORE=memory", "WSD_ADDR=127.0.0.1:0", "WSD_DATA=" + t.TempDir(), "WSD_DRAIN_TIME=" + text},
			"serve"); got.code != exitError || !strings.Contains(got.stderr, "is not a time") {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// TestServeErrorsAreJSONLines checks that errors of serve are JSON log lines, except those of the command line, and that those
// of other commands are text.
func TestServeErrorsAreJSONLines(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve"}, nil} {
		for _, environ := range [][]string{{"WSD_ADDR=8080"}, {"WSD_NONSENSE=1"}} {
			got := runWSD(t, environ, args...)
			if line := parseLogLine(t, got.stderr); got.code == exitOK || line.Level != "ERROR" || line.Msg != "wsd does not serve" ||
				line.Error == "" {
				t.Errorf("%v %v: %+v", environ, args, got)
			}
		}
	}
	for _, args := range [][]string{{"doctor", "--nonsense"}, {"sevre"}, {"demo", "-o", "xml"}} {
		if got := runWSD(t, nil, args...); got.code == exitOK || !strings.HasPrefix(got.stderr, "wsd: ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestHelpListsEveryVariable checks that the help of wsd lists all environment variables.
func TestHelpListsEveryVariable(t *testing.T) {
	t.Parallel()
	help := runWSD(t, nil, "--help").stdout
	for name := range (&config{}).variables() {
		if !strings.Contains(help, name) {
			t.Errorf("wsd --help does not name %s", name)
		}
	}
}

// TestStopDoesNotWaitForJobsThatDoNotEnd checks that a job that ignores its context delays the end of a server until
// the shutdown timeout or the second signal, whichever is first.
func TestStopDoesNotWaitForJobsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timeout   time.Duration
		forced    bool
		jobEnds   bool
		wantDelay time.Duration
	}{
		"a job that ends":                       {timeout: time.Hour, jobEnds: true},
		"a job that goes on":                    {timeout: 25 * time.Second, wantDelay: 25 * time.Second},
		"a job that goes on, a second signal":   {timeout: time.Hour, forced: true},
		"requests that used up the time before": {timeout: 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				force, end := make(chan struct{}), make(chan struct{})
				if c.forced {
					close(force)
				}
				if c.jobEnds {
					close(end)
				}
				f := &frontend{log: slog.New(slog.DiscardHandler), shutdownTimeout: c.timeout, forceStop: force}
				began := time.Now()
				f.waitForJobs(func() { <-end })
				if delay := time.Since(began); delay != c.wantDelay {
					t.Errorf("it ended after %s, want %s", delay, c.wantDelay)
				}
				if !c.jobEnds {
					close(end)
				}
			})
		})
	}
}
