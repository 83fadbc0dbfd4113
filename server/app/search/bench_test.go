package search_test

import (
	"html"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
)

// benchServer is the server of a benchmark.
type benchServer struct{ *servertest.Bench }

// BenchmarkSearch searches 10,000 sections of real documentation, alternating with a list of the caller's 50 spaces as the
// baseline.
func BenchmarkSearch(b *testing.B) {
	const n = 10_000
	pages := loadSections(b, n)
	x := &benchServer{servertest.NewBench(b, "everysec")}
	x.CreateSpaces(100)
	space := x.CreateSpace("Documentation")
	path := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.Do(http.MethodPost, path, api.ChangeRequestCreate{}, &request)
	path += "/" + request.ID
	var result api.ContentResult
	for made := 0; made < n; made += 50 {
		edit := api.ContentEdit{}
		for _, page := range pages[made : made+50] {
			edit.Changes = append(edit.Changes, api.ContentChange{
				Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(page)},
			})
		}
		x.Do(http.MethodPost, path+"/content?compat=false", edit, &result)
	}
	x.Send(http.MethodPost, x.Web.URL+path+"/merge", nil)
	list := x.Web.URL + "/v1/orgs/" + x.Org + "/spaces?limit=50"
	queries := make([]string, 500)
	for i := range queries {
		title, _, _ := strings.Cut(strings.TrimPrefix(pages[i*n/500], "# "), "\n")
		queries[i] = x.Web.URL + "/v1/spaces/" + space + "/search?query=" + url.QueryEscape(title)
	}
	x.searchUntilIndexed(queries[0])
	lists, searches := make([]float64, 0, 500), make([]float64, 0, 500)
	micros := func(address string) float64 {
		start := time.Now()
		x.Get(address)
		return float64(time.Since(start).Microseconds())
	}
	for b.Loop() {
		for i := range 500 {
			lists, searches = append(lists, micros(list)), append(searches, micros(queries[i]))
		}
	}
	b.ReportMetric(servertest.Median(lists), "list-p50-us")
	b.ReportMetric(servertest.Median(searches), "p50-us")
	b.ReportMetric(servertest.Median(searches)/servertest.Median(lists), "x-list")
	b.ReportMetric(0, "ns/op")
}

// searchUntilIndexed searches until the index is complete; each request builds a part of it.
func (x *benchServer) searchUntilIndexed(query string) {
	x.B.Helper()
	for range 1000 {
		r, err := http.NewRequestWithContext(x.B.Context(), http.MethodGet, query, nil)
		if err != nil {
			x.B.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+x.Token)
		response, err := x.Client.Do(r)
		if err != nil {
			x.B.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return
		}
	}
	x.B.Fatal("the index is not built")
}

// loadSections returns the first n sections of the documentation installed on this machine, as pages.
func loadSections(b *testing.B, n int) []string {
	b.Helper()
	var pages []string
	for _, root := range []string{"/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/python3.11/html", "/usr/share/doc/git/html"} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".html") && len(pages) < n {
				pages = append(pages, splitSections(path)...)
			}
			return nil
		})
	}
	if len(pages) < n {
		b.Skipf("%d sections of documentation are installed here, %d are needed: python3.11-doc, postgresql-doc-15, git-doc", len(pages), n)
	}
	return pages[:n]
}

// splitSections splits an HTML page at its headings.
func splitSections(path string) (pages []string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	parts := strings.Split(string(data), "<h")
	for _, part := range parts[1:] {
		level, rest, _ := strings.Cut(part, ">")
		title, text, found := strings.Cut(rest, "</h")
		if title = textOf(title); !found || !strings.ContainsAny(level[:1], "1234") || len(title) < 4 || len(title) > 200 {
			continue
		}
		if text = textOf(strings.ReplaceAll(text, "<p", "\n\n<p")); text != "" {
			pages = append(pages, "# "+title+"\n\n"+text+"\n")
		}
	}
	return pages
}

var tag = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>|^[1-6]>`)

// textOf returns the text of an HTML fragment.
func textOf(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, " "))), " ")
}
