package e2e

import (
	"bytes"
	"encoding/json"
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
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The site is the documentation of Python as Debian's package python3.11-doc installs it; WSD_TEST_SITE names another
// directory with a site of the same generator. With WSD_REQUIRE_SITE=1 it has to be there.
const (
	defaultSite = "/usr/share/doc/python3.11/html"
	minPages    = 200
	minWords    = 0.99 // of each page's main text
)

// The selectors are the test's own: what the generator writes around and into the text of a page.
const (
	mainText    = `div.body[role="main"]`
	decoration  = `a.headerlink, script, noscript, style`
	code        = `pre, dt.sig` // signatures too: Markdown has no links in code
	breadcrumbs = `div.related li.nav-item:not(.nav-item-0):not(.nav-item-this) > a`
)

// sitePage is what the test finds in a file of the site.
type sitePage struct {
	file   string // from the root of the site
	path   string // where it belongs in the space, by its breadcrumbs
	words  []string
	links  []string // files of the site that the main text links to
	images []string // files that the main text shows
}

// siteDirectory returns the root of the site, or ends the test.
func siteDirectory(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WSD_TEST_SITE")
	if dir == "" {
		dir = defaultSite
	}
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
		if os.Getenv("WSD_REQUIRE_SITE") == "1" {
			t.Fatalf("WSD_REQUIRE_SITE=1, but there is no site: %v", err)
		}
		t.Skipf("no documentation site to import (apt-get install python3.11-doc): %v", err)
	}
	return dir
}

// crawl reads every page that can be reached from the first one, without the importer.
func crawl(t *testing.T, dir string) map[string]*sitePage {
	t.Helper()
	pages, taken := map[string]*sitePage{}, map[string]bool{}
	for queue := []string{"index.html"}; len(queue) > 0; queue = queue[1:] {
		file := queue[0]
		if pages[file] != nil {
			continue
		}
		page, reachable := readSitePage(t, dir, file)
		if taken[page.path] {
			page.path += "-2"
		}
		taken[page.path] = true
		pages[file] = page
		queue = append(queue, reachable...)
	}
	return pages
}

// readSitePage returns a page and the pages that it leads to in any way.
func readSitePage(t *testing.T, dir, file string) (page *sitePage, reachable []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	page = &sitePage{file: file, path: sitePath(document, file)}
	reachable = targets(dir, file, document.Find("a"), "href", ".html")
	body := document.Find(mainText)
	body.Find(decoration).Remove()
	page.words = words(text(body.Nodes...))
	page.images = targets(dir, file, body.Find("img"), "src", "")
	body.Find(code).Remove()
	page.links = targets(dir, file, body.Find("a"), "href", ".html")
	return page, reachable
}

// targets returns the existing files of the site that an attribute points at.
func targets(dir, from string, selection *goquery.Selection, attribute, extension string) []string {
	var files []string
	selection.Each(func(_ int, s *goquery.Selection) {
		value, _ := s.Attr(attribute)
		link, err := url.Parse(value)
		if err != nil || link.IsAbs() || link.Host != "" || link.Path == "" || !strings.HasSuffix(link.Path, extension) {
			return
		}
		file := path.Join(path.Dir(from), link.Path)
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(file))); err == nil && filepath.IsLocal(file) {
			files = append(files, file)
		}
	})
	return files
}

// sitePath is the path of the page in the navigation: the slugs of what its breadcrumbs name, then its own.
func sitePath(document *goquery.Document, file string) string {
	var slugs []string
	document.Find("div.related").First().Find(strings.TrimPrefix(breadcrumbs, "div.related ")).Each(func(_ int, s *goquery.Selection) {
		href, _ := s.Attr("href")
		slugs = append(slugs, slug(path.Join(path.Dir(file), href)))
	})
	return path.Join(append(slugs, slug(file))...)
}

func slug(file string) string {
	name := strings.ToLower(strings.TrimSuffix(path.Base(file), ".html"))
	if name == "index" && path.Dir(file) != "." {
		name = path.Base(path.Dir(file))
	}
	return strings.Trim(strings.ReplaceAll(name, ".", "-"), "-_")
}

// blocks end a word, other elements do not.
var blocks = map[atom.Atom]bool{
	atom.Br: true, atom.Dd: true, atom.Div: true, atom.Dt: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.Li: true, atom.P: true, atom.Pre: true, atom.Td: true, atom.Th: true, atom.Tr: true,
}

// text is what a reader sees.
func text(nodes ...*html.Node) string {
	var b strings.Builder
	for _, root := range nodes {
		for n := range root.Descendants() {
			if n.Type == html.TextNode {
				b.WriteString(n.Data)
			} else if blocks[n.DataAtom] {
				b.WriteByte(' ')
			}
		}
	}
	return b.String()
}

var word = regexp.MustCompile(`[\pL\pN]+`)

func words(text string) []string { return word.FindAllString(text, -1) }

// missing returns the share of the words of want that have is without, counted as often as they occur.
func missing(want, have []string) (share float64, examples []string) {
	left := map[string]int{}
	for _, w := range have {
		left[w]++
	}
	lost := 0
	for _, w := range want {
		if left[w]--; left[w] < 0 {
			lost++
			examples = append(examples, w)
		}
	}
	return float64(lost) / float64(max(len(want), 1)), examples[:min(len(examples), 10)]
}

// importedPage is a page as wsctl shows it.
type importedPage struct {
	ID    string         `json:"id"`
	Path  string         `json:"path"`
	Title string         `json:"title"`
	Pages []importedPage `json:"pages"`
}

// TestImportOfARealSite imports a documentation site into a change request, merges it and reads every page back.
func TestImportOfARealSite(t *testing.T) {
	t.Parallel()
	dir := siteDirectory(t)
	site := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer site.Close()
	d, stop, err := startDemo(binary(t, "wsd"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(); err != nil {
			t.Error(err)
		}
	}()
	c := client{binary(t, "wsctl"), d.URL, d.Token, t.TempDir()}
	space, notes := importSite(t, c, site.URL)

	want := crawl(t, dir)
	if len(want) < minPages {
		t.Fatalf("the site has only %d pages", len(want))
	}
	have := byPath(t, c, space)
	for file, page := range want {
		if tooLarge(notes, site.URL+"/"+file) {
			delete(want, file) // said by name in the answer, see importSite
			continue
		}
		if _, found := have[page.path]; !found {
			t.Errorf("%s is not at %s", file, page.path)
			delete(want, file)
		}
	}
	if len(have) != len(want) {
		t.Errorf("%d pages came in, the site has %d", len(have), len(want))
	}
	comparePages(t, c, space, want, have)
	compareFiles(t, c, space, want)
}

// importSite imports, merges and returns the space and what the import said about what it left out.
func importSite(t *testing.T, c client, start string) (space, notes string) {
	t.Helper()
	ctx := t.Context()
	space = c.word(ctx, t, "spaces", "create", "--title", "Python", "-o", "json", "--jq", ".id")
	request := c.word(ctx, t, "change-requests", "create", "--space", space, "--subject", "Import", "-o", "json", "--jq", ".number")
	out := c.run(ctx, t, "", "content", "import", start+"/index.html", "--space", space, "--change-request", request, "-o", "json")
	var result struct {
		Imported int      `json:"importedResources"`
		Total    int      `json:"totalResources"`
		Notes    []string `json:"notes"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d resources; notes: %q", result.Imported, result.Total, result.Notes)
	if left := result.Total - result.Imported; left > len(result.Notes) {
		t.Errorf("%d resources are missing, but only %d notes say why", left, len(result.Notes))
	}
	c.run(ctx, t, "", "change-requests", "merge", request, "--space", space)
	return space, strings.Join(result.Notes, "\n")
}

// tooLarge reports whether the import left a page out for its size, which is limited to 1 MiB of Markdown.
func tooLarge(notes, address string) bool {
	return strings.Contains(notes, address+": its text of ")
}

// byPath reads the tree. The first page is that of the site, whose path is made of its title.
func byPath(t *testing.T, c client, space string) map[string]importedPage {
	t.Helper()
	var tree struct {
		Pages []importedPage `json:"pages"`
	}
	if err := json.Unmarshal([]byte(c.run(t.Context(), t, "", "content", "list-pages", "--space", space, "-o", "json")), &tree); err != nil {
		t.Fatal(err)
	}
	pages := map[string]importedPage{}
	var walk func(list []importedPage)
	walk = func(list []importedPage) {
		for _, p := range list {
			pages[p.Path] = p
			walk(p.Pages)
		}
	}
	walk(tree.Pages)
	if len(tree.Pages) > 0 {
		delete(pages, tree.Pages[0].Path)
		pages["index"] = tree.Pages[0]
	}
	return pages
}

// comparePages reads every page back, a few at a time.
func comparePages(t *testing.T, c client, space string, want map[string]*sitePage, have map[string]importedPage) {
	t.Helper()
	var wait sync.WaitGroup
	turn := make(chan struct{}, 4)
	for _, page := range want {
		wait.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			markdown, err := c.output(t.Context(), "content", "get-page", have[page.path].ID, "--space", space, "--raw")
			if err != nil {
				t.Errorf("%s: %v", page.file, err)
				return
			}
			comparePage(t, page, markdown, want, have)
		})
	}
	wait.Wait()
}

func comparePage(t *testing.T, page *sitePage, markdown string, want map[string]*sitePage, have map[string]importedPage) {
	t.Helper()
	if share, examples := missing(page.words, words(markdown)); share > 1-minWords {
		t.Errorf("%s: %.1f %% of %d words are missing: %q", page.file, 100*share, len(page.words), examples)
	}
	slices.Sort(page.links)
	for _, target := range slices.Compact(page.links) {
		other := want[target]
		if other != nil && target != page.file && !strings.Contains(markdown, "/pages/"+have[other.path].ID) {
			t.Errorf("%s: the link to %s does not lead to the page", page.file, target)
		}
	}
	if n := strings.Count(markdown, "](/files/"); n < len(page.images) {
		t.Errorf("%s: %d images, but only %d lead to files", page.file, len(page.images), n)
	}
}

// compareFiles holds that every image of the site is a file.
func compareFiles(t *testing.T, c client, space string, want map[string]*sitePage) {
	t.Helper()
	var names []string
	out := c.run(t.Context(), t, "", "content", "list-files", "--space", space, "--limit", "1000", "-o", "json", "--jq", "[.[].name]")
	if err := json.Unmarshal([]byte(out), &names); err != nil {
		t.Fatal(err)
	}
	for _, page := range want {
		for _, image := range page.images {
			if !slices.Contains(names, path.Base(image)) {
				t.Errorf("%s shows %s, which is not a file", page.file, image)
			}
		}
	}
}

func TestMissingWords(t *testing.T) {
	t.Parallel()
	share, examples := missing(words("one two two three"), words("three, two; one"))
	if got := fmt.Sprint(share, examples); got != "0.25 [two]" {
		t.Errorf("got %s", got)
	}
}
