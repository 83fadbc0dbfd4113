package server_test

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
)

// BenchmarkSearch searches 10,000 sections of real documentation. It is compared with one's own list of 50 spaces, in turns.
func BenchmarkSearch(b *testing.B) {
	const n = 10_000
	pages := sections(b, n)
	x := newBench(b, "everysec")
	x.manySpaces(100)
	space := x.space("Documentation")
	path := "/v1/spaces/" + space + "/change-requests"
	var request api.ChangeRequest
	x.do(http.MethodPost, path, api.ChangeRequestCreate{}, &request)
	path += "/" + request.ID
	var result api.ContentResult
	for made := 0; made < n; made += 50 {
		edit := api.ContentEdit{}
		for _, page := range pages[made : made+50] {
			edit.Changes = append(edit.Changes, api.ContentChange{Operation: api.InsertPage, Document: &api.Document{Markdown: api.Some(page)}})
		}
		x.do(http.MethodPost, path+"/content?compat=false", edit, &result)
	}
	x.send(http.MethodPost, x.web.URL+path+"/merge", nil)
	list := x.web.URL + "/v1/orgs/" + x.org + "/spaces?limit=50"
	queries := make([]string, 500)
	for i := range queries {
		title, _, _ := strings.Cut(strings.TrimPrefix(pages[i*n/500], "# "), "\n")
		queries[i] = x.web.URL + "/v1/spaces/" + space + "/search?query=" + url.QueryEscape(title)
	}
	x.indexed(queries[0])
	lists, searches := make([]float64, 0, 500), make([]float64, 0, 500)
	micros := func(address string) float64 {
		start := time.Now()
		x.get(address)
		return float64(time.Since(start).Microseconds())
	}
	for b.Loop() {
		for i := range 500 {
			lists, searches = append(lists, micros(list)), append(searches, micros(queries[i]))
		}
	}
	b.ReportMetric(median(lists), "list-p50-us")
	b.ReportMetric(median(searches), "p50-us")
	b.ReportMetric(median(searches)/median(lists), "x-list")
	b.ReportMetric(0, "ns/op")
}

// indexed searches until the index is there: each request builds a part of it.
func (x *bench) indexed(query string) {
	x.b.Helper()
	for range 1000 {
		r, err := http.NewRequestWithContext(x.b.Context(), http.MethodGet, query, nil)
		if err != nil {
			x.b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+x.token)
		response, err := x.client.Do(r)
		if err != nil {
			x.b.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode == http.StatusOK {
			return
		}
	}
	x.b.Fatal("the index is not built")
}

// sections are the first n sections of the documentation that is installed here, as pages.
func sections(b *testing.B, n int) []string {
	b.Helper()
	var pages []string
	for _, root := range []string{"/usr/share/doc/postgresql-doc-15/html", "/usr/share/doc/python3.11/html", "/usr/share/doc/git/html"} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".html") && len(pages) < n {
				pages = append(pages, sectionsOf(path)...)
			}
			return nil
		})
	}
	if len(pages) < n {
		b.Skipf("%d sections of documentation are installed here, %d are needed: python3.11-doc, postgresql-doc-15, git-doc", len(pages), n)
	}
	return pages[:n]
}

// sectionsOf cuts an HTML page at its headings.
func sectionsOf(path string) (pages []string) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	parts := strings.Split(string(data), "<h")
	for _, part := range parts[1:] {
		level, rest, _ := strings.Cut(part, ">")
		title, text, found := strings.Cut(rest, "</h")
		if title = proseOf(title); !found || !strings.ContainsAny(level[:1], "1234") || len(title) < 4 || len(title) > 200 {
			continue
		}
		if text = proseOf(strings.ReplaceAll(text, "<p", "\n\n<p")); text != "" {
			pages = append(pages, "# "+title+"\n\n"+text+"\n")
		}
	}
	return pages
}

var tag = regexp.MustCompile(`(?s)<(script|style).*?</(script|style)>|<[^>]*>|^[1-6]>`)

// proseOf is the text of a piece of HTML.
func proseOf(markup string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(markup, " "))), " ")
}
