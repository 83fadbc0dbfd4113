package e2e

import (
	"bytes"
	"cmp"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html/atom"
)

// site is the documentation site of a Debian package with selectors for the pages of its generator. They are
// independent of those of the importer.
type site struct {
	name, generator, dir, pkg string
	start                     string // the first page
	source                    string // source type for the importer; empty for a website
	hasPaths                  bool   // the paths of pages are known
	minPages                  int
	contents                  string // page with the tree of all pages; empty if it is the first
	main                      string // selector of the text of a page
	decoration                string // selector of elements in main that are not text
	code                      string // selector of code and signatures; Markdown has no links in code
	parent                    string // selector of the link to the parent page, which is the last match; may be empty
}

var sites = []site{
	{
		name: "Python", generator: "Sphinx", hasPaths: true, dir: "/usr/share/doc/python3.11/html", pkg: "python3.11-doc", minPages: 500,
		contents:   "contents.html",
		main:       `div.body[role="main"]`,
		decoration: `a.headerlink, script, noscript, style`,
		code:       `pre, dt.sig`,
		parent:     `div.related li.nav-item:not(.nav-item-0):not(.nav-item-this) > a`,
	},
	{
		name: "PostgreSQL", generator: "DocBook", hasPaths: true, dir: "/usr/share/doc/postgresql-doc-15/html", pkg: "postgresql-doc-15",
		minPages: 1_100,
		main:     `body > div:not(.navheader):not(.navfooter)`,
		code:     `pre`,
		parent:   `div.navheader a[accesskey="u"]`,
	},
	{
		name: "Git", generator: "AsciiDoc", hasPaths: true, dir: "/usr/share/doc/git/html", pkg: "git-doc", minPages: 200,
		main:       `body`,
		decoration: `div#footer, div#toc, script, style`,
		code:       `pre`,
	},
	{
		name: "FFTW", generator: "Texinfo", dir: "/usr/share/doc/libfftw3-dev/html", pkg: "libfftw3-doc", minPages: 100,
		main:       `body`,
		decoration: `div.header, a.copiable-anchor, script, style`,
		code:       `pre`,
	},
	{
		name: "M4", generator: "Texinfo", dir: "/usr/share/doc/m4", pkg: "m4-doc", minPages: 100,
		main:       `body`,
		decoration: `div.header, a.copiable-anchor, script, style`,
		code:       `pre`,
	},
	{
		name: "Autoconf", generator: "Texinfo", dir: "/usr/share/doc/autoconf", pkg: "autoconf-doc", start: "autoconf.html", minPages: 1,
		main:       `body`,
		decoration: `div.header, a.copiable-anchor, script, style`,
		code:       `pre`,
	},
	{
		name: "Opus", generator: "Doxygen", dir: "/usr/share/doc/libopus-dev/html", pkg: "libopus-doc", minPages: 10,
		main:       `body`,
		decoration: `#top, hr.footer, hr.footer ~ table, address.footer, span.lineno, script, style`,
		code:       `pre, div.fragment`,
	},
	{
		name: "libusb", generator: "Doxygen", dir: "/usr/share/doc/libusb-1.0-doc/api-1.0", pkg: "libusb-1.0-doc", minPages: 20,
		main:       `body`,
		decoration: `#top, hr.footer, hr.footer ~ table, address.footer, span.lineno, script, style`,
		code:       `pre, div.fragment`,
	},
	{
		name: "Lua", generator: "by hand", dir: "/usr/share/doc/lua5.1-doc/doc", pkg: "lua5.1-doc", minPages: 3,
		main:       `body`,
		decoration: `script, style`,
		code:       `pre`,
	},
	{
		name: "SQLite", generator: "by hand", dir: "/usr/share/doc/sqlite3", pkg: "sqlite3-doc", minPages: 500,
		main:       `body`,
		decoration: `body > div.nosearch:first-of-type, button, input, svg, script, style`,
		code:       `pre, svg`,
	},
}

// sitesVariable lists start pages of further sites, separated as in PATH. Each may be followed by a selector of the
// text: /usr/share/doc/x/html/index.html=main.
const sitesVariable = "WSD_TEST_SITES"

// allSites returns the sites of this package and those listed in sitesVariable.
func allSites() []site {
	all := slices.Clone(sites)
	for _, other := range filepath.SplitList(os.Getenv(sitesVariable)) {
		start, main, _ := strings.Cut(other, "=")
		name := strings.ReplaceAll(filepath.Dir(start), "/", "-")
		all = append(all, site{
			name: name[max(0, len(name)-50):], generator: filepath.Base(start), dir: filepath.Dir(start),
			start: filepath.Base(start), pkg: start,
			main: cmp.Or(main, `body`), decoration: `script, style, noscript, nav, header, footer, svg, a.headerlink, table.navigation`,
			code: `pre`,
		})
	}
	for i := range all {
		all[i].start = cmp.Or(all[i].start, "index.html")
	}
	return all
}

// requireSiteVariable is the environment variable that, if it is 1, makes a test fail instead of being skipped when a site is
// not installed.
const requireSiteVariable = "WSD_REQUIRE_SITE"

// require skips the test if the site is not installed, or fails it if requireSiteVariable is 1.
func (s site) require(t *testing.T) {
	t.Helper()
	_, err := os.Stat(filepath.Join(s.dir, s.start))
	switch {
	case err == nil:
	case os.Getenv(requireSiteVariable) == "1":
		t.Fatalf("%s=1, but the site of %s is not there: %v", requireSiteVariable, s.pkg, err)
	default:
		t.Skipf("no documentation site to import (apt-get install %s): %v", s.pkg, err)
	}
}

// sitePage is a page of the site.
type sitePage struct {
	file      string // from the root of the site
	parent    string // file of the parent page, or ""
	path      string // expected path in the space
	words     []string
	links     []siteLink // links of the text
	codeLinks int        // number of links in code
	body      runningText
	images    []string // files of images in the text
}

// crawl returns all pages that are reachable from the start page, without using the importer.
func (s site) crawl(t *testing.T) map[string]*sitePage {
	t.Helper()
	pages, taken := map[string]*sitePage{}, map[string]bool{}
	var files []string
	for queue := []string{s.start}; len(queue) > 0; queue = queue[1:] {
		file := queue[0]
		if pages[file] != nil {
			continue
		}
		page, reachable := s.read(t, file)
		pages[file] = page
		files = append(files, file)
		queue = append(queue, reachable...)
	}
	for _, file := range files {
		page := pages[file]
		if page.path = s.path(pages, page); taken[page.path] {
			page.path += "-2"
		}
		taken[page.path] = true
	}
	return pages
}

// read parses a page of the site and returns it with the files of the pages that it links to. It fails the test if the file
// cannot be read.
func (s site) read(t *testing.T, file string) (page *sitePage, reachable []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(s.dir, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	document, err := goquery.NewDocumentFromReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	page = &sitePage{file: file}
	if s.parent != "" {
		if above := s.targets(file, document.Find(s.parent), "href", ".html"); len(above) > 0 {
			page.parent = above[len(above)-1]
		}
	}
	for _, l := range s.links(file, document.Find("a")) {
		if path.Ext(l.file) == ".html" || path.Ext(l.file) == ".htm" {
			reachable = append(reachable, l.file)
		}
	}
	body := document.Find(s.main)
	page.body = newRunningText(document.Nodes[0], body, body.Find(s.decoration))
	body.Find(s.decoration).Remove()
	page.words = words(page.body.text)
	page.images = append(s.targets(file, body.Find("img"), "src", ""), s.targets(file, body.Find("object"), "data", "")...)
	inCode := len(s.links(file, body.Find(s.code).Find("a")))
	body.Find(s.code).Remove()
	page.links, page.codeLinks = s.links(file, body.Find("a")), inCode
	return page, reachable
}

// targets returns the existing files of the site that an attribute refers to.
func (s site) targets(from string, selection *goquery.Selection, attribute, extension string) []string {
	var files []string
	selection.Each(func(_ int, element *goquery.Selection) {
		value, _ := element.Attr(attribute)
		link, err := url.Parse(value)
		if err != nil || link.IsAbs() || link.Host != "" || link.Path == "" || !strings.HasSuffix(link.Path, extension) {
			return
		}
		file := path.Join(path.Dir(from), link.Path)
		if _, err := os.Stat(filepath.Join(s.dir, filepath.FromSlash(file))); err == nil && filepath.IsLocal(file) {
			files = append(files, file)
		}
	})
	return files
}

// path returns the expected path of a page: below its parent page, unless that is the start page, or below its directory if the
// site has no links to parent pages.
func (s site) path(pages map[string]*sitePage, page *sitePage) string {
	switch above := pages[page.parent]; {
	case s.parent == "":
		return path.Join(path.Dir(page.file), slug(page.file))
	case above == nil || above.file == "index.html":
		return slug(page.file)
	default:
		return path.Join(s.path(pages, above), slug(page.file))
	}
}

// slug returns the last element of the path of a page: the name of its file or directory.
func slug(file string) string {
	name := strings.ToLower(strings.TrimSuffix(path.Base(file), ".html"))
	if name == "index" && path.Dir(file) != "." {
		name = path.Base(path.Dir(file))
	}
	return strings.Trim(dashes.ReplaceAllString(name, "-"), "-_")
}

var dashes = regexp.MustCompile(`[.-]+`)

// blockElements holds the elements that separate words.
var blockElements = map[atom.Atom]bool{
	atom.Br: true, atom.Dd: true, atom.Div: true, atom.Dt: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true,
	atom.Li: true, atom.P: true, atom.Pre: true, atom.Td: true, atom.Th: true, atom.Tr: true,
}

var word = regexp.MustCompile(`[\pL\pN]+`)

func words(text string) []string { return word.FindAllString(text, -1) }

// countMissing returns the number of words of want that are missing from have, counting repetitions, with examples.
func countMissing(want, have []string) (lost int, examples []string) {
	remaining := map[string]int{}
	for _, w := range have {
		remaining[w]++
	}
	for _, w := range want {
		if remaining[w]--; remaining[w] < 0 {
			lost++
			examples = append(examples, w)
		}
	}
	return lost, examples[:min(len(examples), 10)]
}
