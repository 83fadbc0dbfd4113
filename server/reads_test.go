package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// rowReader holds the rows that read and the change requests that they read, all outdated and of one space.
type rowReader struct {
	*servertest.World

	sample   *servertest.Sample
	rows     []api.Row
	requests []api.ChangeRequest
	count    int // number of requests made
}

// requestsRead is the number of change requests that are read. The others are merged in between.
const requestsRead = 3

func newRowReader(t *testing.T, requests int) *rowReader {
	t.Helper()
	w, s := servertest.NewSampleWorld(t, storetest.Memory())
	r := &rowReader{World: w, sample: s}
	for _, row := range api.Rows() {
		if !row.Writes() {
			r.rows = append(r.rows, row)
		}
	}
	slices.SortStableFunc(r.rows, func(a, b api.Row) int { return rowOrder(a) - rowOrder(b) })
	for i := range requests {
		request := w.CreateRequest("editor", r.sample.Handbook, fmt.Sprintf("Request %d", i))
		changes := []api.ContentChange{
			servertest.Insert(fmt.Sprintf("Page %d", i), r.sample.Pages["Install"], "# A page\n\nSee [usage](/pages/"+
				r.sample.Pages["Usage"]+") and [nothing](nowhere.md).\n"),
		}
		if i < requestsRead || i == requests-1 { // these conflict with the first merged one
			changes = append(changes,
				servertest.Update(r.sample.Pages["Mac"], fmt.Sprintf("# Mac\n\nUse the image, as request %d says.\n", i)))
		}
		w.Edit("editor", request, changes...)
		r.requests = append(r.requests, request)
	}
	r.mergeLast() // makes the others outdated
	return r
}

// rowOrder returns the sort key of a row: rows that compute missing or outdated data come first.
func rowOrder(row api.Row) int {
	switch {
	case strings.HasPrefix(row.Name, "change-requests.get"), strings.HasPrefix(row.Name, "change-request-content."):
		return 0
	case slices.Contains(servertest.Subjects(row), "space"):
		return 1
	}
	return 2
}

// mergeLast merges a change request that is not read any more.
func (r *rowReader) mergeLast() {
	r.T.Helper()
	last := len(r.requests) - 1
	r.Merge("admin", r.requests[last])
	r.requests = r.requests[:last]
}

// read sends the sample request of a row for the nth change request, and fails the test if the status is 5xx.
func (r *rowReader) read(row api.Row, nth int, after string) {
	r.T.Helper()
	r.count++
	path := r.SamplePathWith(row, r.sample, map[string]string{"changeRequest": r.requests[nth].ID})
	if a := r.Send("admin", row.Method, path, r.SampleBody(row, r.sample)); a.Status >= http.StatusInternalServerError {
		r.T.Errorf("%s after %s: %d %s", row.Name, after, a.Status, a.Body)
	}
}

// TestReadsDoNotAffectOtherReadsCampaign checks that every read operation succeeds after every other one, for outdated
// change requests and with merges in between: cached intermediate results of one must not affect another.
//
//wsd:serial
func TestReadsDoNotAffectOtherReadsCampaign(t *testing.T) {
	t.Parallel()
	merges, _ := storetest.LongCampaign(t, "gets", 10, 111)
	r := newRowReader(t, merges+requestsRead+1)
	for a, first := range r.rows { // a, aa, ab, ac, b, bb, bc, c, cc: contains all pairs of letters
		r.read(first, a%requestsRead, "another request of itself")
		for b := a + 1; b < len(r.rows); b++ {
			r.read(first, b%requestsRead, "the row before")
			r.read(r.rows[b], (b+1)%requestsRead, first.Name)
		}
	}
	for a, first := range r.rows[:min(merges, len(r.rows))] {
		r.read(first, a%requestsRead, "a merge")
		r.mergeLast()
		for b := range r.rows {
			r.read(r.rows[(a+b)%len(r.rows)], b%requestsRead, first.Name+" and a merge")
		}
	}
	t.Logf("%d rows, %d merges, %d requests", len(r.rows), merges, r.count)
}
