package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// heapInUse collects garbage and returns the number of bytes in use.
func heapInUse() int64 {
	runtime.GC()
	runtime.GC() // objects with finalizers are freed by the second run
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// sendFrom sends a request and returns the status.
func sendFrom(w *servertest.World, token, path, from string) int {
	r := httptest.NewRequestWithContext(w.T.Context(), http.MethodGet, path, nil)
	r.RemoteAddr = from
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	recorder := httptest.NewRecorder()
	w.Handler.ServeHTTP(recorder, r)
	return recorder.Code
}

// TestAnonymousRequestsRetainNoMemory checks that requests for organizations that do not exist retain no
// memory, nor do those for existing ones without a valid token.
func TestAnonymousRequestsRetainNoMemory(t *testing.T) { //nolint:paralleltest // it counts the bytes of the whole process
	w := servertest.NewWorld(t, storetest.Memory())
	wrong := w.Tokens["admin"][:len(w.Tokens["admin"])-4] + "0000"
	const warm, requests, perRequest = 200, 40_000, 32
	for name, c := range map[string]struct {
		requests int
		limit    int
		token    string
		org      func(i int) string
		status   int
	}{
		"a wrong token, over the limit": {
			requests, 1200, wrong, func(i int) string { return fmt.Sprintf("o_made%dup", i) }, http.StatusTooManyRequests,
		},
		"a wrong token, without limit": {
			requests / 10, 0, wrong, func(i int) string { return fmt.Sprintf("o_made%dup", i) }, http.StatusUnauthorized,
		},
		"a good token": {
			requests / 10, 0, w.Tokens["admin"], func(i int) string { return fmt.Sprintf("o_made%dup", i) }, http.StatusNotFound,
		},
	} {
		w.Serve(func(o *server.Options) { o.RateLimit = c.limit })
		for i := range warm {
			sendFrom(w, c.token, "/v1/orgs/"+c.org(-i)+"/spaces", "192.0.2.1:1")
		}
		before, status := heapInUse(), 0
		for i := range c.requests {
			status = sendFrom(w, c.token, "/v1/orgs/"+c.org(i)+"/spaces", "192.0.2.1:1")
		}
		left := heapInUse() - before
		if t.Logf("%s: %d requests leave %d bytes", name, c.requests, left); left > int64(c.requests)*perRequest+256<<10 ||
			status != c.status {
			t.Errorf("%s: %d requests leave %d bytes, the last answers %d", name, c.requests, left, status)
		}
	}
}

// TestAnonymousRequestsOverLimitDoNotReachStore checks that an address over its limit causes no trips to the store, and
// that a recently active user may continue from it.
func TestAnonymousRequestsOverLimitDoNotReachStore(t *testing.T) {
	t.Parallel()
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Serve(func(o *server.Options) { o.RateLimit = 5 })
		w.Clock.Advance(time.Minute) // the test server has requested the document
		wrong := strings.Replace(w.Tokens["stranger"], "_", "_0", 2)
		path := "/v1/orgs/" + w.Org + "/spaces"
		if status := sendFrom(w, w.Tokens["reader"], path, "192.0.2.1:1"); status != http.StatusOK {
			t.Fatalf("a reader: %d", status)
		}
		for i := range 5 {
			if status := sendFrom(w, wrong, path, "192.0.2.1:2"); status != http.StatusUnauthorized {
				t.Errorf("request %d: %d", i, status)
			}
		}
		w.Trips.Count()
		for _, token := range []string{wrong, w.Tokens["stranger"], ""} {
			if status := sendFrom(w, token, "/v1/orgs/"+w.Org+"/sites/site_1/published",
				"192.0.2.1:3"); status != http.StatusTooManyRequests {
				t.Errorf("over the limit: %d", status)
			}
		}
		if n := w.Trips.Count(); n != 0 {
			t.Errorf("requests over the limit make %d trips", n)
		}
		if status := sendFrom(w, w.Tokens["reader"], path, "192.0.2.1:4"); status != http.StatusOK {
			t.Errorf("the reader is shut out with the strangers: %d", status)
		}
		if status := sendFrom(w, wrong, path, "192.0.2.2:1"); status != http.StatusUnauthorized {
			t.Errorf("another address: %d", status)
		}
	})
}

// TestAnonymousRequestsAreCountedByNetwork checks that an IPv6 network of 64 bits counts as one address.
func TestAnonymousRequestsAreCountedByNetwork(t *testing.T) {
	t.Parallel()
	w := servertest.NewWorld(t, storetest.Memory())
	w.Serve(func(o *server.Options) { o.RateLimit = 4 })
	w.Clock.Advance(time.Minute)
	path := "/v1/orgs/" + w.Org + "/spaces"
	for i := range 4 {
		if status := sendFrom(w, "", path, fmt.Sprintf("[2001:db8::%d]:1", i)); status != http.StatusUnauthorized {
			t.Errorf("request %d: %d", i, status)
		}
	}
	if status := sendFrom(w, "", path, "[2001:db8::ffff]:1"); status != http.StatusTooManyRequests {
		t.Errorf("the same network: %d", status)
	}
	if status := sendFrom(w, "", path, "[2001:db8:0:1::1]:1"); status != http.StatusUnauthorized {
		t.Errorf("another network: %d", status)
	}
}

// TestModelsReportTheirSize checks that the size that models report is close to the memory that they use.
func TestModelsReportTheirSize(t *testing.T) { //nolint:paralleltest // it counts the bytes of the whole process
	model := access.NewModel("o_1")
	before := heapInUse()
	empty := model.Size()
	for i := range 20_000 {
		id := fmt.Sprintf("s_0afy45w6jjwmbg0afy45wa%06d", i)
		model.Apply(id, fmt.Appendf(nil, `{"parent":"l_%d","order":"a%07d","level":"inherit","creator":"u_0afy45w6jjwmbg"}`, i%100, i))
	}
	taken, said := heapInUse()-before, int64(model.Size())
	if t.Logf("20,000 spaces take %d bytes, %d by their own count", taken, said); said < taken*2/3 || said > taken*3 {
		t.Errorf("20,000 spaces take %d bytes, %d by their own count", taken, said)
	}
	for i := range 20_000 {
		model.Apply(fmt.Sprintf("s_0afy45w6jjwmbg0afy45wa%06d", i), nil)
	}
	if model.Size() != empty {
		t.Errorf("%d bytes are left of nothing", model.Size()-empty)
	}
	runtime.KeepAlive(model)
}
