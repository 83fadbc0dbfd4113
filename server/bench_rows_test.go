package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// requestsPerRow is the number of requests per row and round.
const requestsPerRow = 20

// TestPrintOperationCostsCampaign prints the cost of each operation in the format of benchstat; make campaign NAME=rows
// prints ten rounds. Rows that write are requested as dry runs, so that all rounds see the same data. The figures
// include the emulated Redis, which runs in this process, so they are only good for comparing two builds.
//
//wsd:serial
func TestPrintOperationCostsCampaign(t *testing.T) { //nolint:paralleltest // it counts the allocations of the process
	rounds, _ := storetest.LongCampaign(t, "rows", 1, 10)
	asks := requestsPerRow
	if rounds == 1 {
		asks = 1
	}
	w := servertest.NewWorld(t, storetest.Memory())
	s := w.Populate()
	for range rounds {
		for _, row := range api.Rows() {
			printCosts(row, asks, requestOf(w, row, s))
		}
	}
}

// requestOf returns a function that sends the sample request of a row, as a dry run if the row writes.
func requestOf(w *servertest.World, row api.Row, s *servertest.Sample) func() {
	w.T.Helper()
	path, body := w.SamplePath(row, s), []byte(nil)
	if row.Writes() {
		path = servertest.WithQuery(path, "dryRun=true")
	}
	if b := w.SampleBody(row, s); b != nil {
		var err error
		body, err = json.Marshal(b)
		w.Must(err)
	}
	return func() {
		r := httptest.NewRequestWithContext(w.T.Context(), row.Method, path, bytes.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.Tokens["admin"])
		if body != nil {
			r.Header.Set("Content-Type", "application/json")
		}
		recorder := httptest.NewRecorder()
		w.Handler.ServeHTTP(recorder, r)
		if recorder.Code >= http.StatusBadRequest {
			w.T.Errorf("%s: %d %s", row.Name, recorder.Code, recorder.Body)
		}
	}
}

// printCosts sends the request of a row several times and prints the cost of one response.
func printCosts(row api.Row, asks int, ask func()) {
	ask() // fills the caches
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	for range asks {
		ask()
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	n := uint64(asks)
	fmt.Fprintf(os.Stdout, "BenchmarkRow/%s\t%d\t%d ns/op\t%d B/op\t%d allocs/op\n", row.Name, asks, took.Nanoseconds()/int64(asks),
		(after.TotalAlloc-before.TotalAlloc)/n, (after.Mallocs-before.Mallocs)/n)
}
