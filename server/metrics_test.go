package server_test

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// metricsToken is the token of the metrics in tests.
const metricsToken = "a-token-of-the-metrics"

// measure serves the world with metrics.
func measure(w *servertest.World) {
	w.T.Helper()
	w.Serve(func(o *server.Options) { o.Metrics, o.MetricsToken = true, metricsToken })
}

// scrape returns the metrics of the world as text and by name.
func scrape(w *servertest.World) (text string, families map[string]*dto.MetricFamily) {
	w.T.Helper()
	recorder := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(context.WithoutCancel(w.T.Context()), http.MethodGet, "/metrics", nil)
	w.Server.MetricsHandler().ServeHTTP(recorder, r)
	if recorder.Code != http.StatusOK {
		w.T.Fatalf("%d %s", recorder.Code, recorder.Body)
	}
	text = recorder.Body.String()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	w.Must(err)
	return text, families
}

// valueOf returns the sum of the values of a counter or gauge over the series that have all the given labels, such as kind=purge.
func valueOf(families map[string]*dto.MetricFamily, name string, labels ...string) (sum float64, found bool) {
	for _, metric := range families[name].GetMetric() {
		have := map[string]bool{}
		for _, label := range metric.GetLabel() {
			have[label.GetName()+"="+label.GetValue()] = true
		}
		matches := true
		for _, label := range labels {
			matches = matches && have[label]
		}
		if matches {
			found = true
			sum += metric.GetCounter().GetValue() + metric.GetGauge().GetValue()
		}
	}
	return sum, found
}

// checkValue fails the test unless the sum of valueOf is want.
func checkValue(t *testing.T, families map[string]*dto.MetricFamily, want float64, name string, labels ...string) {
	t.Helper()
	if got, found := valueOf(families, name, labels...); !found || got != want {
		t.Errorf("%s%v is %v (%v), want %v", name, labels, got, found, want)
	}
}

// TestMetricsAreWellFormed checks the metrics after a request of each operation against the rules of Prometheus.
func TestMetricsAreWellFormed(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	measure(w)
	for _, row := range api.Rows() {
		requestOf(w, row, s)()
	}
	w.Send("admin", "GET", "/nowhere", nil)
	text, families := scrape(w)
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	w.Must(err)
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
	routes := map[string]bool{}
	for _, metric := range families["wsd_http_requests_total"].GetMetric() {
		for _, label := range metric.GetLabel() {
			routes[label.GetValue()] = true
		}
	}
	for _, row := range api.Rows() {
		if !routes[row.Path] {
			t.Errorf("the requests of %s are not counted", row.Path)
		}
	}
	for name, word := range map[string]string{"a user": w.Users["admin"].ID, "the organization": w.Org, "a space": s.Handbook} {
		if strings.Contains(text, word) {
			t.Errorf("%s is in the metrics", name)
		}
	}
}

// TestMetricLabelsAreBounded checks that paths, ids, methods and tokens of requests make no series of their own.
func TestMetricLabelsAreBounded(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	measure(w)
	send := func(n int) {
		word := fmt.Sprintf("needle%d", n)
		for _, r := range []*http.Request{
			httptest.NewRequestWithContext(t.Context(), "GET", "/"+word, nil),
			httptest.NewRequestWithContext(t.Context(), "GET", "/v1/spaces/"+word, nil),
			httptest.NewRequestWithContext(t.Context(), "GET", "/raw/"+word, nil),
			httptest.NewRequestWithContext(t.Context(), "GET", "/sites/"+word+"/"+word, nil),
			httptest.NewRequestWithContext(t.Context(), strings.ToUpper(word), "/v1/spaces/"+word, nil),
			httptest.NewRequestWithContext(t.Context(), strings.ToUpper(word), "/integrations/"+word, nil),
		} {
			r.Header.Set("X-Request-Id", word)
			r.Header.Set("User-Agent", word)
			r.Header.Set("Authorization", "Bearer "+word)
			w.Handler.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	count := func() (series int, text string) {
		text, _ = scrape(w)
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "wsd_") {
				series++
			}
		}
		return series, text
	}
	send(0)
	before, _ := count()
	const requests = 10_000
	for n := range requests / 6 {
		send(n + 1)
	}
	after, text := count()
	if after != before || strings.Contains(strings.ToLower(text), "needle") {
		t.Errorf("%d series, after %d other requests %d", before, requests, after)
	}
}

// TestMetricsCountWhatHappens checks numbers of the metrics after requests and jobs whose effect is known.
func TestMetricsCountWhatHappens(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	measure(w)
	_, before := scrape(w)
	space := w.NewSpaceIn("Counted", "").ID
	w.Send("admin", http.MethodGet, "/v1/spaces/"+space, nil)
	w.Send("admin", http.MethodGet, "/v1/spaces/s_1", nil)
	w.Send("", http.MethodGet, "/nowhere", nil)
	servertest.Do(w, "admin", api.DeleteSpace, api.SpaceRef{Space: space})
	_, now := scrape(w)
	for _, name := range []string{"wsd_commits_total", "wsd_http_response_bytes_total"} {
		first, _ := valueOf(before, name)
		if last, _ := valueOf(now, name); last <= first {
			t.Errorf("%s was %v and is %v", name, first, last)
		}
	}
	checkValue(t, now, 1, "wsd_http_requests_total", "route=/v1/spaces/{spaceId}", "method=GET", "status=200")
	checkValue(t, now, 1, "wsd_http_requests_total", "route=/v1/spaces/{spaceId}", "method=GET", "status=404")
	checkValue(t, now, 1, "wsd_http_requests_total", "route=unknown", "method=GET", "status=404")
	checkValue(t, now, 2, "wsd_http_errors_total", "reason=not_found")
	checkValue(t, now, 0, "wsd_http_requests_in_flight")
	if n := now["wsd_redis_round_trip_duration_seconds"].GetMetric()[0].GetHistogram().GetSampleCount(); n == 0 {
		t.Error("no trip to Redis is counted")
	}
	w.Clock.Advance(store.TrashTime + time.Minute)
	if _, found := valueOf(now, "wsd_jobs_due"); found {
		t.Error("due jobs are reported before they were counted")
	}
	w.Must(w.Server.RunDueJobs(t.Context()))
	_, now = scrape(w)
	if due, _ := valueOf(now, "wsd_jobs_due", "kind=purge"); due != 1 {
		t.Errorf("%v purges were due when the jobs began to run", due)
	}
	if age, _ := valueOf(now, "wsd_jobs_due_age_seconds", "kind=purge"); age < 1 {
		t.Errorf("the oldest purge was due for %v s", age)
	}
	checkValue(t, now, 1, "wsd_job_runs_total", "kind=purge", "outcome=done")
	checkValue(t, now, 0, "wsd_job_runs_total", "outcome=failed")
	checkValue(t, now, 0, "wsd_jobs_running")
}

// TestMetricsNeedToken checks that /metrics of the server's address is served to the holder of the token only, and to nobody without
// the setting.
func TestMetricsNeedToken(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	if a := w.Send("", http.MethodGet, "/metrics", nil, "Authorization", "Bearer "); a.Status != http.StatusNotFound {
		t.Errorf("without metrics: %d %s", a.Status, a.Body)
	}
	w.Serve(func(o *server.Options) { o.Metrics, o.MetricsToken, o.RateLimit = true, metricsToken, 7 })
	for value, want := range map[string]int{
		"":                             http.StatusUnauthorized,
		"Bearer":                       http.StatusUnauthorized,
		"Bearer ":                      http.StatusUnauthorized,
		"Bearer " + metricsToken + "x": http.StatusUnauthorized,
		"Basic " + metricsToken:        http.StatusUnauthorized,
		"Bearer " + w.Tokens["admin"]:  http.StatusUnauthorized,
		"bearer " + metricsToken:       http.StatusOK,
	} {
		a := w.Send("", http.MethodGet, "/metrics", nil, "Authorization", value)
		if asks := a.Header.Get("WWW-Authenticate") != ""; a.Status != want || asks != (want == http.StatusUnauthorized) {
			t.Errorf("%q: %d %v", value, a.Status, a.Header)
		}
		if strings.Contains(string(a.Body), metricsToken) {
			t.Errorf("%q: the answer holds the token", value)
		}
	}
	if a := w.Send("", http.MethodGet, "/metrics", nil, "Authorization", "Bearer "+metricsToken); a.Status != http.StatusTooManyRequests {
		t.Errorf("beyond the rate limit: %d", a.Status)
	}
}

// outage is a hook that makes all commands fail, once it has begun, as if Redis were away.
type outage struct{ begun atomic.Bool }

// DialHook implements goredis.Hook.
func (o *outage) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements goredis.Hook.
func (o *outage) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if o.begun.Load() {
			command.SetErr(io.EOF)
			return io.EOF
		}
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (o *outage) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		if !o.begun.Load() {
			return next(ctx, commands)
		}
		for _, command := range commands {
			command.SetErr(io.EOF)
		}
		return io.EOF
	}
}

// TestMetricsTokenIsChecked checks that a server refuses a short token of the metrics, and one without metrics.
func TestMetricsTokenIsChecked(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	for _, o := range []server.Options{{MetricsToken: "short", Metrics: true}, {MetricsToken: metricsToken}} {
		o.Store, o.Secret = w.Store, []byte(strings.Repeat("s", 32))
		if _, err := server.New(o); err == nil || !strings.Contains(err.Error(), "token of the metrics") {
			t.Errorf("%+v: %v", o.MetricsToken, err)
		}
	}
}

// TestScrapeAsksRedisNothing checks that a scrape makes no trip to Redis, and that it reports a Redis that does not answer.
func TestScrapeAsksRedisNothing(t *testing.T) {
	t.Parallel()
	down := &outage{}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, down) })
	measure(w)
	w.Store.CheckNow(t.Context())
	w.Trips.Count()
	_, families := scrape(w)
	if n := w.Trips.Count(); n != 0 {
		t.Errorf("a scrape makes %d trips", n)
	}
	checkValue(t, families, 1, "wsd_ready", "for=write")
	checkValue(t, families, 1, "wsd_readiness_reason", "reason=persistence") // the store is in memory
	down.begun.Store(true)
	defer down.begun.Store(false) // fsck reads the store
	w.Store.CheckNow(t.Context())
	_, families = scrape(w)
	checkValue(t, families, 0, "wsd_ready", "for=write")
	checkValue(t, families, 0, "wsd_ready", "for=read")
	checkValue(t, families, 1, "wsd_readiness", "status=unavailable")
	checkValue(t, families, 1, "wsd_readiness_reason", "reason=connection")
	if n, _ := valueOf(families, "wsd_redis_round_trip_failures_total"); n == 0 {
		t.Error("no failed trip is counted")
	}
	w.Server.Drain()
	_, families = scrape(w)
	checkValue(t, families, 1, "wsd_readiness_reason", "reason=stopping")
}

// maxMetricAllocs is the number of allocations that the metrics may add to a request.
const maxMetricAllocs = 2

// TestMetricsAddFewAllocations checks that a request of each operation makes at most maxMetricAllocs more allocations with metrics.
//
//wsd:serial
func TestMetricsAddFewAllocations(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	w.Serve()
	plain := w.Handler
	measure(w)
	handlers := []http.Handler{plain, w.Handler}
	for _, row := range api.Rows() {
		ask, fewest := requestOf(w, row, s), []uint64{math.MaxUint64, math.MaxUint64}
		for round := 0; round < 4 || round < 20 && fewest[1] > fewest[0]+maxMetricAllocs; round++ { // other goroutines allocate, too
			for i, handler := range handlers {
				w.Handler = handler
				fewest[i] = min(fewest[i], allocsOf(ask))
			}
		}
		if fewest[1] > fewest[0]+maxMetricAllocs {
			t.Errorf("%s: %d allocations, with metrics %d", row.Name, fewest[0], fewest[1])
		}
	}
}

// allocsOf returns the number of allocations of the process during a call.
func allocsOf(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.Mallocs - before.Mallocs
}
