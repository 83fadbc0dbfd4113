package review_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// BenchmarkMerge merges change requests of ten pages into a small and a large space. interleaved is the number of other
// merges between the creation of a request and its own merge.
func BenchmarkMerge(b *testing.B) {
	counts := [2]int{100, 10_000}
	for _, interleaved := range []int{0, 1} {
		b.Run(fmt.Sprintf("interleaved=%d", interleaved), func(b *testing.B) {
			x := servertest.NewBench(b, "everysec")
			merges := []func() float64{prepareMerges(x, counts[0], interleaved), prepareMerges(x, counts[1], interleaved)}
			servertest.CompareSizes(b, 100, counts, func(i int) float64 { return merges[i]() })
		})
	}
}

// prepareMerges creates a space with n pages and change requests. Each call of the returned function merges one and returns the
// time taken.
func prepareMerges(x *servertest.Bench, n, interleaved int) func() (micros float64) {
	space, _ := x.CreateSpaceWithPages(n)
	var tree api.PageTree
	x.Do(http.MethodGet, "/v1/spaces/"+space+"/content/pages", nil, &tree)
	var waiting []string
	return func() float64 {
		for len(waiting) <= interleaved {
			waiting = append(waiting, createEditRequest(x, space, tree.Pages))
		}
		start := time.Now()
		x.Send(http.MethodPost, x.Web.URL+waiting[0]+"/merge", nil)
		waiting = waiting[1:]
		return float64(time.Since(start).Microseconds())
	}
}

// createEditRequest creates a change request that edits ten pages and returns its path.
func createEditRequest(x *servertest.Bench, space string, pages []api.RevisionPage) (path string) {
	path = "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, path, api.ChangeRequestCreate{Subject: "Ten"}, &request)
	path += "/" + request.ID
	edit := api.ContentEdit{}
	for i := range 10 {
		edit.Changes = append(edit.Changes, api.ContentChange{
			Operation: api.UpdatePage, Page: pages[(i*len(pages)/10+request.Number)%len(pages)].ID,
			Document: &api.Document{Markdown: api.Some(fmt.Sprintf("# Edited\n\nNumber %d of request %d.\n", i, request.Number))},
		})
	}
	x.Send(http.MethodPost, x.Web.URL+path+"/content", edit)
	return path
}
