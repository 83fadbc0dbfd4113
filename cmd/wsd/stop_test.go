package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"
)

// logLine is what a test looks at of a line of the log.
type logLine struct {
	Level   string `json:"level"`
	Msg     string `json:"msg"`
	Address string `json:"address"`
	Error   string `json:"error"`
}

// asJSON reads a line of the log.
func asJSON(t *testing.T, line string) (read logLine) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &read); err != nil {
		t.Errorf("%v: %s", err, line)
	}
	return read
}

// wsd that is asked to stop says so to those who send requests to it, and answers them for as long as it was told. Asked
// again, it waits for nothing. Every line that it writes meanwhile is JSON.
func TestStopping(t *testing.T) {
	t.Parallel()
	s := startServing(t, "WSD_STORE=memory", "WSD_DRAIN_TIME=1h", "WSD_LOG_LEVEL=info")
	s.says("serving at " + s.url)
	if first := asJSON(t, s.lines.Text()); first.Level != "INFO" || first.Address != s.url {
		t.Errorf("the first line: %+v", first)
	}
	s.rest()
	s.answers("/readyz", http.StatusOK)
	address := "WSD_ADDR=" + strings.TrimPrefix(s.url, "http://")
	if got := wsd(t, []string{address}, "ready", "--for", "read"); got.code != exitOK || got.out != "ready\n" || got.err != "wsd: warning: persistence\n" {
		t.Errorf("wsd ready: %+v", got)
	}
	s.stop()
	for deadline := time.Now().Add(time.Minute); s.status("/readyz") != http.StatusServiceUnavailable; {
		if time.Now().After(deadline) {
			t.Fatal("it stays ready")
		}
	}
	if got := wsd(t, []string{address}, "ready"); got.code != exitError || !strings.Contains(got.err, "not ready") {
		t.Errorf("wsd ready while it stops: %+v", got)
	}
	s.answers("/healthz", http.StatusOK)
	s.answers("/v1/user", http.StatusUnauthorized)
	select {
	case code := <-s.code:
		t.Fatalf("it ended too soon, with %d", code)
	default:
	}
	close(s.now)
	if code := <-s.code; code != exitOK {
		t.Errorf("it ended with %d", code)
	}
	if got := wsd(t, []string{address}, "ready"); got.code != exitError || !strings.Contains(got.err, "nothing answers") {
		t.Errorf("wsd ready when it has ended: %+v", got)
	}
}

// rest takes what it says from now on: JSON, line by line.
func (s *serving) rest() {
	go func() {
		for s.lines.Scan() {
			var line map[string]any
			if err := json.Unmarshal(s.lines.Bytes(), &line); err != nil {
				s.t.Errorf("%v: %s", err, s.lines.Text())
			}
		}
	}()
}

// status is how a path is answered; 0 where nothing answers.
func (s *serving) status(path string) int {
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

// How long wsd drains: as it was told, else five seconds, unless somebody waits for it.
func TestDrainTime(t *testing.T) {
	t.Parallel()
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	for text, want := range map[string]time.Duration{"": defaultPause, "0s": 0, "2m": 2 * time.Minute} {
		for name, stderr := range map[string]io.Writer{"a pipe": &bytes.Buffer{}, "a file": file} {
			if got, err := (&config{drainTime: text}).pause(stderr); got != want || err != nil {
				t.Errorf("%q to %s: %s %v", text, name, got, err)
			}
		}
	}
	for _, text := range []string{"5", "-1s", "soon"} {
		if got := wsd(t, []string{"WSD_STORE=memory", "WSD_ADDR=127.0.0.1:0", "WSD_DATA=" + t.TempDir(), "WSD_DRAIN_TIME=" + text}, "serve"); got.code != exitError || !strings.Contains(got.err, "is not a time") {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

// Why wsd does not serve is a line of the log, too; other commands speak to people.
func TestRefusalsAreLines(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"serve"}, nil, {"serve", "--nonsense"}, {"--nonsense"}} {
		for _, environ := range [][]string{{"WSD_ADDR=8080"}, {"WSD_NONSENSE=1"}} {
			got := wsd(t, environ, args...)
			if line := asJSON(t, got.err); got.code == exitOK || line.Level != "ERROR" || line.Msg != "wsd does not serve" || line.Error == "" {
				t.Errorf("%v %v: %+v", environ, args, got)
			}
		}
	}
	for _, args := range [][]string{{"doctor", "--nonsense"}, {"sevre"}, {"demo", "-o", "xml"}} {
		if got := wsd(t, nil, args...); got.code != exitError || !strings.HasPrefix(got.err, "wsd: ") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// Every variable that wsd reads is in its help.
func TestHelpNamesEveryVariable(t *testing.T) {
	t.Parallel()
	help := wsd(t, nil, "--help").out
	for name := range (&config{}).variables() {
		if !strings.Contains(help, name) {
			t.Errorf("wsd --help does not name %s", name)
		}
	}
}
