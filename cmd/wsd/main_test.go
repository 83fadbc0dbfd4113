package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
)

// result is the exit code and output of a command.
type result struct {
	code           int
	stdout, stderr string
}

// run calls execute without a forceStop channel.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) int {
	return execute(ctx, nil, args, environ, stdout, stderr)
}

// runWSD runs a command with no environment but environ.
func runWSD(t *testing.T, environ []string, args ...string) result {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, environ, &out, &err)
	return result{code, out.String(), err.String()}
}

// TestHelpHidesSecrets checks that help shows the defaults of flags, but no secret from the environment.
func TestHelpHidesSecrets(t *testing.T) {
	t.Parallel()
	const secret = "sup3rsecret"
	environ := []string{"WSD_REDIS_URL=redis://user:" + secret + "@redis:6379"}
	for name := range (&config{}).variables() {
		if name != "WSD_REDIS_KEY" && (strings.Contains(name, "SECRET") || strings.Contains(name, "KEY")) { // that one names a file
			environ = append(environ, name+"="+secret)
		}
	}
	for _, args := range [][]string{
		{"--help"},
		{"serve", "--help"},
		{"demo", "--help"},
		{"init", "--help"},
		{"token", "create", "--help"},
		{"doctor", "--help"},
		{"fsck", "--help"},
		{"budgets", "--help"},
	} {
		got := runWSD(t, environ, args...)
		if got.code != exitOK || strings.Contains(got.stdout+got.stderr, secret) ||
			!strings.Contains(got.stdout, `(default "$WSD_REDIS_URL")`) {
			t.Errorf("wsd %s: %d\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
		}
	}
}

// TestCheckAddresses checks that wsd refuses to serve, before it opens a store, if clients could not use the addresses in
// responses.
func TestCheckAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"WSD_ADDR=:8080":                                "(WSD_PUBLIC_URL): it is needed",
		"WSD_ADDR=0.0.0.0:8080":                         "(WSD_PUBLIC_URL): it is needed",
		"WSD_ADDR=[::]:8080":                            "(WSD_PUBLIC_URL): it is needed",
		"WSD_ADDR=8080":                                 "is not an address",
		"WSD_PUBLIC_URL=docs.example.com":               "is not an absolute",
		"WSD_PUBLIC_URL=ftp://docs.example.com":         "is not an absolute",
		"WSD_PUBLIC_URL=https://":                       "is not an absolute",
		"WSD_PUBLIC_URL=https:///docs":                  "is not an absolute",
		"WSD_PUBLIC_URL=https://u:sup3r@docs.example":   "user or a password",
		"WSD_PUBLIC_URL=https://docs.example.com?a=b":   "query or a fragment",
		"WSD_PUBLIC_URL=https://docs.example.com/?":     "query or a fragment",
		"WSD_PUBLIC_URL=https://docs.example.com/#":     "query or a fragment",
		"WSD_PUBLIC_URL=https://docs.example.com/wsd/":  "must not have a path",
		"WSD_PUBLIC_URL=http://0.0.0.0:8080":            "not an address that a client can reach",
		"WSD_PUBLIC_URL=http://[::]:8080":               "not an address that a client can reach",
		"WSD_PUBLIC_URL=https://u:sup3r@docs.example:x": "not a URL",
	} {
		got := runWSD(t, []string{text, "WSD_REDIS_URL=redis://127.0.0.1:1", "WSD_SECRET=" + strings.Repeat("s", 32)}, "serve")
		if got.code != exitError || !strings.Contains(got.stderr, want) || strings.Contains(got.stderr, "sup3r") {
			t.Errorf("%s: %d %s", text, got.code, got.stderr)
		}
	}
	for _, c := range []config{
		{addr: "127.0.0.1:0"},
		{addr: ":0", engine: "memory"},
		{addr: ":0", publicURL: "https://docs.example.com/"},
		{addr: "127.0.0.1:http", publicURL: "https://docs.example.com"},
		{addr: "[::1]:0", publicURL: "http://localhost:8080"},
	} {
		if err := c.checkAddresses(t.Context()); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestLocalURL checks that the local URL of a listener on all addresses has the host localhost, and that other hosts are kept.
func TestLocalURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"0.0.0.0:80": "http://localhost:80", "[::]:80": "http://localhost:80", "127.0.0.1:80": "http://127.0.0.1:80",
		"[::1]:80": "http://[::1]:80",
	} {
		if got := localURL(stubListener(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// stubListener is a listener that only has an address.
type stubListener string

func (stubListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (stubListener) Close() error              { return nil }
func (l stubListener) Addr() net.Addr          { return stubAddr(l) }

type stubAddr string

func (stubAddr) Network() string  { return "tcp" }
func (n stubAddr) String() string { return string(n) }
