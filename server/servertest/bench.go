package servertest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// The benchmarks compare operations with a floor measured in the same run on the same Redis: Gin with only the Redis
// commands that the operation needs. x-floor is the time of the floor divided by that of the operation: 1 is as fast
// as the floor. cpu-us/op is the processor time of this process and of Redis per request, which is independent of
// other load. Run them with `make bench`.
const (
	benchRounds  = 7
	benchClients = 16
)

// Bench is a server with a Redis of its own and a server of floors, for one benchmark.
type Bench struct {
	B      *testing.B
	Store  *store.Store
	Server *server.Server
	Redis  *goredis.Client
	Web    *httptest.Server
	floor  *httptest.Server
	Token  string
	Org    string
	Client *http.Client
}

// NewBench returns a server with a Redis of its own, with an organization and the token of its owner. appendfsync is
// the option of Redis.
func NewBench(b *testing.B, appendfsync string) *Bench {
	b.Helper()
	if !storetest.HasServer() {
		b.Fatal("benchmarks need redis-server or valkey-server on PATH")
	}
	s, err := store.Open(b.Context(), store.Config{DataDir: b.TempDir(), Appendfsync: appendfsync, Model: access.NewModel})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() }) // the data is removed
	made, err := server.New(server.Options{
		Store: s, PublicURL: PublicURL, Secret: bytes.Repeat([]byte("k"), 32), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	options, err := goredis.ParseURL(s.Describe().URL)
	if err != nil {
		b.Fatal(err)
	}
	x := &Bench{B: b, Store: s, Server: made, Redis: goredis.NewClient(options), Web: httptest.NewServer(made.Handler())}
	x.Client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	x.floor = httptest.NewServer(x.floorHandler())
	b.Cleanup(func() { x.Web.Close(); x.floor.Close(); _ = x.Redis.Close() }) // the test has ended, so errors are ignored
	x.createAccount()
	return x
}

func (x *Bench) createAccount() {
	accounts := orgs.Accounts{Store: x.Store}
	user, err := accounts.EnsureUser(x.B.Context(), "bench@example.com", "Bench")
	if err == nil {
		x.Org, err = accounts.EnsureOrganization(x.B.Context(), "Bench", user)
	}
	if err == nil {
		_, x.Token, err = accounts.CreateToken(x.B.Context(), user.ID, orgs.TokenOptions{Name: "bench"})
	}
	if err != nil {
		x.B.Fatal(err)
	}
}

// floorHandler returns the handler of the floors: one GET, or one ZRANGE and an MGET whose values are joined unparsed.
func (x *Bench) floorHandler() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/get/:key", func(c *gin.Context) {
		data, err := x.Redis.Get(c.Request.Context(), c.Param("key")).Bytes()
		if err != nil {
			c.Status(http.StatusNotFound)
			return
		}
		c.Data(http.StatusOK, "application/json", data)
	})
	engine.GET("/list/:key", func(c *gin.Context) {
		keys, err := x.Redis.ZRange(c.Request.Context(), c.Param("key"), 0, 49).Result()
		if err != nil {
			c.Status(http.StatusNotFound)
			return
		}
		values, _ := x.Redis.MGet(c.Request.Context(), keys...).Result()
		body := []byte(`{"items":[`)
		for i, v := range values {
			if i > 0 {
				body = append(body, ',')
			}
			text, _ := v.(string)
			body = append(body, text...)
		}
		c.Data(http.StatusOK, "application/json", append(body, ']', '}'))
	})
	return engine
}

// Get sends a GET request and returns the body of its response.
func (x *Bench) Get(url string) []byte { return x.Send(http.MethodGet, url, nil) }

// Send sends a request and returns the body of its response. A refused request fails the benchmark.
func (x *Bench) Send(method, url string, body any) []byte {
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			x.B.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(x.B.Context(), method, url, reader)
	if err != nil {
		x.B.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+x.Token)
	r.Header.Set("Content-Type", "application/json")
	response, err := x.Client.Do(r)
	if err != nil {
		x.B.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		x.B.Fatalf("%s %s: %s %s %v", method, url, response.Status, data, err)
	}
	return data
}

// Do sends a request to a path and decodes its response into out. An error or a refused request fails the benchmark.
func (x *Bench) Do(method, path string, body, out any) {
	if err := json.Unmarshal(x.Send(method, x.Web.URL+path, body), out); err != nil {
		x.B.Fatal(err)
	}
}

// CreateSpace creates a space and returns its id.
func (x *Bench) CreateSpace(title string) string {
	var s api.Space
	x.Do(http.MethodPost, "/v1/orgs/"+x.Org+"/spaces", api.SpaceCreate{Title: title}, &s)
	return s.ID
}

// Compare runs both functions alternately and reports the medians.
func (x *Bench) Compare(requests int, floor, subject func(i int)) {
	x.B.Helper()
	var ratios, micros, cpu []float64
	run := func(fn func(i int)) (time.Duration, time.Duration) {
		start, used := time.Now(), x.CPUTime()
		var wait sync.WaitGroup
		for c := range benchClients {
			wait.Go(func() {
				for i := c; i < requests; i += benchClients {
					fn(i)
				}
			})
		}
		wait.Wait()
		return time.Since(start), x.CPUTime() - used
	}
	run(floor)
	run(subject)
	for x.B.Loop() {
		for range benchRounds {
			base, _ := run(floor)
			took, used := run(subject)
			ratios = append(ratios, float64(base)/float64(took))
			micros = append(micros, float64(took.Microseconds())/float64(requests))
			cpu = append(cpu, float64(used.Microseconds())/float64(requests))
		}
	}
	x.B.ReportMetric(Median(ratios), "x-floor")
	x.B.ReportMetric(Median(micros), "us/op")
	x.B.ReportMetric(Median(cpu), "cpu-us/op")
	x.B.ReportMetric(0, "ns/op")
}

// Median returns the median of the values, which it sorts.
func Median(values []float64) float64 {
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}

// CPUTime returns the processor time used by this process and Redis.
func (x *Bench) CPUTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		x.B.Fatal(err)
	}
	total := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	info, err := x.Redis.Info(x.B.Context(), "cpu").Result()
	if err != nil {
		x.B.Fatal(err)
	}
	for line := range strings.Lines(info) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			var seconds float64
			if _, err := fmt.Sscan(text, &seconds); err != nil {
				x.B.Fatal(err)
			}
			total += time.Duration(seconds * float64(time.Second))
		}
	}
	return total
}

// StoreFloor stores documents of the given size for the floors. It returns the key of one of them and of a list of 50.
func (x *Bench) StoreFloor(size int) (one, list string) {
	document := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", max(size-12, 0)))
	pipe := x.Redis.Pipeline()
	for i := range 50 {
		key := fmt.Sprintf("floor-%d-%d", size, i)
		pipe.Set(x.B.Context(), key, document, 0)
		pipe.ZAdd(x.B.Context(), fmt.Sprintf("floors-%d", size), goredis.Z{Member: key})
	}
	if _, err := pipe.Exec(x.B.Context()); err != nil {
		x.B.Fatal(err)
	}
	return fmt.Sprintf("%s/get/floor-%d-0", x.floor.URL, size), fmt.Sprintf("%s/list/floors-%d", x.floor.URL, size)
}

// CreateSpaceWithPages creates a space with n pages and returns its id and that of a page.
func (x *Bench) CreateSpaceWithPages(n int) (space, page string) {
	space = x.CreateSpace("Pages")
	path := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, path, api.ChangeRequestCreate{}, &request)
	path += "/" + request.ID
	var result api.ContentResult
	for made := 0; made < n; made += 50 {
		edit := api.ContentEdit{}
		for i := range min(50, n-made) {
			edit.Changes = append(edit.Changes, api.ContentChange{Operation: api.InsertPage, Document: &api.Document{
				Markdown: api.Some(fmt.Sprintf("# Page %d\n\n%s\n", made+i, strings.Repeat("Some words of documentation. ", 30))),
			}})
		}
		x.Do(http.MethodPost, path+"/content?compat=false", edit, &result)
	}
	x.Send(http.MethodPost, x.Web.URL+path+"/merge", nil)
	return space, result.Changes[0].Page.ID
}

// CreateSpaces adds n spaces to the organization.
func (x *Bench) CreateSpaces(n int) {
	var first api.Space
	x.Do(http.MethodPost, "/v1/orgs/"+x.Org+"/spaces", nil, &first)
	if err := BulkSpaces(x.B.Context(), x.Store, "u_bench", first, n); err != nil {
		x.B.Fatal(err)
	}
}

// CompareSizes alternates measurements at two sizes and reports their medians and ratio.
func CompareSizes(b *testing.B, rounds int, sizes [2]int, micros func(i int) float64) {
	b.Helper()
	var all [2][]float64
	for b.Loop() {
		for range rounds {
			for i := range sizes {
				all[i] = append(all[i], micros(i))
			}
		}
	}
	small, large := Median(all[0]), Median(all[1])
	b.ReportMetric(small, fmt.Sprintf("us-at-%d", sizes[0]))
	b.ReportMetric(large, fmt.Sprintf("us-at-%d", sizes[1]))
	b.ReportMetric(large/small, "x-small")
	b.ReportMetric(0, "ns/op")
}
