package importer

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/temoto/robotstxt"

	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/text/content"
)

const (
	// fetchers work on one site at the same time.
	fetchers = 4
	// A wave of candidates is fetched together and taken in order, so that the
	// result does not depend on which answer came first.
	waveSize = 32
	// maxKnown resources of one site are remembered; a site that makes up links has
	// no end.
	maxKnown = 50_000
	// maxNotes of one kind of trouble are told one by one.
	maxNotes = 100
)

// candidate is a resource that was discovered and not yet fetched.
type candidate struct {
	key string
	url *url.URL
}

// webPage is one page of the site.
type webPage struct {
	key         string
	base        string // key of the start URL's directory
	depth       int    // directories between base and the page
	at          *url.URL
	body        []byte
	contentType string
	nav         navigation
	edges       []edge // where all of its body is its text
	node        *Page
	fault       string // why its text cannot be taken, found by the conversion
}

// fetched is what became of a candidate.
type fetched struct {
	candidate
	final string // key that answered, another one after a redirect
	err   error
	page  *webPage
	links []link
	// images are those that the page carries in its text.
	images []inlineImage
	file   *File
	note   string
	size   int
	stray  bool // redirected out of the site, or to what robots.txt forbids
}

// crawl is one breadth-first walk over a site.
type crawl struct {
	importer *Importer
	req      Request
	limits   Limits
	scope    scope
	rules    *robotstxt.Group
	follow   func(link, scope) bool

	queue   []candidate
	known   map[string]bool   // keys ever queued
	alias   map[string]string // redirected keys
	taken   map[string]bool   // keys that came in
	pages   []*webPage        // in the order of discovery
	files   []*File
	lastNav []navItem         // the site's own list as the page before had it
	targets map[string]string // key -> stable link, for the conversion

	repeated map[edge]bool // what the site has at the edges of its pages

	total, done int
	left        int64 // bytes that may still come in
	stopped     bool
	full        bool       // there are more pages than may come in
	cut         bool       // there is more than came in, as a limit was reached
	unread      []Unread   // what is there and could not be taken
	absent      []*webPage // the pages among them, as groups: those below them have their place
	notes       []string
	unsaid      int // notes beyond maxNotes

	coming sync.Mutex // of what follows: answers come in parallel
	came   int64      // bytes that came in, those that are not taken among them
	held   error      // why there is no room for more
}

func newCrawl(i *Importer, req Request, at *url.URL, rules *robotstxt.Group, follow func(link, scope) bool) *crawl {
	key := pageKey(at)
	return &crawl{
		importer: i, req: req, limits: i.limits, scope: newScope(at), rules: rules, follow: follow,
		known: map[string]bool{key: true}, alias: map[string]string{}, taken: map[string]bool{},
		targets: map[string]string{}, total: 1, left: i.limits.TotalBytes,
	}
}

// run fetches until nothing is left, or a limit is reached. Reaching one keeps what
// came in; only the caller's own context ends the import.
func (c *crawl) run(ctx context.Context) error {
	timed, cancel := context.WithTimeout(ctx, c.limits.Time)
	defer cancel()
	for len(c.queue) > 0 && !c.stopped {
		wave := c.nextWave()
		for _, result := range c.fetchAll(timed, wave) {
			c.take(result)
		}
		if c.held != nil && timed.Err() == nil {
			return c.held
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if timed.Err() != nil {
			c.stop("it stopped after %s", c.limits.Time)
		}
		c.req.Progress(c.done, c.total)
	}
	return nil
}

// nextWave takes candidates from the queue; once there are enough pages only files
// are still fetched.
func (c *crawl) nextWave() []candidate {
	n := min(waveSize, len(c.queue))
	wave := c.queue[:n:n]
	c.queue = c.queue[n:]
	if len(c.pages) < c.limits.Pages {
		return wave
	}
	files := slices.DeleteFunc(wave, func(next candidate) bool { return kindOf(next.url) != kindFile })
	if len(files) < n {
		c.tooMany()
	}
	return files
}

// fetchAll fetches and reads a wave in parallel; the results are in its order.
func (c *crawl) fetchAll(ctx context.Context, wave []candidate) []fetched {
	results := make([]fetched, len(wave))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(fetchers, len(wave)) {
		workers.Go(func() {
			for n := range next {
				resp, err := c.get(ctx, wave[n])
				if err != nil {
					results[n] = fetched{candidate: wave[n], err: err}
					continue
				}
				results[n] = c.open(wave[n], resp)
			}
		})
	}
	for n := range wave {
		next <- n
	}
	close(next)
	workers.Wait()
	return results
}

// get fetches a candidate, if there is room, and room for what came in.
func (c *crawl) get(ctx context.Context, from candidate) (*fetch.Response, error) {
	if err := c.hold(ctx, 0); err != nil {
		return nil, err
	}
	resp, err := c.importer.fetcher.GetUpTo(ctx, fetchURL(from.url), c.limits.ResourceSize)
	if err == nil {
		err = c.hold(ctx, len(resp.Body))
	}
	return resp, err
}

// hold waits until there is room for what came in.
func (c *crawl) hold(ctx context.Context, bytes int) error {
	c.coming.Lock()
	defer c.coming.Unlock()
	c.came += int64(bytes)
	if c.held == nil {
		c.held = c.req.Hold(ctx, c.came)
	}
	return c.held
}

// open reads an answer; it changes nothing of the crawl, so that answers can be read
// in parallel.
func (c *crawl) open(from candidate, resp *fetch.Response) (f fetched) {
	f = fetched{candidate: from, final: from.key, size: len(resp.Body)}
	defer func() {
		if recover() != nil {
			f = fetched{candidate: from, final: from.key, err: errors.New(brokenHTML)}
		}
	}()
	at, err := url.Parse(resp.URL)
	if err != nil {
		f.err = err
		return f
	}
	f.final = pageKey(at)
	f.stray = !c.scope.site(at) || !allowed(c.rules, at)
	switch {
	case f.stray:
	case isHTML(resp.ContentType, resp.Body):
		if f.stray = !c.scope.page(at); !f.stray {
			c.openPage(&f, at, resp)
		}
	case kindOf(at) != kindNever:
		f.file = &File{Name: fileName(at), ContentType: fileType(resp), Data: resp.Body, Source: fetchURL(at), Path: sitePath(at), OID: content.BlobID(resp.Body)}
	}
	return f
}

func (c *crawl) openPage(f *fetched, at *url.URL, resp *fetch.Response) {
	doc, err := parse(resp.Body, resp.ContentType, at)
	if err != nil {
		f.err = err
		return
	}
	main := doc.mainContent()
	f.note = doc.note
	f.links = doc.links(main)
	f.images = inlineImages(main, fetchURL(at), c.limits.ResourceSize)
	f.page = c.placeOf(f.final, at, &Page{Title: doc.title(main), Description: doc.description(), Source: fetchURL(at), Path: sitePath(at), OID: content.BlobID(resp.Body)})
	f.page.body, f.page.contentType, f.page.nav = resp.Body, resp.ContentType, doc.navigation()
	if main.Is("body") {
		for _, n := range edges(main.Get(0)) {
			f.page.edges = append(f.page.edges, edgeOf(n))
		}
	}
}

// take adds what became of a candidate to the crawl, one after the other.
func (c *crawl) take(f fetched) {
	c.done++
	if f.final != "" && f.final != f.key {
		c.alias[f.key] = f.final
	}
	switch {
	case f.stray || (c.taken[f.final] && f.err == nil):
		c.total-- // another name of something else
	case f.err != nil:
		c.note("%s: %s", fetchURL(f.url), reason(f.err))
		c.miss(f.key, f.url, f.err)
	case int64(f.size) > c.left:
		c.stop("it stopped at %d bytes", c.limits.TotalBytes)
	case f.page != nil && len(c.pages) >= c.limits.Pages:
		c.tooMany()
	case f.page != nil:
		c.takePage(f)
	case f.file != nil:
		c.takeFile(f)
	default:
		c.total--
	}
}

func (c *crawl) takePage(f fetched) {
	c.left -= int64(f.size)
	c.taken[f.final] = true
	if sameNav(c.lastNav, f.page.nav.site) {
		f.page.nav.site = nil // most sites repeat it on every page
	} else {
		c.lastNav = f.page.nav.site
	}
	c.pages = append(c.pages, f.page)
	if f.note != "" {
		c.note("%s", f.note)
	}
	for _, image := range f.images {
		if c.targets[image.key] == "" {
			c.total++
			c.takeFile(fetched{candidate: f.candidate, final: image.key, file: image.file})
		}
	}
	refused := 0
	for _, l := range f.links {
		key := pageKey(l.url)
		if c.known[key] || !c.follow(l, c.scope) {
			continue
		}
		if len(c.known) >= maxKnown {
			c.stop("it links to more than %d resources", maxKnown)
			return
		}
		c.known[key] = true
		c.total++
		if !allowed(c.rules, l.url) {
			refused++
			c.miss(key, l.url, nil)
			continue
		}
		c.queue = append(c.queue, candidate{key: key, url: l.url})
	}
	if refused > 0 {
		c.note("%s: robots.txt forbids %d of its links", f.page.at, refused)
	}
}

func (c *crawl) takeFile(f fetched) {
	if len(c.files) >= c.limits.Files {
		c.note("%s: there are more than %d files", fetchURL(f.url), c.limits.Files)
		c.cut = true
		return
	}
	c.left -= int64(f.size)
	c.taken[f.final] = true
	f.file.ID = c.req.NewID("f_")
	c.files = append(c.files, f.file)
	c.targets[f.final] = "/files/" + f.file.ID
}

// resolveKey follows a redirect that was seen.
func (c *crawl) resolveKey(key string) string {
	if final, ok := c.alias[key]; ok {
		return final
	}
	return key
}

// tooMany tells once that pages were left out.
func (c *crawl) tooMany() {
	if !c.full {
		c.full, c.cut = true, true
		c.notes = append(c.notes, fmt.Sprintf("%s: there are more than %d pages; files still come in", c.scope, c.limits.Pages))
	}
}

func (c *crawl) stop(format string, args ...any) {
	if !c.stopped {
		c.stopped, c.cut = true, true
		c.notes = append(c.notes, c.scope.String()+": "+fmt.Sprintf(format, args...)+"; what came in until then is kept")
	}
}

func (c *crawl) note(format string, args ...any) {
	if len(c.notes) >= maxNotes {
		c.unsaid++
		return
	}
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *crawl) allNotes() []string {
	if c.unsaid > 0 {
		return append(c.notes, fmt.Sprintf("and %d notes more", c.unsaid))
	}
	return c.notes
}

// isHTML goes by the declared type, else by the first bytes.
func isHTML(contentType string, body []byte) bool {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "text/html" || media == "application/xhtml+xml"
}

// fileType is the declared type without its parameters, else what the bytes look like.
func fileType(resp *fetch.Response) string {
	if media, _, err := mime.ParseMediaType(resp.ContentType); err == nil {
		return media
	}
	return http.DetectContentType(resp.Body)
}

// pageExt is the extension of a page's name. A number is a version, not an extension.
func pageExt(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp":
		return ext
	}
	return ""
}
