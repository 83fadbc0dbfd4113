package pages_test

import (
	"net/http"
	"strings"
	"testing"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// benchPage is a typical documentation page of about 30 KB.
var benchPage = strings.Repeat(`## A section of the manual

The reader *walks* through the text of a long page, finds a [link](https://example.com/a) and a word in **bold**, and
goes on with `+"`code`"+` until the paragraph ends. Then there is another sentence, which says much the same again.

- An item of a list, with a [link](#a-section-of-the-manual) to the section
- Another item, which has items below it
  - One below
  - And the next

| Name | Meaning |
|------|---------|
| one  | the *first* of the numbers |
| two  | the second |

`+"```python\ndef walk(page):\n    for line in page:\n        yield line\n```\n\n", 30)

// BenchmarkReadText reads a long page as Markdown and as a document. ns/byte is the time per byte of the response.
func BenchmarkReadText(b *testing.B) {
	for _, format := range []api.Format{api.FormatMarkdown, api.FormatDocument} {
		b.Run(string(format), func(b *testing.B) {
			x := servertest.NewBench(b, "no")
			path := createPage(x, benchPage)
			size := len(x.Get(x.Web.URL + path + "?format=" + string(format)))
			for b.Loop() {
				x.Get(x.Web.URL + path + "?format=" + string(format))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size), "ns/byte")
			b.ReportMetric(float64(size), "bytes")
		})
	}
}

// createPage creates a space with one page and returns the path that reads it.
func createPage(x *servertest.Bench, markdown string) (path string) {
	space := x.CreateSpace("Bench")
	requests := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, requests, api.ChangeRequestCreate{}, &request)
	var result api.ContentResult
	x.Do(http.MethodPost, requests+"/"+request.ID+"/content?compat=false", api.ContentEdit{Changes: []api.ContentChange{
		{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(markdown)}},
	}}, &result)
	return requests + "/" + request.ID + "/content/page/" + result.Changes[0].Page.ID
}

// BenchmarkGetPage reads a page of a space of a hundred pages.
func BenchmarkGetPage(b *testing.B) {
	x := servertest.NewBench(b, "everysec")
	space, page := x.CreateSpaceWithPages(100)
	url := x.Web.URL + "/v1/spaces/" + space + "/content/page/" + page + "?format=markdown"
	floor, _ := x.StoreFloor(len(x.Get(url)))
	x.Compare(4000, func(int) { x.Get(floor) }, func(int) { x.Get(url) })
}
