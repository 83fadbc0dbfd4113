package metrics

import (
	"log/slog"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Registry holds the metrics of one server. It is safe for concurrent use.
type Registry struct {
	Requests *Requests
	Redis    *Redis

	registry *prometheus.Registry
}

// New returns the metrics of a server of a version.
func New(version string) *Registry {
	r := &Registry{registry: prometheus.NewRegistry()}
	build := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "wsd_build_info", Help: "1, with the version of wsd."}, []string{"version"})
	build.WithLabelValues(version).Set(1)
	r.registry.MustRegister(build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r.Requests, r.Redis = newRequests(r.registry), newRedis(r.registry)
	return r
}

// maxScrapes is the maximum number of concurrent scrapes.
const maxScrapes = 4

// Handler returns a handler that writes all metrics. It accesses no other server.
func (r *Registry) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(r.registry, promhttp.HandlerOpts{
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelError), MaxRequestsInFlight: maxScrapes,
	})
}

// Family describes a metric whose values are read by each scrape.
type Family struct {
	Name, Help string
	Labels     []string
	IsCounter  bool // it is a gauge otherwise
}

// Read adds a family. read calls emit for each of its values, with the values of its labels.
func (r *Registry) Read(f Family, read func(emit func(value float64, labels ...string))) {
	kind := prometheus.GaugeValue
	if f.IsCounter {
		kind = prometheus.CounterValue
	}
	r.registry.MustRegister(&sampled{prometheus.NewDesc(f.Name, f.Help, f.Labels, nil), kind, read})
}

// sampled is the collector of a Family.
type sampled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(emit func(value float64, labels ...string))
}

// Describe implements prometheus.Collector.
func (s *sampled) Describe(descs chan<- *prometheus.Desc) { descs <- s.desc }

// Collect implements prometheus.Collector.
func (s *sampled) Collect(metrics chan<- prometheus.Metric) {
	s.read(func(value float64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(s.desc, s.kind, value, labels...)
	})
}
