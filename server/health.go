package server

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
)

// The probes answer from what was seen of the store last, so they cost nothing, however often they are asked.

// readiness is what /readyz answers. It names reasons only: anybody may ask.
type readiness struct {
	Status  string   `json:"status"` // ready, warning or unavailable
	Reasons []string `json:"reasons,omitzero"`
}

const (
	statusReady       = "ready"
	statusWarning     = "warning"
	statusUnavailable = "unavailable"

	readyToRead  = "read" // what a probe may ask for
	readyToWrite = "write"

	reasonStopping = "stopping"
	reasonOpening  = "opening"
)

// WatchStore looks after the store until the context ends: the probes answer what it sees. The budgets say how often.
func (s *Server) WatchStore(ctx context.Context) {
	s.store.Watch(ctx, time.Duration(s.budgets.Canary), time.Duration(s.budgets.Examination))
}

// Drain makes /readyz fail, so that balancers look elsewhere before the listener closes.
func (s *Server) Drain() { s.draining.Store(true) }

// serveAlive says that the process lives; it touches nothing.
func serveAlive(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(`{"status":"ok"}`))
}

// serveReady says whether the node can write, or, asked with ?for=read, whether it can read.
func (s *Server) serveReady(w http.ResponseWriter, r *http.Request) {
	what := r.URL.Query().Get("for")
	if what != "" && what != readyToRead && what != readyToWrite {
		s.rest.WriteError(w, s.ids.New("req_"), *api.InvalidParam(api.FieldError{Path: "for", Message: "must be read or write"}))
		return
	}
	answerReady(w, s.ready(s.store.Condition(), what == readyToRead))
}

// ready is the verdict about a store, as a probe is told.
func (s *Server) ready(seen redis.Condition, reading bool) readiness {
	reasons := seen.Health.Reasons()
	switch verdict := seen.Health.Verdict(); {
	case s.draining.Load():
		return readiness{statusUnavailable, []string{reasonStopping}}
	case reading && seen.Reads && s.store.Refusal() == nil && verdict == redis.VerdictRefuse:
		return readiness{statusWarning, reasons}
	case verdict == redis.VerdictRefuse, !seen.Reads:
		return readiness{statusUnavailable, reasons}
	case verdict == redis.VerdictWarn:
		return readiness{statusWarning, reasons}
	}
	return readiness{Status: statusReady}
}

func answerReady(w http.ResponseWriter, is readiness) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if is.Status == statusUnavailable {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(is) // nobody is left to tell
}
