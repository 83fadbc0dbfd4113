package server_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"docspace.dev/wsd/client/api"
)

// BenchmarkSearch searches 10,000 sections of real documentation. Its floor is one's own list of 50 spaces.
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
			edit.Changes = append(edit.Changes, api.ContentChange{Operation: api.InsertPage, Document: &api.Document{Markdown: page}})
		}
		x.do(http.MethodPost, path+"/content", edit, &result)
	}
	x.send(http.MethodPost, x.web.URL+path+"/merge", nil)
	list := x.web.URL + "/v1/orgs/" + x.org + "/spaces?limit=50"
	queries := make([]string, 50)
	for i := range queries {
		title, _, _ := strings.Cut(strings.TrimPrefix(pages[i*n/50], "# "), "\n")
		queries[i] = x.web.URL + "/v1/spaces/" + space + "/search?query=" + url.QueryEscape(title)
	}
	x.indexed(queries[0])
	x.compare(500, func(int) { x.get(list) }, func(i int) { x.get(queries[i%50]) })
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
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close()
	var text strings.Builder
	end := func() {
		if title, rest, found := strings.Cut(text.String(), "\n"); found && len(title) > 4 && len(title) < 200 && strings.TrimSpace(rest) != "" {
			pages = append(pages, text.String())
		}
		text.Reset()
	}
	z := html.NewTokenizer(file)
	for {
		switch z.Next() {
		case html.ErrorToken:
			end()
			return pages
		case html.StartTagToken:
			name, _ := z.TagName()
			switch atom.Lookup(name) {
			case atom.H1, atom.H2, atom.H3, atom.H4:
				end()
				fmt.Fprintf(&text, "# %s\n\n", heading(z))
			case atom.P, atom.Dt, atom.Dd, atom.Pre:
				text.WriteString("\n\n")
			}
		case html.TextToken:
			if text.Len() > 0 {
				text.WriteString(strings.Join(strings.Fields(string(z.Text())), " ") + " ")
			}
		}
	}
}

// heading is the text up to the end of a heading.
func heading(z *html.Tokenizer) string {
	var words []string
	for {
		switch z.Next() {
		case html.TextToken:
			words = append(words, strings.Fields(string(z.Text()))...)
		case html.ErrorToken:
			return strings.Join(words, " ")
		case html.EndTagToken:
			if name, _ := z.TagName(); len(name) == 2 && name[0] == 'h' {
				return strings.Trim(strings.Join(words, " "), "¶ ")
			}
		}
	}
}
