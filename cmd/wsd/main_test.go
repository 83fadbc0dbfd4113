package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
)

// outcome is what a command wrote and ended with.
type outcome struct {
	code     int
	out, err string
}

// wsd runs a command as the process would, with nothing in its environment but what is given.
func wsd(t *testing.T, environ []string, args ...string) outcome {
	t.Helper()
	var out, err bytes.Buffer
	code := run(t.Context(), args, environ, &out, &err)
	return outcome{code, out.String(), err.String()}
}

// Help shows what a flag is by default, and never a secret that the environment sets.
func TestHelpKeepsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "sup3rsecret"
	environ := []string{"WSD_REDIS_URL=redis://user:" + secret + "@redis:6379"}
	for name := range (&config{}).variables() {
		if strings.Contains(name, "SECRET") || strings.Contains(name, "KEY") {
			environ = append(environ, name+"="+secret)
		}
	}
	for _, args := range [][]string{{"--help"}, {"serve", "--help"}, {"demo", "--help"}, {"init", "--help"}, {"token", "create", "--help"}, {"doctor", "--help"}, {"fsck", "--help"}, {"budgets", "--help"}} {
		got := wsd(t, environ, args...)
		if got.code != exitOK || strings.Contains(got.out+got.err, secret) || !strings.Contains(got.out, `(default "$WSD_REDIS_URL")`) {
			t.Errorf("wsd %s: %d\n%s%s", strings.Join(args, " "), got.code, got.out, got.err)
		}
	}
}

// An address that no client could open does not get into answers: serving is refused, before a store is opened.
func TestAddresses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"WSD_ADDR=:8080":                                "set WSD_PUBLIC_URL",
		"WSD_ADDR=0.0.0.0:8080":                         "set WSD_PUBLIC_URL",
		"WSD_ADDR=[::]:8080":                            "set WSD_PUBLIC_URL",
		"WSD_ADDR=8080":                                 "is not an address",
		"WSD_PUBLIC_URL=docs.example.com":               "is not an absolute",
		"WSD_PUBLIC_URL=ftp://docs.example.com":         "is not an absolute",
		"WSD_PUBLIC_URL=https://":                       "is not an absolute",
		"WSD_PUBLIC_URL=https:///docs":                  "is not an absolute",
		"WSD_PUBLIC_URL=https://u:sup3r@docs.example":   "user or a password",
		"WSD_PUBLIC_URL=https://docs.example.com?a=b":   "query or a fragment",
		"WSD_PUBLIC_URL=https://docs.example.com/?":     "query or a fragment",
		"WSD_PUBLIC_URL=https://docs.example.com/#":     "query or a fragment",
		"WSD_PUBLIC_URL=http://0.0.0.0:8080":            "not an address that a client can reach",
		"WSD_PUBLIC_URL=http://[::]:8080":               "not an address that a client can reach",
		"WSD_PUBLIC_URL=https://u:sup3r@docs.example:x": "not a URL",
	} {
		got := wsd(t, []string{text, "WSD_REDIS_URL=redis://127.0.0.1:1", "WSD_SECRET=" + strings.Repeat("s", 32)}, "serve")
		if got.code != exitError || !strings.Contains(got.err, want) || strings.Contains(got.err, "sup3r") {
			t.Errorf("%s: %d %s", text, got.code, got.err)
		}
	}
	for _, c := range []config{
		{addr: "127.0.0.1:0"},
		{addr: ":0", engine: "memory"},
		{addr: ":0", publicURL: "https://docs.example.com/wsd/"},
		{addr: "[::1]:0", publicURL: "http://localhost:8080"},
	} {
		if err := c.checkAddresses(); err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// What listens everywhere is reached by this machine's name for itself.
func TestReachable(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{"0.0.0.0:80": "http://localhost:80", "[::]:80": "http://localhost:80", "127.0.0.1:80": "http://127.0.0.1:80", "[::1]:80": "http://[::1]:80"} {
		if got := reachable(listening(address)); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

// listening is a listener that has an address and nothing else.
type listening string

func (listening) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (listening) Close() error              { return nil }
func (l listening) Addr() net.Addr          { return named(l) }

type named string

func (named) Network() string  { return "tcp" }
func (n named) String() string { return string(n) }
