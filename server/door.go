package server

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/redis"
)

// Door answers for a process whose store is not ready yet: that it lives, that it is not ready, and why. Once a handler
// is let in, it answers.
type Door struct {
	handler atomic.Pointer[http.Handler]
	why     atomic.Pointer[error]
}

// Wait says what the store is not ready for.
func (d *Door) Wait(why error) { d.why.Store(&why) }

// Open lets a handler answer from now on.
func (d *Door) Open(handler http.Handler) { d.handler.Store(&handler) }

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := d.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	why, reason := "it is being opened", reasonOpening
	if told := d.why.Load(); told != nil {
		why, reason = redis.Why(*told), redis.Reason(*told)
	}
	switch r.URL.Path {
	case "/healthz":
		serveAlive(w)
		return
	case "/readyz":
		answerReady(w, readiness{statusUnavailable, []string{reason}})
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Retry-After", "2")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(api.ErrorBody{ // nobody is left to tell
		Error: rest.Unavailable("The data store is not ready: " + why + ". Nothing was changed; wsd goes on as soon as it can."),
	})
}
