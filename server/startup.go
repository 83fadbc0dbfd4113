package server

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/redis"
)

// Door is the handler of a process whose store is not ready yet: it answers the probes and refuses other requests
// with the reason. Once Open is called, it passes all requests on.
type Door struct {
	next  atomic.Pointer[http.Handler]
	cause atomic.Pointer[error]
}

// Wait sets the reason why the store is not ready.
func (h *Door) Wait(why error) { h.cause.Store(&why) }

// Open sets the handler that serves all further requests.
func (h *Door) Open(handler http.Handler) { h.next.Store(&handler) }

// ServeHTTP implements http.Handler.
func (h *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := h.next.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	why, reason := "it is being opened", reasonOpening
	if cause := h.cause.Load(); cause != nil {
		why, reason = redis.Why(*cause), redis.Reason(*cause)
	}
	switch r.URL.Path {
	case "/healthz":
		serveAlive(w)
		return
	case "/readyz":
		writeReadiness(w, readiness{statusUnavailable, []string{reason}})
		return
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Retry-After", "2")
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(api.ErrorBody{ // the client has disconnected
		Error: rest.Unavailable("The data store is not ready: " + why + ". Nothing was changed; wsd goes on as soon as it can."),
	})
}
