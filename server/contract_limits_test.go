package server_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/store/storetest"
)

const perMinute = 5

// A user has so many requests a minute, with all tokens together; every answer says how many are left.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	w.serve(func(o *server.Options) { o.RateLimit = perMinute })
	reset := strconv.FormatInt(w.clock.Now().Truncate(time.Minute).Add(time.Minute).Unix(), 10)
	for left := perMinute - 1; left >= 0; left-- {
		a := w.raw("reader", http.MethodGet, "/v1/user", nil)
		equal(t, "status", http.StatusOK, a.Status)
		equal(t, "limit", strconv.Itoa(perMinute), a.Header.Get("X-Ratelimit-Limit"))
		equal(t, "remaining", strconv.Itoa(left), a.Header.Get("X-Ratelimit-Remaining"))
		equal(t, "reset", reset, a.Header.Get("X-Ratelimit-Reset"))
	}
	refused := w.raw("reader", http.MethodGet, "/v1/user", nil)
	equal(t, "status over the limit", http.StatusTooManyRequests, refused.Status)
	equal(t, "remaining over the limit", "0", refused.Header.Get("X-Ratelimit-Remaining"))
	equal(t, "wait", "60", refused.Header.Get("Retry-After"))
	equal(t, "somebody else", http.StatusOK, w.raw("editor", http.MethodGet, "/v1/user", nil).Status)

	w.clock.Advance(time.Minute)
	equal(t, "a minute later", http.StatusOK, w.raw("reader", http.MethodGet, "/v1/user", nil).Status)
}

// Who guesses tokens uses up nothing of the user that they name, but what their own address has; a user who was here
// lately goes on from that address.
func TestRateLimitOfTheUserAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	w.serve(func(o *server.Options) { o.RateLimit = perMinute })
	w.call("reader", http.MethodGet, "/v1/user", nil, http.StatusOK)
	w.clock.Advance(time.Minute) // the test server has asked for the document
	good := w.tokens["reader"]
	for i := range 3 * perMinute {
		w.tokens["guess"] = good + fmt.Sprint(i)
		a := w.raw("guess", http.MethodGet, "/v1/user", nil)
		want := http.StatusUnauthorized
		if i >= perMinute {
			want = http.StatusTooManyRequests
		}
		equal(t, "status of a guess", want, a.Status)
		equal(t, "remaining for a guess", strconv.Itoa(max(perMinute-1-i, 0)), a.Header.Get("X-Ratelimit-Remaining"))
	}
	a := w.raw("reader", http.MethodGet, "/v1/user", nil)
	equal(t, "remaining", strconv.Itoa(perMinute-1), a.Header.Get("X-Ratelimit-Remaining"))
}

// Every answer of the interface, whatever it says and to whom, tells what is left, and counts once.
func TestRateLimitOnEveryAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	w.serve(func(o *server.Options) { o.RateLimit = 20 })
	w.clock.Advance(time.Minute) // the test server has asked for the document
	org := "/v1/orgs/" + w.org
	left := map[string]int{}
	for _, c := range []struct {
		as, method, path string
		status           int
		user             bool // whose it is; else the address's
	}{
		{"reader", http.MethodGet, org, http.StatusOK, true},
		{"reader", http.MethodGet, org + "/members?order=up", http.StatusBadRequest, false}, // refused before anybody asked who it is
		{"reader", http.MethodPatch, org, http.StatusForbidden, true},
		{"reader", http.MethodGet, "/v1/orgs/o_nowhere", http.StatusNotFound, true},
		{"", http.MethodGet, org, http.StatusUnauthorized, false},
		{"", http.MethodGet, org + "/sso", http.StatusOK, false},
		{"", http.MethodGet, "/v1/openapi.json", http.StatusOK, false},
		{"reader", http.MethodGet, "/v1/nowhere", http.StatusNotFound, false},
		{"reader", http.MethodPut, org, http.StatusMethodNotAllowed, false},
	} {
		a := w.raw(c.as, c.method, c.path, nil)
		what := c.method + " " + c.path
		equal(t, what, c.status, a.Status)
		who := map[bool]string{true: "user", false: "address"}[c.user]
		left[who]++
		equal(t, "remaining after "+what, strconv.Itoa(20-left[who]), a.Header.Get("X-Ratelimit-Remaining"))
		equal(t, "limit of "+what, "20", a.Header.Get("X-Ratelimit-Limit"))
		if a.Header.Get("X-Ratelimit-Reset") == "" {
			t.Errorf("%s does not say when the limit ends", what)
		}
	}
	for range 20 - left["address"] {
		w.raw("", http.MethodGet, "/v1/nowhere", nil)
	}
	for _, path := range []string{"/v1/nowhere", "/v1/openapi.json", org + "/sso", org} {
		equal(t, path+" beyond the limit", http.StatusTooManyRequests, w.raw("", http.MethodGet, path, nil).Status)
	}
	equal(t, "the user afterwards", http.StatusOK, w.raw("reader", http.MethodGet, org, nil).Status)
}

// Nodes know of each other's requests, about a second late.
func TestRateLimitOfTwoNodes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	w.serve(func(o *server.Options) { o.RateLimit = perMinute })
	first := w.handler
	w.serve(func(o *server.Options) { o.RateLimit = perMinute })
	second := w.handler
	w.handler = first
	for range perMinute - 2 {
		w.raw("reader", http.MethodGet, "/v1/user", nil)
	}
	w.clock.Advance(2 * time.Second)
	w.raw("reader", http.MethodGet, "/v1/user", nil)
	w.handler = second
	a := w.raw("reader", http.MethodGet, "/v1/user", nil)
	equal(t, "remaining at the second node", "0", a.Header.Get("X-Ratelimit-Remaining"))
	equal(t, "status at the second node", http.StatusTooManyRequests, w.raw("reader", http.MethodGet, "/v1/user", nil).Status)
}
