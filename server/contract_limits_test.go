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

// Who guesses tokens uses up nothing of the user that they name.
func TestRateLimitOfTheUserAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, storetest.Memory())
	w.serve(func(o *server.Options) { o.RateLimit = perMinute })
	good := w.tokens["reader"]
	for i := range 3 * perMinute {
		w.tokens["guess"] = good + fmt.Sprint(i)
		a := w.raw("guess", http.MethodGet, "/v1/user", nil)
		equal(t, "status of a guess", http.StatusUnauthorized, a.Status)
		equal(t, "remaining for a guess", "", a.Header.Get("X-Ratelimit-Remaining"))
	}
	a := w.raw("reader", http.MethodGet, "/v1/user", nil)
	equal(t, "remaining", strconv.Itoa(perMinute-1), a.Header.Get("X-Ratelimit-Remaining"))
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
