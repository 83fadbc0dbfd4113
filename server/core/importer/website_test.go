package importer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"docspace.dev/wsd/server/core/fetch"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// newTestImporter returns an importer that may fetch from loopback addresses.
func newTestImporter(t *testing.T, limits Limits) *Importer {
	t.Helper()
	client := fetch.New(fetch.Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(client.Close)
	return New(client, limits)
}

// request returns a request with numbered ids.
func request(source, url string) Request {
	n := 0
	return Request{Source: source, URL: url, NewID: func(prefix string) string {
		n++
		return fmt.Sprint(prefix, n)
	}}
}

// serveSite serves a handler and returns its URL without a final slash.
func serveSite(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

// siteHandler serves texts by path: robots.txt if they begin with "User-agent", else HTML.
func siteHandler(pages map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if target, ok := strings.CutPrefix(body, "-> "); ok {
			http.Redirect(w, r, target, http.StatusFound)
			return
		}
		if !strings.Contains(r.URL.Path, ".txt") && !strings.Contains(r.URL.Path, ".png") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = io.WriteString(w, body)
	})
}

func mustImport(t *testing.T, i *Importer, req Request) Result {
	t.Helper()
	result, err := i.Import(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// describe formats a result: outline, files, notes and texts, without the server's address.
func describe(result Result, site string) string {
	var outline, texts strings.Builder
	var walk func(pages []*Page, indent string)
	walk = func(pages []*Page, indent string) {
		for _, page := range pages {
			fmt.Fprintf(&outline, "%s%s [%s] %s %s", indent, page.Title, page.Slug, page.ID, page.Source)
			if page.Group {
				outline.WriteString(" group")
			}
			if page.Description != "" {
				fmt.Fprintf(&outline, " %q", page.Description)
			}
			outline.WriteByte('\n')
			if !page.Group {
				fmt.Fprintf(&texts, "======== %s\n%s", page.ID, page.Markdown)
			}
			walk(page.Children, indent+"  ")
		}
	}
	walk(result.Pages, "")
	for _, file := range result.Files {
		fmt.Fprintf(&outline, "%s %s %s %d bytes %s\n", file.ID, file.Name, file.ContentType, len(file.Data), file.Source)
	}
	for _, note := range result.Notes {
		fmt.Fprintf(&outline, "note: %s\n", note)
	}
	fmt.Fprintf(&outline, "%d of %d\n", result.Imported, result.Total)
	return strings.ReplaceAll(outline.String()+texts.String(), site, "")
}

// outline formats titles, slugs and nesting.
func outline(pages []*Page) string {
	var b strings.Builder
	var walk func(pages []*Page, indent string)
	walk = func(pages []*Page, indent string) {
		for _, page := range pages {
			mark := ""
			if page.Group {
				mark = "*"
			}
			fmt.Fprintf(&b, "%s%s%s [%s]\n", indent, page.Title, mark, page.Slug)
			walk(page.Children, indent+"  ")
		}
	}
	walk(pages, "")
	return b.String()
}

// TestImportSitesOfGenerators imports one fixture for each documentation generator; the golden file has its tree and
// its texts. Run with -update to rewrite them, and review the differences.
func TestImportSitesOfGenerators(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]string{
		"sphinx": "/", "mkdocs": "/", "docusaurus": "/docs/", "docbook": "/index.html", "asciidoc": "/",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := serveSite(t, http.FileServer(http.Dir(filepath.Join("testdata", name))))
			got := describe(mustImport(t, newTestImporter(t, Limits{}), request(SourceWebsite, site+start)), site)
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestImportIsDeterministic(t *testing.T) {
	t.Parallel()
	site := serveSite(t, http.FileServer(http.Dir("testdata/sphinx")))
	i := newTestImporter(t, Limits{})
	first := describe(mustImport(t, i, request(SourceWebsite, site+"/")), site)
	for range 5 {
		if diff := cmp.Diff(first, describe(mustImport(t, i, request(SourceWebsite, site+"/")), site)); diff != "" {
			t.Fatalf("another import of the same site (-first +later)\n%s", diff)
		}
	}
}

func TestImportReturnsErrorOfStartURL(t *testing.T) {
	t.Parallel()
	site := serveSite(t, siteHandler(map[string]string{
		"/text.txt": "no html", "/robots.txt": "User-agent: *\nDisallow: /hidden/", "/hidden/": "<h1>Hidden</h1>", "/loop": "-> /loop",
		"/large": "<html><p>a" + strings.Repeat("<br>", maxElements),
	}))
	i := newTestImporter(t, Limits{})
	tests := []struct{ source, url, field, message string }{
		{"docx", site + "/", "source", "docx"},
		{"", site + "/", "source", "website"},
		{SourceWebsite, site + "/none", "url", "404"},
		{SourceWebsite, site + "/text.txt", "url", "not an HTML page"},
		{SourceWebsite, site + "/hidden/", "url", "robots.txt"},
		{SourceWebsite, site + "/loop", "url", "redirects"},
		{SourceWebsite, site + "/large", "url", "more than 200000 HTML elements"},
		{SourceHTML, site + "/large", "url", "more than 200000 HTML elements"},
		{SourceWebsite, "ftp://example.org/", "url", "http"},
		{SourceWebsite, "http://10.0.0.1/", "url", "not public"},
		{SourceHTML, site + "/none", "url", "404"},
		{SourceMarkdown, site + "/none", "url", "404"},
		{SourceZip, site + "/none", "url", "404"},
		{SourceZip, site + "/text.txt", "url", "zip"},
	}
	for _, test := range tests {
		_, err := i.Import(t.Context(), request(test.source, test.url))
		var failure *Error
		if !errors.As(err, &failure) || failure.Field != test.field || !strings.Contains(failure.Message, test.message) {
			t.Errorf("%s %s: got %v, want %s with %q", test.source, test.url, err, test.field, test.message)
		}
	}
}

func TestImportStopsOnCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	site := serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/next" {
			cancel()
			<-r.Context().Done()
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<a href="/next">next</a>`)
	}))
	if _, err := newTestImporter(t, Limits{}).Import(ctx, request(SourceWebsite, site+"/")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestCrawl(t *testing.T) {
	t.Parallel()
	const head = "<title>T</title><h1>"
	tests := []struct {
		name            string
		pages           map[string]string
		start           string
		limits          Limits
		outline         string
		imported, total int
		note            string
	}{
		{
			name: "stays below the directory of the start",
			pages: map[string]string{
				"/docs/": head + "Home</h1><a href='/docs/a'>a</a> <a href='/blog'>blog</a> <a href='/docsish'>x</a> <a " +
					"href='http://example.invalid/'>o</a>",
				"/docs/a": head + "A</h1>", "/blog": head + "Blog</h1>", "/docsish": head + "X</h1>",
			},
			start: "/docs/", outline: "Home [home]\nA [a]\n", imported: 2, total: 2,
		},
		{
			name: "one page under many names",
			pages: map[string]string{
				"/":  head + `Home</h1><a href="a#x">1</a><a href="a?y=1">2</a><a href="./a">3</a><a href="index.html">4</a><a href="old">5</a>`,
				"/a": head + "A</h1>", "/old": "-> /a", "/index.html": head + "Twice</h1>",
			},
			start: "/", outline: "Home [home]\nA [a]\n", imported: 2, total: 2,
		},
		{
			name: "a redirect out of the site is no resource of it",
			pages: map[string]string{
				"/docs/": head + `Home</h1><a href="out">out</a>`, "/docs/out": "-> /elsewhere", "/elsewhere": head + "E</h1>",
			},
			start: "/docs/", outline: "Home [home]\n", imported: 1, total: 1,
		},
		{
			name: "a start that is redirected begins where it leads",
			pages: map[string]string{
				"/": "-> /en/latest/", "/en/latest/": head + `Home</h1><a href="a">a</a><a href="/">root</a>`, "/en/latest/a": head +
					"A</h1>",
			},
			start: "/", outline: "Home [home]\nA [a]\n", imported: 2, total: 2,
		},
		{
			name:  "a failing page lowers the number of imported ones",
			pages: map[string]string{"/": head + `Home</h1><a href="a">a</a><a href="b">b</a>`, "/b": head + "B</h1>"},
			start: "/", outline: "Home [home]\nB [b]\n", imported: 2, total: 3, note: "404",
		},
		{
			name: "robots.txt is obeyed",
			pages: map[string]string{
				"/robots.txt": "User-agent: *\nDisallow: /private\n", "/": head +
					`Home</h1><a href="private">p</a><img src="private.png"><a href="go">g</a>`, "/go": "-> /private",
				"/private": head + "Private</h1>", "/private.png": "secret",
			},
			start: "/", outline: "Home [home]\n", imported: 1, total: 3, note: "robots.txt forbids 2",
		},
		{
			name: "the limit of pages",
			pages: map[string]string{
				"/": head + `Home</h1><a href="a">a</a><a href="b">b</a><a href="c">c</a>`, "/a": head + "A</h1>", "/b": head +
					"B</h1>", "/c": head + "C</h1>",
			},
			start: "/", limits: Limits{Pages: 3}, outline: "Home [home]\nA [a]\nB [b]\n", imported: 3, total: 4, note: "more than 3 pages",
		},
		{
			name: "the limit of bytes keeps what came in",
			pages: map[string]string{
				"/": head + `Home</h1><a href="a">a</a>`, "/a": head + strings.Repeat("A", 300) + "</h1>",
			},
			start: "/", limits: Limits{TotalBytes: 200}, outline: "Home [home]\n", imported: 1, total: 2, note: "stopped at 200 bytes",
		},
		{
			name: "a page too large for its limit",
			pages: map[string]string{
				"/": head + `Home</h1><a href="a">a</a>`, "/a": head + "A</h1>" + strings.Repeat("word ", 50),
			},
			start: "/", limits: Limits{ResourceSize: 200}, outline: "Home [home]\n", imported: 1, total: 2, note: "larger than 200 bytes",
		},
		{
			name: "a text too long for a page comes in, and is split by who stores it",
			pages: map[string]string{
				"/": head + `Home</h1><a href="a">a</a>`, "/a": head + "A</h1>" + strings.Repeat("word ", 50),
			},
			start: "/", limits: Limits{PageText: 200}, outline: "Home [home]\nA [a]\n", imported: 2, total: 2,
		},
		{
			name: "a page that sends on",
			pages: map[string]string{
				"/": `<title>Go on</title><meta http-equiv="Refresh" content="0; url='latest/'">`, "/latest/": head + "Latest</h1>",
			},
			start: "/", outline: "Go on [go-on]\nLatest [latest]\n", imported: 2, total: 2,
		},
		{
			name: "same slugs, and directories without a page",
			pages: map[string]string{
				"/":  head + `Home</h1><a href="a.html">1</a><a href="a">2</a><a href="A.htm">3</a><a href="sub/deep/x">4</a>`,
				"/a": head + "A2</h1>", "/a.html": head + "A1</h1>", "/A.htm": head + "A3</h1>", "/sub/deep/x": head + "X</h1>",
			},
			start: "/", outline: "Home [home]\nA1 [a]\nA2 [a-2]\nA3 [a-3]\nsub* [sub]\n  deep* [deep]\n    X [x]\n", imported: 5, total: 5,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			site := serveSite(t, siteHandler(test.pages))
			result := mustImport(t, newTestImporter(t, test.limits), request(SourceWebsite, site+test.start))
			if diff := cmp.Diff(test.outline, outline(result.Pages)); diff != "" {
				t.Errorf("outline (-want +got)\n%s", diff)
			}
			if result.Imported != test.imported || result.Total != test.total {
				t.Errorf("imported %d of %d, want %d of %d", result.Imported, result.Total, test.imported, test.total)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, test.note) || (test.note == "" && notes != "") {
				t.Errorf("notes are %q, want %q", notes, test.note)
			}
		})
	}
}

func TestInlineImages(t *testing.T) {
	t.Parallel()
	site := serveSite(t, siteHandler(map[string]string{"/": `<h1>A</h1><p><img alt="i" src="data:image/svg+xml,%3Csvg/%3E">
		<img alt="j" src="data:image/png;base64,iVBORw0KGgo="><img alt="i" src="data:image/svg+xml,%3Csvg/%3E">
		<img alt="k" src="data:text/html,x"><img alt="l" src="data:image/png;base64,???"></p>`}))
	result := mustImport(t, newTestImporter(t, Limits{}), request(SourceHTML, site+"/"))
	want := "# A\n\n![i](/files/f_1) ![j](/files/f_2)![i](/files/f_1) ![k](data:text/html,x)![l](data:image/png;base64,???)\n"
	if diff := cmp.Diff(want, string(result.Pages[0].Markdown)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(result.Files) != 2 || string(result.Files[0].Data) != "<svg/>" || result.Files[1].ContentType != "image/png" ||
		len(result.Files[1].Data) != 8 {
		t.Errorf("files are %+v", result.Files)
	}
	if result.Imported != 3 || result.Total != 3 {
		t.Errorf("imported %d of %d, want 3 of 3", result.Imported, result.Total)
	}
}

// TestDrawingsBecomeFiles checks that an inline drawing with text becomes an image described by the text.
func TestDrawingsBecomeFiles(t *testing.T) {
	t.Parallel()
	site := serveSite(t, siteHandler(map[string]string{
		"/": `<h1>A</h1><p><svg viewBox="0 0 9 9"><text>one</text><a xlink:href="b"><text>two &amp; three</text></a></svg></p>`,
	}))
	result := mustImport(t, newTestImporter(t, Limits{}), request(SourceHTML, site+"/"))
	if diff := cmp.Diff("# A\n\n![one two & three](/files/f_1)\n", string(result.Pages[0].Markdown)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := `<svg viewBox="0 0 9 9" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">` +
		`<text>one</text><a xlink:href="b"><text>two &amp; three</text></a></svg>`
	if len(result.Files) != 1 || string(result.Files[0].Data) != want || result.Files[0].ContentType != "image/svg+xml" {
		t.Errorf("files are %+v", result.Files)
	}
}

// longLinksPage is a page of less than 300 bytes whose links grow to more than 600 bytes each.
var longLinksPage = "<h1>A</h1><base href='/" + strings.Repeat("long", 15) + "/'>" + strings.Repeat("<a href=x>x</a>", 10)

func TestImportRejectsOversizedPage(t *testing.T) {
	t.Parallel()
	site := serveSite(t, siteHandler(map[string]string{"/": longLinksPage}))
	_, err := newTestImporter(t, Limits{ResourceSize: 300}).Import(t.Context(), request(SourceHTML, site+"/"))
	var failure *Error
	if !errors.As(err, &failure) || failure.Field != "url" || !strings.Contains(failure.Message, "larger than 600") {
		t.Errorf("got %v", err)
	}
}

// TestLinkToUnreadPage checks that a link to a page that was not imported uses an id that the result lists as unread.
func TestLinkToUnreadPage(t *testing.T) {
	t.Parallel()
	site := serveSite(t, siteHandler(map[string]string{
		"/":  `<h1>Home</h1><p><a href="a#x">long</a> <a href="b">short</a></p>`,
		"/a": longLinksPage, "/b": "<h1>B</h1>",
	}))
	result := mustImport(t, newTestImporter(t, Limits{ResourceSize: 300}), request(SourceWebsite, site+"/"))
	missed := result.Unread[0]
	if diff := cmp.Diff(Unread{Path: "a", ID: missed.ID, Address: site + "/a"}, missed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := "# Home\n\n[long](/pages/" + missed.ID + "#x) [short](/pages/" + result.Pages[1].ID + ")\n"
	if diff := cmp.Diff(want, string(result.Pages[0].Markdown)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	site := serveSite(t, http.FileServer(http.Dir("testdata/sphinx")))
	req := request(SourceWebsite, site+"/")
	last, calls := 0, 0
	req.Progress = func(done, total int) {
		if done < last || done > total+1 {
			t.Errorf("progress went from %d to %d of %d", last, done, total)
		}
		last = done
		calls++
	}
	mustImport(t, newTestImporter(t, Limits{}), req)
	if calls == 0 {
		t.Error("no progress was reported")
	}
}

func TestCharsets(t *testing.T) {
	t.Parallel()
	latin := "<h1>Gr\xfc\xdfe</h1>"
	tests := []struct{ name, contentType, body, title, note string }{
		{"declared by header", "text/html; charset=iso-8859-1", latin, "Grüße", "windows-1252"},
		{"declared by meta", "text/html", `<meta charset="iso-8859-15"><h1>` + "10 \xa4</h1>", "10 €", "iso-8859-15"},
		{"UTF-8", "text/html; charset=utf-8", "<h1>Grüße</h1>", "Grüße", ""},
		{"UTF-8 undeclared", "text/html", "<h1>Grüße</h1>", "Grüße", ""},
		{"undeclared", "text/html", latin, "Grüße", "no charset declared"},
		{"not what it says", "text/html; charset=utf-8", latin, "Gr\uFFFDe", "not UTF-8"},
		{"UTF-16", "text/html", "\xff\xfe<\x00h\x001\x00>\x00A\x00", "A", "utf-16le"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			site := serveSite(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Type", test.contentType)
				_, _ = io.WriteString(w, test.body)
			}))
			result := mustImport(t, newTestImporter(t, Limits{}), request(SourceHTML, site+"/"))
			if got := result.Pages[0].Title; got != test.title {
				t.Errorf("title is %q, want %q", got, test.title)
			}
			if notes := strings.Join(result.Notes, "\n"); !strings.Contains(notes, test.note) || (test.note == "" && notes != "") {
				t.Errorf("notes are %q, want %q", notes, test.note)
			}
		})
	}
}

func TestHTMLImportsOnePageWithImages(t *testing.T) {
	t.Parallel()
	site := serveSite(t, http.FileServer(http.Dir("testdata/sphinx")))
	got := describe(mustImport(t, newTestImporter(t, Limits{}), request(SourceHTML, site+"/guide/install.html")), site)
	for _, want := range []string{
		"1. Install [install] p_2 /guide/install.html\n", "f_1 parts.png image/png 70 bytes", "2 of 2\n",
		"](/files/f_1)", "](/_downloads/sample.csv)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
