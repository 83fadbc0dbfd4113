package server

import (
	"encoding/json"
	"net/http"
	"sync/atomic"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/rest"
)

// Door answers for a process whose store is not ready yet: that it lives, that it is not ready, and why. Once a handler
// is let in, it answers.
type Door struct {
	handler atomic.Pointer[http.Handler]
	why     atomic.Pointer[string]
}

// Wait says what the store is not ready for, in words that a stranger may read.
func (d *Door) Wait(why string) { d.why.Store(&why) }

// Open lets a handler answer from now on.
func (d *Door) Open(handler http.Handler) { d.handler.Store(&handler) }

// ServeHTTP implements http.Handler.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if handler := d.handler.Load(); handler != nil {
		(*handler).ServeHTTP(w, r)
		return
	}
	why := "it is being opened"
	if told := d.why.Load(); told != nil {
		why = *told
	}
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	var body any
	switch r.URL.Path {
	case "/healthz":
		_, _ = w.Write([]byte(`{"status":"ok"}`))
		return
	case "/readyz":
		body = map[string]string{"status": "unavailable", "reason": "The data store is not ready: " + why + "."}
	default:
		header.Set("Retry-After", "2")
		body = api.ErrorBody{Error: rest.Unavailable("The data store is not ready: " + why + ". Nothing was changed; wsd goes on as soon as it can.")}
	}
	w.WriteHeader(http.StatusServiceUnavailable)
	_ = json.NewEncoder(w).Encode(body) // nobody is left to tell
}
