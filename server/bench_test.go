package server_test

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
	"docspace.dev/wsd/server/servertest"
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

// bench is a server with a Redis of its own and a server of floors.
type bench struct {
	b      *testing.B
	store  *store.Store
	server *server.Server
	redis  *goredis.Client
	web    *httptest.Server
	floor  *httptest.Server
	token  string
	org    string
	client *http.Client
}

func newBench(b *testing.B, appendfsync string) *bench {
	b.Helper()
	if !storetest.HasServer() {
		b.Fatal("benchmarks need redis-server or valkey-server on PATH")
	}
	s, err := store.Open(b.Context(), store.Config{DataDir: b.TempDir(), Appendfsync: appendfsync, Model: access.New})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	made, err := server.New(server.Options{
		Store: s, PublicURL: servertest.PublicURL, Secret: bytes.Repeat([]byte("k"), 32), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		b.Fatal(err)
	}
	options, err := goredis.ParseURL(s.Describe().URL)
	if err != nil {
		b.Fatal(err)
	}
	x := &bench{b: b, store: s, server: made, redis: goredis.NewClient(options), web: httptest.NewServer(made.Handler())}
	x.client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}}
	x.floor = httptest.NewServer(x.floorHandler())
	b.Cleanup(func() { x.web.Close(); x.floor.Close(); _ = x.redis.Close() })
	x.createAccount()
	return x
}

func (x *bench) createAccount() {
	accounts := orgs.Accounts{Store: x.store}
	user, err := accounts.EnsureUser(x.b.Context(), "bench@example.com", "Bench")
	if err == nil {
		x.org, err = accounts.EnsureOrganization(x.b.Context(), "Bench", user)
	}
	if err == nil {
		_, x.token, err = accounts.CreateToken(x.b.Context(), user.ID, orgs.TokenOptions{Name: "bench"})
	}
	if err != nil {
		x.b.Fatal(err)
	}
}

// floorHandler returns the handler of the floors: one GET, or one ZRANGE and an MGET whose values are joined unparsed.
func (x *bench) floorHandler() http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/get/:key", func(c *gin.Context) {
		data, err := x.redis.Get(c.Request.Context(), c.Param("key")).Bytes()
		if err != nil {
			c.Status(http.StatusNotFound)
			return
		}
		c.Data(http.StatusOK, "application/json", data)
	})
	engine.GET("/list/:key", func(c *gin.Context) {
		keys, err := x.redis.ZRange(c.Request.Context(), c.Param("key"), 0, 49).Result()
		if err != nil {
			c.Status(http.StatusNotFound)
			return
		}
		values, _ := x.redis.MGet(c.Request.Context(), keys...).Result()
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

// get sends a GET request and returns the body.
func (x *bench) get(url string) []byte { return x.send(http.MethodGet, url, nil) }

func (x *bench) send(method, url string, body any) []byte {
	var reader io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			x.b.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(x.b.Context(), method, url, reader)
	if err != nil {
		x.b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+x.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := x.client.Do(r)
	if err != nil {
		x.b.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusMultipleChoices {
		x.b.Fatalf("%s %s: %s %s %v", method, url, response.Status, data, err)
	}
	return data
}

// do sends a writing request and decodes its answer.
func (x *bench) do(method, path string, body, out any) {
	if err := json.Unmarshal(x.send(method, x.web.URL+path, body), out); err != nil {
		x.b.Fatal(err)
	}
}

// createSpace creates a space and returns its id.
func (x *bench) createSpace(title string) string {
	var s api.Space
	x.do(http.MethodPost, "/v1/orgs/"+x.org+"/spaces", api.SpaceCreate{Title: title}, &s)
	return s.ID
}

// compare runs both functions alternately and reports the medians.
func (x *bench) compare(requests int, floor, subject func(i int)) {
	x.b.Helper()
	var ratios, micros, cpu []float64
	run := func(fn func(i int)) (time.Duration, time.Duration) {
		start, used := time.Now(), x.cpuTime()
		var wait sync.WaitGroup
		for c := range benchClients {
			wait.Go(func() {
				for i := c; i < requests; i += benchClients {
					fn(i)
				}
			})
		}
		wait.Wait()
		return time.Since(start), x.cpuTime() - used
	}
	run(floor)
	run(subject)
	for x.b.Loop() {
		for range benchRounds {
			base, _ := run(floor)
			took, used := run(subject)
			ratios = append(ratios, float64(base)/float64(took))
			micros = append(micros, float64(took.Microseconds())/float64(requests))
			cpu = append(cpu, float64(used.Microseconds())/float64(requests))
		}
	}
	x.b.ReportMetric(median(ratios), "x-floor")
	x.b.ReportMetric(median(micros), "us/op")
	x.b.ReportMetric(median(cpu), "cpu-us/op")
	x.b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	slices.SortFunc(values, cmp.Compare[float64])
	return values[len(values)/2]
}

// cpuTime returns the processor time used by this process and Redis.
func (x *bench) cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		x.b.Fatal(err)
	}
	total := time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	info, err := x.redis.Info(x.b.Context(), "cpu").Result()
	if err != nil {
		x.b.Fatal(err)
	}
	for line := range strings.Lines(info) {
		name, text, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_sys" || name == "used_cpu_user" {
			var seconds float64
			_, _ = fmt.Sscan(text, &seconds)
			total += time.Duration(seconds * float64(time.Second))
		}
	}
	return total
}

// storeFloor stores documents of the given size for the floors. It returns the key of one of them and of a list of 50.
func (x *bench) storeFloor(size int) (one, list string) {
	document := fmt.Sprintf(`{"text":%q}`, strings.Repeat("x", max(size-12, 0)))
	pipe := x.redis.Pipeline()
	for i := range 50 {
		key := fmt.Sprintf("floor-%d-%d", size, i)
		pipe.Set(x.b.Context(), key, document, 0)
		pipe.ZAdd(x.b.Context(), fmt.Sprintf("floors-%d", size), goredis.Z{Member: key})
	}
	if _, err := pipe.Exec(x.b.Context()); err != nil {
		x.b.Fatal(err)
	}
	return fmt.Sprintf("%s/get/floor-%d-0", x.floor.URL, size), fmt.Sprintf("%s/list/floors-%d", x.floor.URL, size)
}

func BenchmarkGetSpace(b *testing.B) {
	for _, n := range orgSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := newBench(b, "everysec")
			x.createSpaces(n)
			url := x.web.URL + "/v1/spaces/" + x.createSpace("One")
			floor, _ := x.storeFloor(len(x.get(url)))
			x.compare(4000, func(int) { x.get(floor) }, func(int) { x.get(url) })
		})
	}
}

func BenchmarkGetPage(b *testing.B) {
	x := newBench(b, "everysec")
	space, page := x.createSpaceWithPages(100)
	url := x.web.URL + "/v1/spaces/" + space + "/content/page/" + page + "?format=markdown"
	floor, _ := x.storeFloor(len(x.get(url)))
	x.compare(4000, func(int) { x.get(floor) }, func(int) { x.get(url) })
}

func BenchmarkListSpaces(b *testing.B) {
	for _, n := range orgSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := newBench(b, "everysec")
			x.createSpaces(n)
			url := x.web.URL + "/v1/orgs/" + x.org + "/spaces?limit=50"
			_, floor := x.storeFloor(len(x.get(url)) / 50)
			x.compare(1000, func(int) { x.get(floor) }, func(int) { x.get(url) })
		})
	}
}

// BenchmarkCreateComment uses the GET request of the comment as its floor.
func BenchmarkCreateComment(b *testing.B) {
	for _, fsync := range []string{"everysec", "always"} {
		b.Run(fsync, func(b *testing.B) {
			x := newBench(b, fsync)
			url := x.web.URL + "/v1/spaces/" + x.createSpace("One") + "/comments"
			body := api.CommentCreate{Body: api.CommentBody{Markdown: api.Some("A remark.")}}
			var made api.Comment
			if err := json.Unmarshal(x.send(http.MethodPost, url, body), &made); err != nil {
				b.Fatal(err)
			}
			x.compare(2000, func(int) { x.get(url + "/" + made.ID) }, func(int) { x.send(http.MethodPost, url, body) })
		})
	}
}

// BenchmarkSize compares the same requests to a small and a large organization.
func BenchmarkSize(b *testing.B) {
	var servers [2]*bench
	var made [2]string
	for i, n := range orgSizes {
		servers[i] = newBench(b, "everysec")
		servers[i].createSpaces(n)
		made[i] = servers[i].createSpace("One")
	}
	for name, request := range map[string]func(x *bench, space string){
		"get":    func(x *bench, space string) { x.get(x.web.URL + "/v1/spaces/" + space) },
		"list":   func(x *bench, _ string) { x.get(x.web.URL + "/v1/orgs/" + x.org + "/spaces?limit=50") },
		"create": func(x *bench, _ string) { x.createSpace("Another") },
	} {
		b.Run(name, func(b *testing.B) {
			compareSizes(b, 500, orgSizes, func(i int) (micros float64) {
				start := time.Now()
				request(servers[i], made[i])
				return float64(time.Since(start).Microseconds())
			})
		})
	}
}

// BenchmarkMerge merges change requests of ten pages into a small and a large space. interleaved is the number of other
// merges between the creation of a request and its own merge.
func BenchmarkMerge(b *testing.B) {
	counts := [2]int{100, 10_000}
	for _, interleaved := range []int{0, 1} {
		b.Run(fmt.Sprintf("interleaved=%d", interleaved), func(b *testing.B) {
			x := newBench(b, "everysec")
			merges := []func() float64{x.prepareMerges(counts[0], interleaved), x.prepareMerges(counts[1], interleaved)}
			compareSizes(b, 100, counts, func(i int) float64 { return merges[i]() })
		})
	}
}

// compareSizes alternates measurements at two sizes and reports their medians and ratio.
func compareSizes(b *testing.B, rounds int, sizes [2]int, micros func(i int) float64) {
	b.Helper()
	var all [2][]float64
	for b.Loop() {
		for range rounds {
			for i := range sizes {
				all[i] = append(all[i], micros(i))
			}
		}
	}
	small, large := median(all[0]), median(all[1])
	b.ReportMetric(small, fmt.Sprintf("us-at-%d", sizes[0]))
	b.ReportMetric(large, fmt.Sprintf("us-at-%d", sizes[1]))
	b.ReportMetric(large/small, "x-small")
	b.ReportMetric(0, "ns/op")
}

// prepareMerges creates a space with n pages and change requests. Each call of the result merges one and returns the time
// taken.
func (x *bench) prepareMerges(n, interleaved int) func() (micros float64) {
	space, _ := x.createSpaceWithPages(n)
	var tree api.PageTree
	x.do(http.MethodGet, "/v1/spaces/"+space+"/content/pages", nil, &tree)
	var waiting []string
	return func() float64 {
		for len(waiting) <= interleaved {
			waiting = append(waiting, x.editTen(space, tree.Pages))
		}
		start := time.Now()
		x.send(http.MethodPost, x.web.URL+waiting[0]+"/merge", nil)
		waiting = waiting[1:]
		return float64(time.Since(start).Microseconds())
	}
}

// orgSizes are the numbers of spaces of the measured organizations.
var orgSizes = [2]int{100, 100_000}

func (x *bench) editTen(space string, pages []api.RevisionPage) (path string) {
	path = "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.do(http.MethodPost, path, api.ChangeRequestCreate{Subject: "Ten"}, &request)
	path += "/" + request.ID
	edit := api.ContentEdit{}
	for i := range 10 {
		edit.Changes = append(edit.Changes, api.ContentChange{
			Operation: api.UpdatePage, Page: pages[(i*len(pages)/10+request.Number)%len(pages)].ID,
			Document: &api.Document{Markdown: api.Some(fmt.Sprintf("# Edited\n\nNumber %d of request %d.\n", i, request.Number))},
		})
	}
	x.send(http.MethodPost, x.web.URL+path+"/content", edit)
	return path
}

// createSpaceWithPages creates a space with n pages and returns its id and that of a page.
func (x *bench) createSpaceWithPages(n int) (space, page string) {
	space = x.createSpace("Pages")
	path := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.do(http.MethodPost, path, api.ChangeRequestCreate{}, &request)
	path += "/" + request.ID
	var result api.ContentResult
	for made := 0; made < n; made += 50 {
		edit := api.ContentEdit{}
		for i := range min(50, n-made) {
			edit.Changes = append(edit.Changes, api.ContentChange{Operation: api.InsertPage, Document: &api.Document{
				Markdown: api.Some(fmt.Sprintf("# Page %d\n\n%s\n", made+i, strings.Repeat("Some words of documentation. ", 30))),
			}})
		}
		x.do(http.MethodPost, path+"/content?compat=false", edit, &result)
	}
	x.send(http.MethodPost, x.web.URL+path+"/merge", nil)
	return space, result.Changes[0].Page.ID
}

// createSpaces adds n spaces to the organization.
func (x *bench) createSpaces(n int) {
	var first api.Space
	x.do(http.MethodPost, "/v1/orgs/"+x.org+"/spaces", nil, &first)
	if err := bulkSpaces(x.b.Context(), x.store, "u_bench", first, n); err != nil {
		x.b.Fatal(err)
	}
}
