package metrics

import (
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"docspace.dev/wsd/client/api"
)

const (
	// Unknown is the route of requests that match no route.
	Unknown = "unknown"

	otherMethod = "other"
	otherStatus = "other"
)

// durationBuckets are the upper bounds of durations in seconds, up to the time that a request may take by default.
var durationBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}

// watchedReasons are the reasons of errors that are exposed before their first response, so that alerts see the first one.
var watchedReasons = []api.Reason{
	api.ReasonInternal, api.ReasonUnavailable, api.ReasonBusy, api.ReasonStoreFull, api.ReasonOutcomeUnknown, api.ReasonReplicasBehind,
	api.ReasonRateLimited,
}

// Requests counts requests.
type Requests struct {
	inFlight  prometheus.Gauge
	total     *prometheus.CounterVec
	durations *prometheus.HistogramVec
	bytes     prometheus.Counter
	refusals  *prometheus.CounterVec
	inRedis   prometheus.Histogram
}

func newRequests(registry *prometheus.Registry) *Requests {
	r := &Requests{
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "wsd_http_requests_in_flight", Help: "Requests that are being answered, streams of events included.",
		}),
		total: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "wsd_http_requests_total", Help: "Answered requests, without health checks.",
		}, []string{"method", "route", "status"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "wsd_http_request_duration_seconds", Help: "Durations of requests, without streams of events.", Buckets: durationBuckets,
		}, []string{"method", "route"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "wsd_http_response_bytes_total", Help: "Bytes of the bodies of responses that have ended.",
		}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "wsd_http_errors_total", Help: "Error responses by their reason.",
		}, []string{"reason"}),
		inRedis: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "wsd_http_request_redis_seconds", Help: "Times that requests waited for Redis, without streams of events.",
			Buckets: durationBuckets,
		}),
	}
	for _, reason := range watchedReasons {
		r.refusals.WithLabelValues(string(reason))
	}
	registry.MustRegister(r.inFlight, r.total, r.durations, r.bytes, r.refusals, r.inRedis)
	return r
}

// Route counts the requests of one route. A nil Route counts nothing.
type Route struct {
	requests *Requests
	name     string

	mu       sync.Mutex
	byMethod map[string]*methodCounts
}

// methodCounts holds the metrics of a route and a method that have been used.
type methodCounts struct {
	duration prometheus.Observer
	byStatus map[int]prometheus.Counter
}

// Route returns the counts of a route, which is a template such as /v1/spaces/{spaceId}. It is nil if r is nil.
func (r *Requests) Route(template string) *Route {
	if r == nil {
		return nil
	}
	return &Route{requests: r, name: template, byMethod: map[string]*methodCounts{}}
}

// Response describes an answered request.
type Response struct {
	Method   string
	Status   int
	Reason   string // of an error; "" for none
	Bytes    int
	Duration time.Duration
	InRedis  time.Duration
	IsStream bool // it lasted as long as the client wished
}

// Begin counts a request that has begun. The caller calls End when it has ended.
func (r *Route) Begin() {
	if r != nil {
		r.requests.inFlight.Inc()
	}
}

// End counts the end of a request.
func (r *Route) End() {
	if r != nil {
		r.requests.inFlight.Dec()
	}
}

// Add counts a response.
func (r *Route) Add(response Response) {
	if r == nil {
		return
	}
	total, duration := r.metricsOf(response)
	total.Inc()
	r.requests.bytes.Add(float64(response.Bytes))
	if response.Reason != "" {
		r.requests.refusals.WithLabelValues(response.Reason).Inc()
	}
	if !response.IsStream {
		duration.Observe(response.Duration.Seconds())
		r.requests.inRedis.Observe(response.InRedis.Seconds())
	}
}

// metricsOf returns the metrics of a method and a status. Those that were never used are not exposed.
func (r *Route) metricsOf(response Response) (total prometheus.Counter, duration prometheus.Observer) {
	method := methodLabel(response.Method)
	r.mu.Lock()
	defer r.mu.Unlock()
	counts := r.byMethod[method]
	if counts == nil {
		counts = &methodCounts{r.requests.durations.WithLabelValues(method, r.name), map[int]prometheus.Counter{}}
		r.byMethod[method] = counts
	}
	total = counts.byStatus[response.Status]
	if total == nil {
		total = r.requests.total.WithLabelValues(method, r.name, statusLabel(response.Status))
		counts.byStatus[response.Status] = total
	}
	return total, counts.duration
}

// methodLabel returns a method of HTTP, or other.
func methodLabel(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
		http.MethodConnect, http.MethodTrace:
		return method
	}
	return otherMethod
}

// statusLabel returns a status of HTTP, or other.
func statusLabel(status int) string {
	if status < 100 || status > 599 {
		return otherStatus
	}
	return strconv.Itoa(status)
}
