package main

import (
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
)

// TestMetricsListener checks that the listener of the metrics serves them once a server is attached and nothing else, and that it
// closes with the process.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	c, err := configFromEnviron([]string{"WSD_ADDR=127.0.0.1:0", "WSD_METRICS_ADDR=127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.newFrontend(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	url := f.metricsURL(c)
	get := func(method, url string) (status int, text string, err error) {
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		if err != nil {
			return 0, "", err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		return answer.StatusCode, string(body), err
	}
	check := func(method, url string, want int, part string) {
		t.Helper()
		if status, text, err := get(method, url); err != nil || status != want || !strings.Contains(text, part) {
			t.Errorf("%s %s: %d %v, want %d with %q\n%s", method, url, status, err, want, part, text)
		}
	}
	check("GET", url, http.StatusServiceUnavailable, "The data store is not ready")
	s, err := store.Open(t.Context(), store.Config{Memory: true, Model: access.NewModel})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	srv, err := server.New(server.Options{
		Store: s, Secret: []byte(strings.Repeat("s", 32)), Log: slog.New(slog.DiscardHandler), Metrics: c.hasMetrics(),
	})
	if err != nil {
		t.Fatal(err)
	}
	f.startup.SetHandler(srv.Handler())
	srv.MeasureListener(f.http)
	f.metrics.attach(srv)
	check("GET", url, http.StatusOK, "\nwsd_http_connections 0\n")
	check("POST", url, http.StatusMethodNotAllowed, "")
	check("GET", strings.TrimSuffix(url, "/metrics")+"/v1/user", http.StatusNotFound, "")
	check("GET", localURL(f.listener)+"/metrics", http.StatusNotFound, "not_found")
	if err := f.close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, _, err := get("GET", url); err == nil {
		t.Error("the metrics are served after the end")
	}
}

// TestMetricsURL checks the address of the metrics in the lines of the start.
func TestMetricsURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ environ, want string }{
		{"", ""},
		{"WSD_METRICS_TOKEN=0123456789abcdef", "/metrics"},
	} {
		cfg, err := configFromEnviron(strings.Fields("WSD_ADDR=127.0.0.1:0 " + c.environ))
		if err != nil {
			t.Fatal(err)
		}
		f, err := cfg.newFrontend(t.Context(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		want := c.want
		if want != "" {
			want = localURL(f.listener) + want
		}
		if got := f.metricsURL(cfg); got != want {
			t.Errorf("with %q: %q, want %q", c.environ, got, want)
		}
		if err := f.close(t.Context()); err != nil {
			t.Error(err)
		}
	}
}
