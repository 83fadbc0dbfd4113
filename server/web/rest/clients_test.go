package rest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store/storetest"
)

// logBuffer is a log in memory.
type logBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *logBuffer) Write(line []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(line)
}

// lines returns the lines of requests logged since the last call.
func (j *logBuffer) lines(t *testing.T) (lines []map[string]any) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for scanner := bufio.NewScanner(&j.text); scanner.Scan(); {
		line := map[string]any{}
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Errorf("%v: %s", err, scanner.Text())
		}
		if line["msg"] == "request" {
			lines = append(lines, line)
		}
	}
	j.text.Reset()
	return lines
}

// serveWithLog serves the world with a log in memory and a rate limit.
func serveWithLog(w *servertest.World, limit int) *logBuffer {
	j := &logBuffer{}
	w.Serve(func(o *server.Options) { o.Log, o.RateLimit = j.logger(), limit })
	return j
}

// logger returns a logger that writes to the buffer.
func (j *logBuffer) logger() *slog.Logger { return slog.New(slog.NewJSONHandler(j, nil)) }

// listenOnLoopback serves handler on a loopback address with package listen, as wsd does.
func listenOnLoopback(t *testing.T, handler http.Handler, trusted listen.Networks) (url string) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := listen.New(handler, listen.LimitsOf(budgets.Defaults()), trusted, slog.New(slog.DiscardHandler))
	go func() { _ = s.Serve(listener) }()
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + listener.Addr().String()
}

// forward sends a request as a proxy does for a client, and returns the status.
func forward(t *testing.T, url, forwardedFor string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", forwardedFor)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// TestAnonymousClientsOfProxyAreCountedByAddress checks that anonymous requests are counted by the address that a trusted
// proxy names, IPv6 by network, on all routes except those of health, and that other clients cannot name an address.
func TestAnonymousClientsOfProxyAreCountedByAddress(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	trusted, err := listen.ParseNetworks("127.0.0.1,::1")
	w.Must(err)
	for _, path := range []string{"/v1/user", "/v1/openapi.json", "/raw/x", "/app/spaces/s_1", "/sites/o_1/docs", "/nowhere"} {
		serveWithLog(w, perMinute)
		proxied, direct := listenOnLoopback(t, w.Handler, trusted), listenOnLoopback(t, w.Handler, nil)
		until429 := func(url string, client func(i int) string) (n int) {
			for n < 3*perMinute && forward(t, url+path, client(n)) != http.StatusTooManyRequests {
				n++
			}
			return n
		}
		for name, c := range map[string]struct {
			url    string
			client func(i int) string
			want   int
		}{
			"one client":               {proxied, func(int) string { return "203.0.113.1" }, perMinute},
			"many clients":             {proxied, func(i int) string { return fmt.Sprintf("198.51.100.%d", i+1) }, 3 * perMinute},
			"forged through the proxy": {proxied, func(i int) string { return fmt.Sprintf("9.9.9.%d, 203.0.113.2", i) }, perMinute},
			"an IPv6 network":          {proxied, func(i int) string { return fmt.Sprintf("2001:db8::%d", i+1) }, perMinute},
			"forged by a stranger":     {direct, func(i int) string { return fmt.Sprintf("192.0.2.%d", i+1) }, perMinute},
		} {
			if got := until429(c.url, c.client); got != c.want {
				t.Errorf("%s, %s: refused after %d, want %d", path, name, got, c.want)
			}
		}
	}
	proxied := listenOnLoopback(t, w.Handler, trusted)
	for _, path := range []string{"/healthz", "/readyz"} {
		for range 3 * perMinute {
			if status := forward(t, proxied+path, "203.0.113.1"); status != http.StatusOK {
				t.Fatalf("%s: %d", path, status)
			}
		}
	}
}

// TestLogContainsClientAndIDs checks that a log line contains the client's address and the ids of the path, never a
// token.
func TestLogContainsClientAndIDs(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	docs := w.NewSpace()
	j := serveWithLog(w, 0)
	trusted, err := listen.ParseNetworks("127.0.0.1")
	w.Must(err)
	url := listenOnLoopback(t, w.Handler, trusted)
	for path, want := range map[string]string{
		"/v1/spaces/" + docs.ID + "?x=secret":               `{"space":"` + docs.ID + `"}`,
		"/v1/spaces/" + docs.ID + "/content/path/home":      `{"space":"` + docs.ID + `"}`,
		"/v1/orgs/" + w.Org + "/teams/" + "not_there":       `{"organization":"` + w.Org + `","team":"not_there"}`,
		"/v1/orgs/" + w.Org + "/teams/" + w.Tokens["admin"]: `{"organization":"` + w.Org + `"}`,
		"/raw/secret":     `null`,
		"/nowhere/secret": `null`,
	} {
		forward(t, url+path, "2001:db8::7")
		logged, err := json.Marshal(j.lines(t))
		w.Must(err)
		if text := string(logged); !strings.Contains(text, `"client":"2001:db8::7"`) || strings.Contains(text, "secret") ||
			strings.Contains(text, w.Tokens["admin"]) ||
			want != "null" && !strings.Contains(text, `"ids":`+want) || want == "null" && strings.Contains(text, `"ids"`) ||
			strings.Count(text, `"msg"`) != 1 {
			t.Errorf("%s: %s, want ids %s", path, text, want)
		}
	}
	space := w.NewSpace()
	made := j.lines(t)
	if len(made) == 0 || made[0]["made"] != "/v1/spaces/"+space.ID {
		t.Errorf("of what was made the log says %v, want /v1/spaces/%s", made, space.ID)
	}
}

// TestDisconnectIsNotLoggedAsError checks that the work of a disconnected client ends and its log line has no error.
func TestDisconnectIsNotLoggedAsError(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	docs := w.NewSpace()
	j := serveWithLog(w, 0)
	for _, c := range []struct{ method, path, body string }{
		{http.MethodGet, "/v1/spaces/" + docs.ID, ""},
		{http.MethodGet, "/v1/spaces/" + docs.ID + "/pdf", ""},
		{http.MethodPatch, "/v1/spaces/" + docs.ID, `{"title":"New"}`},
	} {
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, c.method, c.path, strings.NewReader(c.body))
		r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
		r.Header.Set("Content-Type", "application/json")
		leave()
		w.Handler.ServeHTTP(httptest.NewRecorder(), r)
		lines := j.lines(t)
		if len(lines) != 1 || lines[0]["status"] != 499.0 || lines[0]["level"] != "INFO" || lines[0]["error"] != nil {
			t.Errorf("%s %s: %v", c.method, c.path, lines)
		}
	}
}
