package imports_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/core/importer"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store/storetest"
)

// A manual of several hundred pages, as installed by Debian's package python3.11-doc. This is one book of the site,
// the library reference; package e2e imports the whole site.
const (
	siteDirectory  = "/usr/share/doc/python3.11/html"
	siteBook       = "library"
	minPages       = 200  // minimum number
	minWordShare   = 0.99 // minimum share of the words of each page
	requireSiteEnv = "WSD_REQUIRE_SITE"
)

// TestImportSite imports a real documentation site into a change request, merges it and reads it back.
func TestImportSite(t *testing.T) {
	if _, err := os.Stat(filepath.Join(siteDirectory, siteBook, "index.html")); err != nil {
		if os.Getenv(requireSiteEnv) == "1" {
			t.Fatalf("%s=1, but the site is not there: %v", requireSiteEnv, err)
		}
		fmt.Println("no documentation site found (package python3.11-doc): importing one was not tested")
		return
	}
	t.Parallel()
	web := httptest.NewServer(http.FileServer(http.Dir(siteDirectory)))
	t.Cleanup(web.Close)
	w := servertest.NewWorld(t, storetest.Memory())
	w.AllowLoopback(func(o *server.Options) { // the detector of races makes the work slow
		o.Budgets = budgets.Defaults()
		o.Budgets.ImportWork = int64(time.Hour)
	})
	ref := w.NewRequest("editor", w.NewSpace().ID)
	before := w.ReadRequest(ref).Revision

	result := servertest.Do(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
		ChangeRequestRef: ref, Body: api.Import{URL: web.URL + "/" + siteBook + "/index.html", Source: api.ImportWebsite},
	})
	t.Logf("%d of %d resources, notes %q", result.ImportedResources, result.TotalResources, result.Notes)
	servertest.Equal(t, "head", result.Revision, w.ReadRequest(ref).Revision)
	servertest.Equal(t, "parents of the one new revision", []string{before},
		servertest.Do(w, "editor", api.GetChangeRequestContent, api.ChangeRequestContentInput{ChangeRequestRef: ref}).Parents)
	w.MustMerge(ref)

	book := readBook(t)
	if len(book.parents) < minPages {
		t.Fatalf("the book has only %d pages", len(book.parents))
	}
	imported := readSpace(w, ref.Space)
	book.compareTree(t, imported)
	for file, page := range imported.pagesByFile {
		book.comparePage(t, file, page, imported)
	}
	compareFiles(w, ref.Space, book)
	w.WantClean()
}

// book is the table of contents and the images as the test reads them from the site.
type book struct {
	parents map[string]string   // file -> file of the parent page in the table of contents, "" at the top
	order   map[string][]string // file -> files of the child pages, in order
	images  map[string]bool
}

// readBook reads the table of contents of the whole site and returns the part of the book.
func readBook(t *testing.T) book {
	t.Helper()
	b := book{parents: map[string]string{}, order: map[string][]string{}, images: map[string]bool{}}
	contents := readHTML(t, "contents.html")
	contents.Find("div.toctree-wrapper li").Each(func(_ int, li *goquery.Selection) {
		file, ok := entryOf(li)
		if _, known := b.parents[file]; !ok || known || !strings.HasPrefix(file, siteBook+"/") {
			return
		}
		above := ""
		li.ParentsFiltered("li").EachWithBreak(func(_ int, outer *goquery.Selection) bool {
			above, ok = entryOf(outer)
			return !ok
		})
		if above == siteBook+"/index.html" {
			above = "" // entries of the first page become its siblings
		}
		b.parents[file] = above
		b.order[above] = append(b.order[above], file)
	})
	return b
}

// entryOf returns the file of an entry of the table of contents. It reports false for entries that lead to a section
// of a page.
func entryOf(li *goquery.Selection) (file string, ok bool) {
	href, _ := li.ChildrenFiltered("a").Attr("href")
	return href, href != "" && !strings.Contains(href, "#")
}

func readHTML(t *testing.T, file string) *goquery.Document {
	t.Helper()
	f, err := os.Open(filepath.Join(siteDirectory, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	document, err := goquery.NewDocumentFromReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// importedSpace holds the imported pages with their texts, by the file they were made from.
type importedSpace struct {
	pagesByFile map[string]api.RevisionPage
	parents     map[string]string   // file -> file of the parent page
	order       map[string][]string // file -> files of the child pages, in order
	ids         map[string]bool
}

// readSpace reads a space over HTTP. The file of a page is found by its slug, which is derived from the file name;
// the first page is the one the import started from. Headings between the pages of a list have no file.
func readSpace(w *servertest.World, space string) importedSpace {
	w.T.Helper()
	s := importedSpace{
		pagesByFile: map[string]api.RevisionPage{}, parents: map[string]string{}, order: map[string][]string{}, ids: map[string]bool{},
	}
	var walk func(above string, pages []api.RevisionPage)
	walk = func(above string, pages []api.RevisionPage) {
		for _, p := range pages {
			s.ids[p.ID] = true
			if p.Type == api.PageGroup {
				walk(above, p.Pages)
				continue
			}
			file := siteBook + "/" + p.Slug
			if len(s.pagesByFile) == 0 {
				file = siteBook + "/index"
			}
			s.pagesByFile[file] = w.ReadPage(space, p.ID)
			s.parents[file] = above
			s.order[above] = append(s.order[above], file)
			walk(file, p.Pages)
		}
	}
	walk("", servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: space}).Pages)
	return s
}

// slugOf returns the slug that is derived from a file name.
func slugOf(file string) string {
	if file == "" {
		return ""
	}
	directory, name := path.Split(strings.TrimSuffix(file, ".html"))
	return directory + strings.Trim(strings.ToLower(strings.ReplaceAll(name, ".", "-")), "_")
}

func (b book) compareTree(t *testing.T, s importedSpace) {
	t.Helper()
	parents, order := map[string]string{}, map[string][]string{}
	for file, above := range b.parents {
		parents[slugOf(file)] = slugOf(above)
	}
	for above, files := range b.order {
		for _, file := range files {
			order[slugOf(above)] = append(order[slugOf(above)], slugOf(file))
		}
	}
	servertest.Equal(t, "the page above each page", parents, s.parents)
	servertest.Equal(t, "the order of the pages below each page", order, s.order)
}

// comparePage compares the text of a page with the main text of the HTML file, found with the test's own selectors.
func (b book) comparePage(t *testing.T, slug string, page api.RevisionPage, s importedSpace) {
	t.Helper()
	file := ""
	for name := range b.parents {
		if slugOf(name) == slug {
			file = name
		}
	}
	if file == "" {
		return // reported by compareTree
	}
	body := readHTML(t, file).Find("div.body")
	body.Find("a.headerlink, script, style").Remove()
	if share, lost := missingWords(siteWordsOf(body), *page.Markdown); share > 1-minWordShare {
		t.Errorf("%s: %.2f %% of its words are missing: %q", file, 100*share, lost)
	}
	body.Find("img").Each(func(_ int, image *goquery.Selection) {
		src, _ := image.Attr("src")
		b.images[path.Join(path.Dir(file), src)] = true
		if !strings.Contains(*page.Markdown, "(/files/") {
			t.Errorf("%s: the image %s does not lead to a file", file, src)
		}
	})
	body.Find("pre, dt.sig").Remove() // Markdown has no links in code
	body.Find("a[href]").Each(func(_ int, link *goquery.Selection) {
		href, _ := link.Attr("href")
		target := linkedFile(file, href)
		other, ok := s.pagesByFile[slugOf(target)]
		if _, listed := b.parents[target]; listed && ok && target != file && !strings.Contains(*page.Markdown, "/pages/"+other.ID) {
			t.Errorf("%s: the link to %s does not lead to its page", file, target)
		}
	})
	for _, found := range pageLinkPattern.FindAllStringSubmatch(*page.Markdown, -1) {
		if !s.ids[found[1]] {
			t.Errorf("%s: a link leads to the page %s, which does not exist", file, found[1])
		}
	}
}

var pageLinkPattern = regexp.MustCompile(`\]\(/pages/(p_[0-9a-z]+)`)

// linkedFile returns the file of the site that a relative link leads to, or "" for other links.
func linkedFile(from, href string) string {
	u, err := url.Parse(href)
	if err != nil || u.IsAbs() || u.Host != "" || u.Path == "" {
		return ""
	}
	return path.Join(path.Dir(from), u.Path)
}

// siteWordsOf returns the visible words of an element. Block elements separate words.
func siteWordsOf(s *goquery.Selection) []string {
	inline := []string{
		"a", "abbr", "b", "cite", "code", "em", "i", "kbd", "q", "samp", "small", "span", "strong", "sub", "sup", "tt", "var",
	}
	var text strings.Builder
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
			return
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
		if !slices.Contains(inline, n.Data) {
			text.WriteByte(' ')
		}
	}
	for _, n := range s.Nodes {
		walk(n)
	}
	return servertest.Words(text.String())
}

// missingWords returns the share of words that a Markdown text lacks, and some of them.
func missingWords(want []string, markdown string) (share float64, lost []string) {
	left := map[string]int{}
	for _, word := range servertest.Words(markdown) {
		left[word]++
	}
	missing := 0
	for _, word := range want {
		if left[word]--; left[word] < 0 {
			missing++
			lost = append(lost, word)
		}
	}
	return float64(missing) / float64(max(len(want), 1)), lost[:min(len(lost), 10)]
}

// compareFiles downloads every image of the book and compares it with the site's.
func compareFiles(w *servertest.World, space string, b book) {
	w.T.Helper()
	list := servertest.Do(w, "reader", api.ListContentFiles, api.ListFilesInput{
		Space: space, ListOptions: api.ListOptions{Limit: api.Some(1000)},
	})
	have := map[string][]byte{}
	for _, f := range list.Items {
		a := w.Call("", http.MethodGet, strings.TrimPrefix(f.DownloadURL, servertest.PublicURL), nil, http.StatusOK)
		have[f.Name] = a.Body
	}
	for image := range b.images {
		want, err := os.ReadFile(filepath.Join(siteDirectory, filepath.FromSlash(image)))
		if err != nil {
			w.T.Fatal(err)
		}
		if got, ok := have[path.Base(image)]; !ok || string(got) != string(want) {
			w.T.Errorf("the image %s did not come in as it is (%d bytes, want %d)", image, len(got), len(want))
		}
	}
}

// TestImportRejectsInvalidRequests checks that an import that cannot start returns the invalid field and changes nothing.
func TestImportRejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	servertest.Story(t, func(t *testing.T, w *servertest.World) {
		w.AllowLoopback()
		web := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/broken.zip":
				_, _ = rw.Write([]byte("this is no archive"))
			case "/page.md":
				_, _ = rw.Write([]byte("# Page\n"))
			default:
				http.NotFound(rw, r)
			}
		}))
		defer web.Close()
		ref := w.NewRequest("editor", w.NewSpace().ID)
		for _, test := range []api.Import{
			{URL: web.URL + "/missing/", Source: api.ImportWebsite},
			{URL: web.URL + "/missing.md", Source: api.ImportMarkdown},
			{URL: web.URL + "/broken.zip", Source: api.ImportZip},
			{URL: "http://10.0.0.1/", Source: api.ImportWebsite},
			{URL: "http://169.254.169.254/latest/meta-data/", Source: api.ImportHTML},
			{URL: "http://user:secret@127.0.0.1/", Source: api.ImportWebsite},
			{URL: "ftp://127.0.0.1/", Source: api.ImportZip},
		} {
			w.WantUntouched(func() api.Error {
				e := servertest.Refused(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
					ChangeRequestRef: ref, Body: test,
				}, 422, api.ReasonInvalid)
				if len(e.Fields) != 1 || e.Fields[0].Path != "url" {
					t.Errorf("%s %s: fields %v", test.Source, test.URL, e.Fields)
				}
				if strings.Contains(e.Message, "secret") {
					t.Errorf("the error repeats a password: %s", e.Message)
				}
				return e
			})
		}
		w.WantUntouched(func() api.Error {
			e := servertest.Refused(w, "editor", api.ImportChangeRequestContent, api.ChangeRequestImportInput{
				ChangeRequestRef: ref, Body: api.Import{URL: web.URL, Source: "notion"},
			}, 422, api.ReasonInvalid)
			if len(e.Fields) != 1 || e.Fields[0].Path != "source" {
				t.Errorf("fields %v", e.Fields)
			}
			return e
		})
		good := api.Import{URL: web.URL + "/page.md", Source: api.ImportMarkdown}
		w.WantUntouched(func() api.Error {
			return servertest.Refused(w, "editor", api.ImportContent, api.ImportInput{Space: ref.Space, Body: good}, 409,
				api.ReasonSpaceLocked)
		})
		servertest.Do(w, "admin", api.UpdateSpace, api.UpdateSpaceInput{
			Space: ref.Space, Body: api.SpacePatch{EditMode: api.Some(api.EditLive)},
		})
		result := servertest.Do(w, "editor", api.ImportContent, api.ImportInput{Space: ref.Space, Body: good})
		servertest.Equal(t, "imported", 1, result.ImportedResources)
		result = servertest.Do(w, "editor", api.ImportContent, api.ImportInput{Space: ref.Space, Body: good})
		pages := servertest.Do(w, "reader", api.ListContentPages, api.GetContentInput{Space: ref.Space}).Pages
		servertest.Equal(t, "slugs", []string{"page", "page-2"}, []string{pages[0].Slug, pages[1].Slug})
		servertest.Equal(t, "revision", result.Revision,
			servertest.Do(w, "reader", api.GetSpace, api.GetSpaceInput{Space: ref.Space}).Revision)
	})
}

// setFetcher sets the fetcher of the world's server.
func setFetcher(w *servertest.World, f server.Fetcher) {
	w.T.Helper()
	w.Serve(func(o *server.Options) { o.Fetcher, o.Importer = f, importer.New(f, importer.Limits{}) })
}

// hookedWeb is a web that calls a hook during the first fetch.
type hookedWeb struct {
	servertest.Web
	hook func()
	done atomic.Bool
}

// GetUpTo implements server.Fetcher.
func (m *hookedWeb) GetUpTo(ctx context.Context, address string, maxBytes int64) (*fetch.Response, error) {
	if !m.done.Swap(true) {
		m.hook()
	}
	return m.Web.GetUpTo(ctx, address, maxBytes)
}
