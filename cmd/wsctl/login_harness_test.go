package main

import (
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"docspace.dev/wsd/cmd/wsctl/app"
	"docspace.dev/wsd/cmd/wsctl/apptest"
)

// loginHarness is a Harness whose server is an authorization server, with a clock for both.
type loginHarness struct {
	*apptest.Harness

	Auth *apptest.AuthServer
	past atomic.Int64 // time since the start of the test
}

// newLoginHarness returns a loginHarness for the whole program without a credential, at a terminal with a browser in which everybody
// signs in at once.
func newLoginHarness(t *testing.T) *loginHarness {
	t.Helper()
	h := &loginHarness{Harness: newHarness(t)}
	h.Now = func() time.Time {
		return time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(h.past.Load()))
	}
	h.Auth = apptest.NewAuthServer(t, h.Now)
	h.Terminal, h.Env["WSCTL_URL"] = true, h.Auth.URL
	delete(h.Env, "WSCTL_TOKEN")
	h.Browser = func(url string) error { return h.Auth.Browse(t.Context(), url) }
	return h
}

// newSignedInHarness is newLoginHarness after a login. The standard streams are no terminal then.
func newSignedInHarness(t *testing.T) *loginHarness {
	t.Helper()
	h := newLoginHarness(t)
	h.Run("login").Want(t, app.ExitOK)
	h.Terminal = false
	return h
}

// fail makes f answer requests in the place of the server, if it returns true.
func (h *loginHarness) fail(f func(http.ResponseWriter, *http.Request) bool) {
	h.Auth.Change(func(s *apptest.AuthServer) { s.Fail = f })
}

// pass moves the clock.
func (h *loginHarness) pass(d time.Duration) { h.past.Add(int64(d)) }
