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

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/text/content"
)

const (
	// fetchers is the number of concurrent requests to a site.
	fetchers = 4
	// batchSize is the number of candidates fetched together. They are processed in order, so that the result does not
	// depend on the order of the responses.
	batchSize = 32
	// maxResources limits the resources of one site, since a site may generate links without end.
	maxResources = 50_000
	// maxNotes limits the notes of one kind that are listed individually.
	maxNotes = 100
)

// candidate is a discovered resource that is not yet fetched.
type candidate struct {
	key string
	url *url.URL
}

// webPage is one page of the site.
type webPage struct {
	key         string
	base        string // key of the start URL's directory
	depth       int    // directories between base and the page
	url         *url.URL
	body        []byte
	contentType string
	nav         navigation
	edges       []edge // set if the whole body is the main content
	node        *Page
	fault       string // reason why the conversion failed
}

// fetchResult is the result of fetching a candidate.
type fetchResult struct {
	candidate
	finalKey string // key of the response's URL, different after a redirect
	err      error
	page     *webPage
	links    []link
	// images are the images that the page contains as data: URLs.
	images   []inlineImage
	file     *File
	note     string
	notes    []string // about references of a document that was not fetched
	size     int
	leftSite bool // redirected out of the site, or to a URL that robots.txt disallows
}

// crawl is a breadth-first traversal of a site.
type crawl struct {
	importer *Importer
	req      Request
	limits   Limits
	scope    scope
	rules    *robotstxt.Group
	follow   func(link, scope) bool

	queue     []candidate
	known     map[string]bool   // keys ever queued
	redirects map[string]string // redirect target by key
	imported  map[string]bool   // keys of fetched resources
	pages     []*webPage        // in the order of discovery
	files     []*File
	lastNav   []navItem         // the site's navigation in the previous page
	targets   map[string]string // key -> stable link, for the conversion

	repeated map[edge]bool // elements that the site repeats at the edges of its pages

	total, done      int
	remaining        int64 // remaining bytes of the limit
	stopped          bool
	pageLimitReached bool       // the limit of pages is reached and there are more
	truncated        bool       // the result is incomplete because a limit was reached
	unread           []Unread   // resources that exist but could not be read
	absentPages      []*webPage // the pages in unread, kept as groups for the position of their children
	notes            []string
	omittedNotes     int // number of notes beyond maxNotes

	mu         sync.Mutex // guards the fields below, which concurrent fetches use
	received   int64      // bytes received, including those of discarded responses
	reserveErr error      // error of Request.ReserveMemory
}

func newCrawl(i *Importer, req Request, at *url.URL, rules *robotstxt.Group, follow func(link, scope) bool) *crawl {
	key := pageKey(at)
	return &crawl{
		importer: i, req: req, limits: i.limits, scope: newScope(at), rules: rules, follow: follow,
		known: map[string]bool{key: true}, redirects: map[string]string{}, imported: map[string]bool{},
		targets: map[string]string{}, total: 1, remaining: i.limits.TotalBytes,
	}
}

// run fetches until the queue is empty or a limit is reached, and keeps the resources fetched so far. It returns an
// error only if the caller's context is cancelled.
func (c *crawl) run(ctx context.Context) error {
	timed, cancel := context.WithTimeout(ctx, c.limits.Time)
	defer cancel()
	for len(c.queue) > 0 && !c.stopped {
		wave := c.nextBatch()
		for _, result := range c.fetchAll(timed, wave) {
			c.add(result)
		}
		if c.reserveErr != nil && timed.Err() == nil {
			return c.reserveErr
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

// nextBatch returns the next candidates of the queue. After the limit of pages is reached, only files are fetched.
func (c *crawl) nextBatch() []candidate {
	n := min(batchSize, len(c.queue))
	wave := c.queue[:n:n]
	c.queue = c.queue[n:]
	if len(c.pages) < c.limits.Pages {
		return wave
	}
	files := slices.DeleteFunc(wave, func(next candidate) bool { return kindOf(next.url) != kindFile })
	if len(files) < n {
		c.noteTooManyPages()
	}
	return files
}

// fetchAll fetches and parses a wave in parallel and returns the results in its order.
func (c *crawl) fetchAll(ctx context.Context, wave []candidate) []fetchResult {
	results := make([]fetchResult, len(wave))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(fetchers, len(wave)) {
		workers.Go(func() {
			for n := range next {
				resp, err := c.get(ctx, wave[n])
				if err != nil {
					results[n] = fetchResult{candidate: wave[n], err: err}
					continue
				}
				results[n] = c.parseResponse(wave[n], resp)
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

// get fetches a candidate after reserving memory for it.
func (c *crawl) get(ctx context.Context, from candidate) (*fetch.Response, error) {
	if err := c.reserve(ctx, 0); err != nil {
		return nil, err
	}
	resume := budgets.PauseWork(ctx)
	resp, err := c.importer.fetcher.GetUpTo(ctx, requestURL(from.url), c.limits.ResourceSize)
	resume()
	if err == nil {
		err = c.reserve(ctx, len(resp.Body))
	}
	return resp, err
}

// reserve waits until memory for received bytes is available.
func (c *crawl) reserve(ctx context.Context, bytes int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received += int64(bytes)
	if c.reserveErr == nil {
		c.reserveErr = c.req.ReserveMemory(ctx, c.received)
	}
	return c.reserveErr
}

// parseResponse parses a response. It does not modify the crawl, so responses can be parsed in parallel.
func (c *crawl) parseResponse(from candidate, resp *fetch.Response) (f fetchResult) {
	f = fetchResult{candidate: from, finalKey: from.key, size: len(resp.Body)}
	defer func() {
		if recover() != nil {
			f = fetchResult{candidate: from, finalKey: from.key, err: errors.New(brokenHTML)}
		}
	}()
	at, err := url.Parse(resp.URL)
	if err != nil {
		f.err = err
		return f
	}
	f.finalKey = pageKey(at)
	f.leftSite = !c.scope.sameSite(at) || !isAllowed(c.rules, at)
	switch {
	case f.leftSite:
	case isHTML(resp.ContentType, resp.Body):
		if f.leftSite = !c.scope.isPage(at); !f.leftSite {
			c.parsePage(&f, at, resp)
		}
	case kindOf(at) != kindAsset:
		f.file = &File{
			Name: fileName(at), ContentType: fileType(resp), Data: resp.Body, Source: requestURL(at), Path: sitePath(at),
			OID: content.BlobID(resp.Body),
		}
	}
	return f
}

func (c *crawl) parsePage(f *fetchResult, at *url.URL, resp *fetch.Response) {
	doc, err := parse(resp.Body, resp.ContentType, at)
	if err != nil {
		f.err = err
		return
	}
	main := doc.mainContent()
	f.note = doc.note
	f.links = doc.links(main)
	if at.Host == "" {
		f.notes = doc.unfetchedReferences(main)
	}
	f.images = inlineImages(main, requestURL(at), c.limits.ResourceSize)
	f.page = c.newPage(f.finalKey, at, &Page{
		Title: doc.title(main), Description: doc.description(), Source: requestURL(at), Path: sitePath(at), OID: content.BlobID(resp.Body),
	})
	f.page.body, f.page.contentType, f.page.nav = resp.Body, resp.ContentType, doc.navigation()
	if main.Is("body") {
		for _, n := range edges(main.Get(0)) {
			f.page.edges = append(f.page.edges, hashEdge(n))
		}
	}
}

// add adds the result of a fetch to the crawl. Results are added sequentially.
func (c *crawl) add(f fetchResult) {
	c.done++
	if f.finalKey != "" && f.finalKey != f.key {
		c.redirects[f.key] = f.finalKey
	}
	switch {
	case f.leftSite || (c.imported[f.finalKey] && f.err == nil):
		c.total-- // a duplicate of another resource
	case f.err != nil:
		c.note("%s: %s", requestURL(f.url), reason(f.err))
		c.addUnread(f.key, f.url, f.err)
	case int64(f.size) > c.remaining:
		c.stop("it stopped at %d bytes", c.limits.TotalBytes)
	case f.page != nil && len(c.pages) >= c.limits.Pages:
		c.noteTooManyPages()
	case f.page != nil:
		c.addPage(f)
	case f.file != nil:
		c.addFile(f)
	default:
		c.total--
	}
}

func (c *crawl) addPage(f fetchResult) {
	c.remaining -= int64(f.size)
	c.imported[f.finalKey] = true
	if sameNav(c.lastNav, f.page.nav.site) {
		f.page.nav.site = nil // most sites repeat it on every page
	} else {
		c.lastNav = f.page.nav.site
	}
	c.pages = append(c.pages, f.page)
	if f.note != "" {
		c.note("%s", f.note)
	}
	for _, note := range f.notes {
		c.note("%s", note)
	}
	for _, image := range f.images {
		if c.targets[image.key] == "" {
			c.total++
			c.addFile(fetchResult{candidate: f.candidate, finalKey: image.key, file: image.file})
		}
	}
	refused := 0
	for _, l := range f.links {
		key := pageKey(l.url)
		if c.known[key] || !c.follow(l, c.scope) {
			continue
		}
		if len(c.known) >= maxResources {
			c.stop("it links to more than %d resources", maxResources)
			return
		}
		c.known[key] = true
		c.total++
		if !isAllowed(c.rules, l.url) {
			refused++
			c.addUnread(key, l.url, nil)
			continue
		}
		c.queue = append(c.queue, candidate{key: key, url: l.url})
	}
	if refused > 0 {
		c.note("%s: robots.txt forbids %d of its links", f.page.url, refused)
	}
}

func (c *crawl) addFile(f fetchResult) {
	if len(c.files) >= c.limits.Files {
		c.note("%s: there are more than %d files", requestURL(f.url), c.limits.Files)
		c.truncated = true
		return
	}
	c.remaining -= int64(f.size)
	c.imported[f.finalKey] = true
	f.file.ID = c.req.NewID("f_")
	c.files = append(c.files, f.file)
	c.targets[f.finalKey] = "/files/" + f.file.ID
}

// resolveKey follows a known redirect.
func (c *crawl) resolveKey(key string) string {
	if final, ok := c.redirects[key]; ok {
		return final
	}
	return key
}

// noteTooManyPages marks the result as truncated because of the limit of pages, with one note for the whole crawl.
func (c *crawl) noteTooManyPages() {
	if !c.pageLimitReached {
		c.pageLimitReached, c.truncated = true, true
		c.notes = append(c.notes, fmt.Sprintf("%s: there are more than %d pages; files still come in", c.scope, c.limits.Pages))
	}
}

func (c *crawl) stop(format string, args ...any) {
	if !c.stopped {
		c.stopped, c.truncated = true, true
		c.notes = append(c.notes, c.scope.String()+": "+fmt.Sprintf(format, args...)+"; what came in until then is kept")
	}
}

func (c *crawl) note(format string, args ...any) {
	if len(c.notes) >= maxNotes {
		c.omittedNotes++
		return
	}
	c.notes = append(c.notes, fmt.Sprintf(format, args...))
}

func (c *crawl) allNotes() []string {
	if c.omittedNotes > 0 {
		return append(c.notes, fmt.Sprintf("and %d notes more", c.omittedNotes))
	}
	return c.notes
}

// isHTML checks the declared type, or the first bytes if there is none.
func isHTML(contentType string, body []byte) bool {
	if contentType == "" {
		contentType = http.DetectContentType(body)
	}
	media, _, _ := mime.ParseMediaType(contentType)
	return media == "text/html" || media == "application/xhtml+xml"
}

// fileType returns the declared type without parameters, else the type detected from the content.
func fileType(resp *fetch.Response) string {
	if media, _, err := mime.ParseMediaType(resp.ContentType); err == nil {
		return media
	}
	return http.DetectContentType(resp.Body)
}

// pageExt returns the extension of a page's name. A numeric suffix is a version, not an extension.
func pageExt(name string) string {
	switch ext := path.Ext(name); strings.ToLower(ext) {
	case ".html", ".htm", ".xhtml", ".shtml", ".php", ".asp", ".aspx", ".jsp":
		return ext
	}
	return ""
}
