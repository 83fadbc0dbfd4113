package server

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

// The probes report the last observed state of the store, so they are cheap at any request rate.

// readiness is the body of /readyz. It has few details, since it is public.
type readiness struct {
	Status  string          `json:"status"` // ready, warning or unavailable
	Reasons []string        `json:"reasons,omitzero"`
	Upgrade *pendingUpgrade `json:"upgrade,omitzero"` // while all nodes know a form that the data does not have
}

// pendingUpgrade is a redis.PendingUpgrade in JSON.
type pendingUpgrade struct {
	Form  int      `json:"form"`
	Since api.Time `json:"since"`
	Left  string   `json:"left"` // time until it is finished by itself, such as 23h10m0s
}

const (
	statusReady       = "ready"
	statusWarning     = "warning"
	statusUnavailable = "unavailable"

	probeRead  = "read" // values of the parameter "for"
	probeWrite = "write"

	reasonStopping = "stopping"
	reasonOpening  = "opening"
)

// WatchStore checks the store at the intervals of the budgets until ctx is done. The probes report its result.
func (s *Server) WatchStore(ctx context.Context) {
	s.store.Watch(ctx, time.Duration(s.budgets.TestWriteInterval), time.Duration(s.budgets.CheckInterval))
}

// Drain makes /readyz fail, so that load balancers stop sending requests before the listener closes, and ends the streams of events.
func (s *Server) Drain() {
	s.draining.Store(true)
	s.events.Streams.Drain()
}

// serveAlive reports that the process is alive. It does not access the store.
func serveAlive(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(`{"status":"ok"}`)) // the client has disconnected
}

// serveReady reports whether the node can write or, with ?for=read, whether it can read.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	what := r.URL.Query().Get("for")
	if what != "" && what != probeRead && what != probeWrite {
		s.rest.WriteError(w, s.ids.New("req_"), *api.InvalidParam(api.FieldError{Path: "for", Message: "must be read or write"}))
		return
	}
	is := s.ready(s.store.Condition(), what == probeRead)
	if p := s.store.PendingUpgrade(); p != nil {
		is.Upgrade = &pendingUpgrade{p.Format, api.At(p.Since), p.Left().String()}
	}
	writeReadiness(w, is)
}

// ready returns the readiness for an observed state of the store.
func (s *Server) ready(seen redis.Condition, reading bool) readiness {
	reasons := seen.Health.Reasons()
	switch verdict := seen.Health.Verdict(); {
	case s.draining.Load():
		return readiness{Status: statusUnavailable, Reasons: []string{reasonStopping}}
	case reading && seen.Readable && !seen.Health.RefusesReads() && s.store.FormatError() == nil && verdict == redis.VerdictRefuse:
		return readiness{Status: statusWarning, Reasons: reasons}
	case verdict == redis.VerdictRefuse, !seen.Readable:
		return readiness{Status: statusUnavailable, Reasons: reasons}
	case verdict == redis.VerdictWarn:
		return readiness{Status: statusWarning, Reasons: reasons}
	}
	return readiness{Status: statusReady}
}

func writeReadiness(w http.ResponseWriter, is readiness) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if is.Status == statusUnavailable {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	writeJSON(w, is)
}

// writeJSON writes the body of an answer.
func writeJSON(w io.Writer, v any) {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) // an error means that the client has disconnected
}
