package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"docspace.dev/wsd/store/redis"
)

// tripBuckets are the upper bounds of durations of trips to Redis in seconds.
var tripBuckets = []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5}

// Redis counts trips to Redis.
type Redis struct {
	durations prometheus.Histogram
	failures  prometheus.Counter
}

func newRedis(registry *prometheus.Registry) *Redis {
	r := &Redis{
		durations: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "wsd_redis_round_trip_duration_seconds", Help: "Durations of commands and pipelines, with the wait for a connection.",
			Buckets: tripBuckets,
		}),
		failures: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "wsd_redis_round_trip_failures_total", Help: "Commands and pipelines that Redis did not answer or could not serve.",
		}),
	}
	registry.MustRegister(r.durations, r.failures)
	return r
}

// Add counts a trip.
func (r *Redis) Add(trip redis.Trip) {
	r.durations.Observe(trip.Duration.Seconds())
	if trip.Failed {
		r.failures.Inc()
	}
}
