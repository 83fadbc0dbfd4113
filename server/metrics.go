package server

import (
	"context"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// MinMetricsToken is the minimum number of characters of Options.MetricsToken.
const MinMetricsToken = 16

// measures holds the metrics of a Server and the values that are read for them at intervals.
type measures struct {
	registry *metrics.Registry
	clock    redis.Clock
	jobKinds []string // sorted
	jobs     *metrics.Jobs

	listener    atomic.Pointer[listen.Server]
	dueJobs     atomic.Pointer[map[string]store.DueJobs] // nil while they are not known
	lastCounted atomic.Pointer[redis.Moment]             // time of the last attempt to count them
}

// newMeasures returns the measures of a server with the given options, without those of addFamilies.
func newMeasures(o Options) *measures {
	m := &measures{registry: metrics.New(o.Version), clock: o.Clock}
	o.Store.ObserveTrips(m.registry.Redis.Add)
	return m
}

// requests returns the metrics of requests, or nil if m is nil.
func (m *measures) requests() *metrics.Requests {
	if m == nil {
		return nil
	}
	return m.registry.Requests
}

// MetricsHandler returns a handler that writes the metrics of the server in the format of Prometheus, without asking Redis. It needs
// Options.Metrics.
func (s *Server) MetricsHandler() http.Handler { return s.measures.registry.Handler(s.log) }

// MeasureListener adds the connections of a listener to the metrics. It does nothing without Options.Metrics.
func (s *Server) MeasureListener(l *listen.Server) {
	if s.measures != nil {
		s.measures.listener.Store(l)
	}
}

// serveMetrics serves the metrics to a caller with the token of Options.MetricsToken.
func (s *Server) serveMetrics(w http.ResponseWriter, r *http.Request, next http.Handler) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare([]byte(token), []byte(s.metricsToken)) != 1 {
		e := api.Errorf(http.StatusUnauthorized, api.ReasonUnauthenticated, "The metrics need the token of WSD_METRICS_TOKEN.")
		s.rest.Refuse(w, r, *e.WithHint("Send it as Authorization: Bearer TOKEN."))
		return
	}
	rest.BaseHeaders(w.Header(), s.rest.RequestID(r))
	w.Header().Set("Cache-Control", "no-store")
	next.ServeHTTP(w, r)
}

// countJob counts a job that begins, and returns the function that counts its end.
func (s *Server) countJob(kind string) (end func(ctx context.Context, err error)) {
	m := s.measures
	if m == nil {
		return func(context.Context, error) {}
	}
	start := m.clock()
	m.jobs.Begin(kind)
	return func(ctx context.Context, err error) { m.jobs.End(kind, outcomeOf(ctx, err), m.clock().Sub(start)) }
}

// outcomeOf returns the outcome of a job that ended with err.
func outcomeOf(ctx context.Context, err error) metrics.Outcome {
	switch {
	case err == nil:
		return metrics.JobDone
	case errors.Is(err, txn.ErrLeaseLost):
		return metrics.JobLost
	case ctx.Err() != nil:
		return metrics.JobStopped
	}
	return metrics.JobFailed
}

const (
	dueJobsInterval = 15 * time.Second // between two counts of the due jobs
	dueJobsTimeout  = 2 * time.Second
)

// countDueJobs counts the due jobs for the metrics at intervals. While Redis does not answer, their number is not known.
func (s *Server) countDueJobs(ctx context.Context) {
	m := s.measures
	if m == nil {
		return
	}
	if last := m.lastCounted.Load(); last != nil && s.store.Since(*last) < dueJobsInterval {
		return
	}
	now := s.store.Moment()
	m.lastCounted.Store(&now)
	ctx, cancel := context.WithTimeout(ctx, dueJobsTimeout)
	defer cancel()
	due, err := s.store.Jobs.CountDue(ctx)
	if err != nil {
		m.dueJobs.Store(nil)
		return
	}
	m.dueJobs.Store(&due)
}
