package server

import (
	"net/http"
	"sync/atomic"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/cors"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// StartupHandler is the handler of a process whose store is not ready yet: it answers the probes and refuses other requests
// with the reason. Once SetHandler is called, it passes all requests on.
type StartupHandler struct {
	IDs     txn.IDGenerator // of requests
	Origins cors.Origins    // as those of the Server
	next    atomic.Pointer[http.Handler]
	cause   atomic.Pointer[error]
}

// SetCause sets the reason why the store is not ready.
func (h *StartupHandler) SetCause(why error) { h.cause.Store(&why) }

// SetHandler sets the handler that serves all further requests.
func (h *StartupHandler) SetHandler(handler http.Handler) { h.next.Store(&handler) }

// ServeHTTP implements http.Handler.
func (h *StartupHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := h.next.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	why, reason := "it is being opened", reasonOpening
	if cause := h.cause.Load(); cause != nil {
		why, reason = redis.UnavailableReason(*cause), redis.CheckName(*cause)
	}
	switch r.URL.Path {
	case "/healthz":
		serveAlive(w)
		return
	case "/readyz":
		writeReadiness(w, readiness{Status: statusUnavailable, Reasons: []string{reason}})
		return
	}
	refusal := rest.Unavailable("The data store is not ready: " + why + ". Nothing was changed; wsd goes on as soon as it can.")
	refusal.RequestID = rest.RequestID(r, h.IDs)
	header := w.Header()
	h.Origins.SetHeaders(header, r)
	rest.BaseHeaders(header, refusal.RequestID)
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("Retry-After", "2")
	w.WriteHeader(http.StatusServiceUnavailable)
	writeJSON(w, api.ErrorBody{Error: refusal})
}
