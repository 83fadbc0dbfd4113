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

// readers are the rows that read, and what they are asked of: change requests of one space that are all outdated.
type readers struct {
	*servertest.World

	sample   *servertest.Sample
	rows     []api.Row
	requests []api.ChangeRequest
	count    int // of what was asked
}

// asked is of how many change requests rows are asked; the others are merged in between.
const asked = 3

func newReaders(t *testing.T, requests int) *readers {
	t.Helper()
	w, s := servertest.Sampled(t, storetest.Memory())
	r := &readers{World: w, sample: s}
	for _, row := range api.Rows() {
		if !row.Writes() {
			r.rows = append(r.rows, row)
		}
	}
	slices.SortStableFunc(r.rows, func(a, b api.Row) int { return planning(a) - planning(b) })
	for i := range requests {
		request := w.Request("editor", r.sample.Handbook, fmt.Sprintf("Request %d", i))
		changes := []api.ContentChange{
			servertest.Insert(fmt.Sprintf("Page %d", i), r.sample.Pages["Install"], "# A page\n\nSee [usage](/pages/"+r.sample.Pages["Usage"]+") and [nothing](nowhere.md).\n"),
		}
		if i < asked || i == requests-1 { // those conflict with the first that is merged
			changes = append(changes, servertest.Update(r.sample.Pages["Mac"], fmt.Sprintf("# Mac\n\nUse the image, as request %d says.\n", i)))
		}
		w.Edit("editor", request, changes...)
		r.requests = append(r.requests, request)
	}
	r.mergeLast() // which makes the others outdated
	return r
}

// planning puts the rows first that compute what is not there, or may not be there any more.
func planning(row api.Row) int {
	switch {
	case strings.HasPrefix(row.Name, "change-requests.get"), strings.HasPrefix(row.Name, "change-request-content."):
		return 0
	case slices.Contains(servertest.Subjects(row), "space"):
		return 1
	}
	return 2
}

// mergeLast merges a change request that is not asked about any more.
func (r *readers) mergeLast() {
	r.T.Helper()
	last := len(r.requests) - 1
	r.Merge("admin", r.requests[last])
	r.requests = r.requests[:last]
}

// read asks a row of a change request.
func (r *readers) read(row api.Row, nth int, after string) {
	r.T.Helper()
	r.count++
	path := r.PathWith(row, r.sample, map[string]string{"changeRequest": r.requests[nth].ID})
	if a := r.Raw("admin", row.Method, path, r.BodyOf(row, r.sample)); a.Status >= http.StatusInternalServerError {
		r.T.Errorf("%s after %s: %d %s", row.Name, after, a.Status, a.Body)
	}
}

// Every row that reads answers after every other one, of change requests that are outdated, whatever was merged in
// between: what one of them computes for itself is nothing that another one finds.
//
//wsd:serial
func TestReadsAfterReadsCampaign(t *testing.T) {
	t.Parallel()
	merges, _ := storetest.LongCampaign(t, "gets", 10, 111)
	r := newReaders(t, merges+asked+1)
	for a, first := range r.rows { // a, aa, ab, ac, b, bb, bc, c, cc: every word of two letters is in it
		r.read(first, a%asked, "another request of itself")
		for b := a + 1; b < len(r.rows); b++ {
			r.read(first, b%asked, "the row before")
			r.read(r.rows[b], (b+1)%asked, first.Name)
		}
	}
	for a, first := range r.rows[:min(merges, len(r.rows))] {
		r.read(first, a%asked, "a merge")
		r.mergeLast()
		for b := range r.rows {
			r.read(r.rows[(a+b)%len(r.rows)], b%asked, first.Name+" and a merge")
		}
	}
	t.Logf("%d rows, %d merges, %d requests", len(r.rows), merges, r.count)
}
