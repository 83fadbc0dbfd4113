package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

const perMinute = 5

// TestRateLimitIsSharedByTokens checks that all tokens of a user share one limit, and that every response has the
// number of remaining requests.
func TestRateLimitIsSharedByTokens(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.RateLimit = perMinute })
	reset := strconv.FormatInt(w.Clock.Now().Truncate(time.Minute).Add(time.Minute).Unix(), 10)
	for left := perMinute - 1; left >= 0; left-- {
		a := w.Send("reader", http.MethodGet, "/v1/user", nil)
		servertest.Equal(t, "status", http.StatusOK, a.Status)
		servertest.Equal(t, "limit", strconv.Itoa(perMinute), a.Header.Get("X-Ratelimit-Limit"))
		servertest.Equal(t, "remaining", strconv.Itoa(left), a.Header.Get("X-Ratelimit-Remaining"))
		servertest.Equal(t, "reset", reset, a.Header.Get("X-Ratelimit-Reset"))
	}
	refused := w.Send("reader", http.MethodGet, "/v1/user", nil)
	servertest.Equal(t, "status over the limit", http.StatusTooManyRequests, refused.Status)
	servertest.Equal(t, "remaining over the limit", "0", refused.Header.Get("X-Ratelimit-Remaining"))
	servertest.Equal(t, "wait", "60", refused.Header.Get("Retry-After"))
	servertest.Equal(t, "somebody else", http.StatusOK, w.Send("editor", http.MethodGet, "/v1/user", nil).Status)

	w.Clock.Advance(time.Minute)
	servertest.Equal(t, "a minute later", http.StatusOK, w.Send("reader", http.MethodGet, "/v1/user", nil).Status)
}

// TestRateLimitIgnoresInvalidTokens checks that invalid tokens are counted by the client's address instead of the user
// that they name, and that a user who was active recently may continue from that address.
func TestRateLimitIgnoresInvalidTokens(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.RateLimit = perMinute })
	w.Call("reader", http.MethodGet, "/v1/user", nil, http.StatusOK)
	w.Clock.Advance(time.Minute) // the test server has requested the document
	good := w.Tokens["reader"]
	for i := range 3 * perMinute {
		w.Tokens["guess"] = good + fmt.Sprint(i)
		a := w.Send("guess", http.MethodGet, "/v1/user", nil)
		want := http.StatusUnauthorized
		if i >= perMinute {
			want = http.StatusTooManyRequests
		}
		servertest.Equal(t, "status of a guess", want, a.Status)
		servertest.Equal(t, "remaining for a guess", strconv.Itoa(max(perMinute-1-i, 0)), a.Header.Get("X-Ratelimit-Remaining"))
	}
	a := w.Send("reader", http.MethodGet, "/v1/user", nil)
	servertest.Equal(t, "remaining", strconv.Itoa(perMinute-1), a.Header.Get("X-Ratelimit-Remaining"))
}

// TestEveryResponseHasRateLimit checks that every response, errors included, has the remaining requests and counts
// once.
func TestEveryResponseHasRateLimit(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.RateLimit = 20 })
	w.Clock.Advance(time.Minute) // the test server has requested the document
	org := "/v1/orgs/" + w.Org
	left := map[string]int{}
	for _, c := range []struct {
		as, method, path string
		status           int
		user             bool // counted by the user; else by the address
	}{
		{"reader", http.MethodGet, org, http.StatusOK, true},
		{"reader", http.MethodGet, org + "/members?order=up", http.StatusBadRequest, false}, // refused before the caller is identified
		{"reader", http.MethodPatch, org, http.StatusForbidden, true},
		{"reader", http.MethodGet, "/v1/orgs/o_nowhere", http.StatusNotFound, true},
		{"", http.MethodGet, org, http.StatusUnauthorized, false},
		{"", http.MethodGet, org + "/sso", http.StatusOK, false},
		{"", http.MethodGet, "/v1/openapi.json", http.StatusOK, false},
		{"reader", http.MethodGet, "/v1/nowhere", http.StatusNotFound, false},
		{"reader", http.MethodPut, org, http.StatusMethodNotAllowed, false},
	} {
		a := w.Send(c.as, c.method, c.path, nil)
		what := c.method + " " + c.path
		servertest.Equal(t, what, c.status, a.Status)
		who := map[bool]string{true: "user", false: "address"}[c.user]
		left[who]++
		servertest.Equal(t, "remaining after "+what, strconv.Itoa(20-left[who]), a.Header.Get("X-Ratelimit-Remaining"))
		servertest.Equal(t, "limit of "+what, "20", a.Header.Get("X-Ratelimit-Limit"))
		if a.Header.Get("X-Ratelimit-Reset") == "" {
			t.Errorf("%s does not say when the limit ends", what)
		}
	}
	for range 20 - left["address"] {
		w.Send("", http.MethodGet, "/v1/nowhere", nil)
	}
	for _, path := range []string{"/v1/nowhere", "/v1/openapi.json", org + "/sso", org} {
		servertest.Equal(t, path+" beyond the limit", http.StatusTooManyRequests, w.Send("", http.MethodGet, path, nil).Status)
	}
	servertest.Equal(t, "the user afterwards", http.StatusOK, w.Send("reader", http.MethodGet, org, nil).Status)
}

// TestRateLimitIsSharedByNodes checks that nodes count each other's requests, about one second late.
func TestRateLimitIsSharedByNodes(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.RateLimit = perMinute })
	first := w.Handler
	w.Serve(func(o *server.Options) { o.RateLimit = perMinute })
	second := w.Handler
	w.Handler = first
	for range perMinute - 2 {
		w.Send("reader", http.MethodGet, "/v1/user", nil)
	}
	w.Clock.Advance(2 * time.Second)
	w.Send("reader", http.MethodGet, "/v1/user", nil)
	w.Handler = second
	a := w.Send("reader", http.MethodGet, "/v1/user", nil)
	servertest.Equal(t, "remaining at the second node", "0", a.Header.Get("X-Ratelimit-Remaining"))
	servertest.Equal(t, "status at the second node", http.StatusTooManyRequests, w.Send("reader", http.MethodGet, "/v1/user", nil).Status)
}
