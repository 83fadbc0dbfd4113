package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Outcome is the result of one run of a job.
type Outcome string

// Outcomes of runs.
const (
	JobDone    Outcome = "done"
	JobFailed  Outcome = "failed"  // it runs again later
	JobStopped Outcome = "stopped" // the node stops; it runs again at once
	JobLost    Outcome = "lost"    // another node has taken it over
)

var outcomes = []Outcome{JobDone, JobFailed, JobStopped, JobLost}

// jobBuckets are the upper bounds of durations of jobs in seconds.
var jobBuckets = []float64{.01, .05, .1, .5, 1, 5, 10, 30, 60, 300, 600, 1800}

// Jobs counts runs of jobs.
type Jobs struct {
	runs      map[string]map[Outcome]prometheus.Counter // by kind
	durations map[string]prometheus.Observer
	running   map[string]prometheus.Gauge
}

// NewJobs adds the metrics of jobs of the given kinds. It is called once.
func (r *Registry) NewJobs(kinds []string) *Jobs {
	runs := prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "wsd_job_runs_total", Help: "Runs of jobs on this node that have ended.",
	}, []string{"kind", "outcome"})
	durations := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "wsd_job_duration_seconds", Help: "Durations of runs of jobs.", Buckets: jobBuckets,
	}, []string{"kind"})
	running := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "wsd_jobs_running", Help: "Jobs that this node runs."}, []string{"kind"})
	r.registry.MustRegister(runs, durations, running)
	j := &Jobs{map[string]map[Outcome]prometheus.Counter{}, map[string]prometheus.Observer{}, map[string]prometheus.Gauge{}}
	for _, kind := range kinds {
		j.runs[kind] = map[Outcome]prometheus.Counter{}
		for _, outcome := range outcomes {
			j.runs[kind][outcome] = runs.WithLabelValues(kind, string(outcome))
		}
		j.durations[kind], j.running[kind] = durations.WithLabelValues(kind), running.WithLabelValues(kind)
	}
	return j
}

// Begin counts a job of one of the kinds that has begun.
func (j *Jobs) Begin(kind string) { j.running[kind].Inc() }

// End counts the end of a job.
func (j *Jobs) End(kind string, outcome Outcome, took time.Duration) {
	j.running[kind].Dec()
	j.runs[kind][outcome].Inc()
	j.durations[kind].Observe(took.Seconds())
}
