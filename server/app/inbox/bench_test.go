package inbox_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// benchServer is the server of a benchmark.
type benchServer struct{ *servertest.Bench }

// otherUser is the author of change requests that do not concern the caller.
const otherUser = "u_00000000000000"

// openRequest creates an open change request that inserts a page.
func (x *benchServer) openRequest(space string) (made api.ChangeRequest) {
	requests := "/v1/spaces/" + space + "/change-requests"
	x.Do(http.MethodPost, requests, api.ChangeRequestCreate{Subject: "One of many"}, &made)
	var edited api.ContentResult
	edit := api.ContentEdit{
		Changes: []api.ContentChange{
			{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some("# A page\n\nFive words of a page.\n")}},
		},
	}
	x.Do(http.MethodPost, requests+"/"+made.ID+"/content?compat=false", edit, &edited)
	x.Do(http.MethodPatch, requests+"/"+made.ID, api.ChangeRequestPatch{Status: api.Some(api.StatusOpen)}, &made)
	return made
}

// copyRequest copies a change request n times, with its summary, for another creator.
func (x *benchServer) copyRequest(of api.ChangeRequest, creator string, n int) {
	x.B.Helper()
	x.runSummaryJobs()
	const atOnce = 400
	for start := 0; start < n; start += atOnce {
		err := x.Store.Update(x.B.Context(), store.Organization(x.Org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return x.copyRequestBatch(tx, of, creator, min(atOnce, n-start))
		})
		if err != nil {
			x.B.Fatal(err)
		}
	}
}

func (x *benchServer) copyRequestBatch(tx *store.Tx, of api.ChangeRequest, creator string, n int) error {
	first := store.RequestID(of.Space, of.Number)
	head, _, err := tx.Head(x.Org, first)
	if err != nil {
		return err
	}
	d, err := tx.ChangeRequest(x.Org, first)
	if err != nil {
		return err
	}
	text, _, err := tx.Field(store.SummariesKey(x.Org), first)
	if err != nil {
		return err
	}
	summary, err := store.ParseSummary(text)
	if err != nil {
		return err
	}
	have, err := tx.Cardinality(store.RequestsKey(x.Org, of.Space))
	if err != nil {
		return err
	}
	keys := make([]redis.Key, n)
	for i := range keys {
		keys[i] = store.ChangeRequestKey(x.Org, store.RequestID(of.Space, int(have)+1+i))
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for i := range n {
		one := d
		one.Version, one.Private.Creator = 0, creator
		one.Fields.Number = int(have) + 1 + i
		one.Fields.ID = fmt.Sprintf("%s_%d", tx.NewID("cr_"), one.Fields.Number)
		id := store.RequestID(of.Space, one.Fields.Number)
		tx.SetHead(x.Org, id, head)
		tx.Remove(store.PendingSummariesKey(x.Org, of.Space), store.PendingSummaryMember(store.SummaryHeadMoved, id))
		if _, err := tx.PutChangeRequest(x.Org, one, ""); err != nil {
			return err
		}
		if err := tx.PutSummary(x.Org, id, summary); err != nil {
			return err
		}
	}
	return nil
}

// runSummaryJobs runs due jobs until no summary in a list is pending.
func (x *benchServer) runSummaryJobs() {
	x.B.Helper()
	for x.hasPendingSummaries(x.Org) {
		time.Sleep(100 * time.Millisecond) // the job is delayed to combine changes
		if err := x.Server.RunDueJobs(x.B.Context()); err != nil {
			x.B.Fatal(err)
		}
	}
}

func (x *benchServer) hasPendingSummaries(org string) bool {
	var page api.Page[api.QueuedChangeRequest]
	if err := json.Unmarshal(x.Get(x.Web.URL+"/v1/orgs/"+org+"/change-requests?limit=50"), &page); err != nil {
		x.B.Fatal(err)
	}
	return slices.ContainsFunc(page.Items, func(q api.QueuedChangeRequest) bool { return q.Summary.Pending })
}

// BenchmarkInbox lists fifty change requests with their summaries and counts those that concern the caller: fifty of
// all open ones, or all of them. The floor is a list of the same size in bytes.
func BenchmarkInbox(b *testing.B) {
	for _, open := range []int{100, 10_000} {
		for name, creator := range map[string]string{"others": otherUser, "own": ""} {
			b.Run(fmt.Sprintf("%d/%s", open, name), func(b *testing.B) {
				x := &benchServer{servertest.NewBench(b, "everysec")}
				first := x.openRequest(x.CreateSpace("One"))
				if creator == "" {
					creator = first.CreatedBy.ID
				}
				x.copyRequest(first, creator, open-50)
				x.copyRequest(first, first.CreatedBy.ID, 49)
				x.runSummaryJobs()
				at := x.Web.URL + "/v1/orgs/" + x.Org + "/change-requests"
				_, floor := x.StoreFloor(len(x.Get(at+"?limit=50")) / 50)
				b.Run("list", func(b *testing.B) {
					x.B = b
					x.Compare(500, func(int) { x.Get(floor) }, func(int) { x.Get(at + "?limit=50") })
				})
				b.Run("counts", func(b *testing.B) {
					x.B = b
					x.Compare(32, func(int) { x.Get(floor) }, func(int) { x.Get(at + "/counts") })
				})
			})
		}
	}
}

// BenchmarkInboxDuringMerge merges into a space with many open change requests. While their summaries are computed, it
// measures the inbox and the delay until the change of a request in another space appears in it, compared with the
// same without the merge.
func BenchmarkInboxDuringMerge(b *testing.B) {
	x := &benchServer{servertest.NewBench(b, "everysec")}
	big, small := x.CreateSpace("Big"), x.CreateSpace("Small")
	x.copyRequest(x.openRequest(big), otherUser, 10_000)
	other := x.openRequest(small)
	ctx, stop := context.WithCancel(b.Context())
	var running sync.WaitGroup
	running.Go(func() { x.Server.RunJobs(ctx) })
	defer running.Wait()
	defer stop()
	x.waitForSummaries(big)
	for b.Loop() {
		quiet, fresh := x.measureInbox(other)
		x.Send(http.MethodPost, x.Web.URL+"/v1/spaces/"+big+"/change-requests/"+x.openRequest(big).ID+"/merge", nil)
		busy, late := x.measureInbox(other)
		left := x.pendingSummaries(big)
		b.ReportMetric(quiet, "quiet-ms")
		b.ReportMetric(busy-quiet, "delay-ms")
		b.ReportMetric(fresh, "fresh-ms")
		b.ReportMetric(late-fresh, "late-ms")
		b.ReportMetric(float64(left), "left")
	}
	b.ReportMetric(0, "ns/op")
}

// waitForSummaries waits until no summary of a space is pending.
func (x *benchServer) waitForSummaries(space string) {
	for x.pendingSummaries(space) > 0 {
		time.Sleep(200 * time.Millisecond)
	}
}

func (x *benchServer) pendingSummaries(space string) int64 {
	n, err := x.Redis.ZCard(x.B.Context(), x.Store.Name(store.PendingSummariesKey(x.Org, space))).Result()
	if err != nil {
		x.B.Fatal(err)
	}
	return n
}

// measureInbox returns the median time of a list in milliseconds, and the median time until an edit of r appears in the list.
func (x *benchServer) measureInbox(r api.ChangeRequest) (list, fresh float64) {
	x.B.Helper()
	var lists, edits []float64
	for range 5 {
		var edited api.ContentResult
		edit := api.ContentEdit{
			Changes: []api.ContentChange{{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some("# More\n\nWords.\n")}}},
		}
		x.Do(http.MethodPost, "/v1/spaces/"+r.Space+"/change-requests/"+r.ID+"/content?compat=false", edit, &edited)
		begun := time.Now()
		for pending := true; pending; {
			start := time.Now()
			var page api.Page[api.QueuedChangeRequest]
			if err := json.Unmarshal(x.Get(x.Web.URL+"/v1/orgs/"+x.Org+"/change-requests?limit=50&space="+r.Space), &page); err != nil {
				x.B.Fatal(err)
			}
			lists = append(lists, float64(time.Since(start).Microseconds())/1000)
			pending = page.Items[0].Summary.Pending
			time.Sleep(5 * time.Millisecond)
		}
		edits = append(edits, float64(time.Since(begun).Milliseconds()))
	}
	return servertest.Median(lists), servertest.Median(edits)
}
