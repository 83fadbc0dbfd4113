// Package importer turns what lives elsewhere into pages and files: a documentation
// website, one HTML or Markdown document, or a zip archive of Markdown.
//
// It owns the crawl, the choice of each page's main content, the conversion of HTML to Markdown and the reading of
// SUMMARY.md. It stores nothing: the caller places the result. It may import content
// and fetch.
package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/text/content"
)

// Sources of Request.
const (
	// SourceWebsite crawls the site below the URL's directory.
	SourceWebsite = "website"
	// SourceMarkdown takes one Markdown document, byte for byte.
	SourceMarkdown = "markdown"
	// SourceHTML converts one HTML document and brings its images.
	SourceHTML = "html"
	// SourceZip takes an archive of Markdown, ordered by its SUMMARY.md.
	SourceZip = "zip"
)

// Sources returns the supported values of Request.Source.
func Sources() []string {
	return []string{SourceWebsite, SourceMarkdown, SourceHTML, SourceZip}
}

// Page is one page to be made, with those below it in order.
type Page struct {
	ID          string
	Title       string
	Slug        string // unique among its siblings of the result, at most 100 characters
	Wish        string // the slug before siblings of the same name told them apart
	Description string
	Emoji       string
	// Markdown is the text; nil for a group. It may be larger than pages may be: package split cuts it.
	Markdown []byte
	// Aliases are the ids and names of the source's elements, where they stand in the text.
	Aliases []content.Alias
	// Source is the URL or the path in the archive that it came from.
	Source string
	// Path is where it lies in what is imported: below the host of a site, or below the one directory that an archive
	// may consist of; for a group of the navigation, what lists it with its titles.
	Path string
	// OID is git's hash of the bytes that came: see content.BlobID.
	OID      string
	Children []*Page
	// Group marks a heading of the navigation that has no text of its own.
	Group bool
}

// File is one image or download to be made.
type File struct {
	ID string
	// Name is the path in the archive, or the last element of the URL's path.
	Name        string
	ContentType string
	Data        []byte
	Source      string
	// Path and OID are where it lies in what is imported, and git's hash of it, as those of a page.
	Path, OID string
}

// Result is what an import brought.
type Result struct {
	Pages []*Page
	Files []*File
	// Imported of Total discovered resources, pages and files alike, came in.
	// Groups are not counted.
	Imported, Total int
	// Unread are resources that are there and could not be read, were refused, or are too large. Cut says that there may
	// be more, as a limit was reached.
	Unread []Unread
	Cut    bool
	// Notes say in sentences what was converted, left out or cut short.
	Notes []string
}

// Unread is a resource that is there and did not come in. Links to that of a website lead to an id that nothing has: who
// takes the result knows whether there is such a page or file from before.
type Unread struct {
	Path    string // as those of pages and files
	ID      string // of "/pages/ID" in the texts; empty where no link was changed
	Address string // to write instead, where nothing is known by this path
}

// Request says what to import.
type Request struct {
	URL    string
	Source string // one of Sources
	// NewID makes an id that starts with the prefix, "p_" for pages and "f_" for files.
	NewID func(prefix string) string
	// Progress, where given, is called from one goroutine at a time with the
	// resources that were read so far and those known so far.
	Progress func(done, total int)
	// Hold, where given, is called before the import holds so many bytes in all: it waits until there is room for
	// them. Its error ends the import. It is called from one goroutine at a time.
	Hold func(ctx context.Context, bytes int64) error
}

// Limits bound one import. A zero field takes its default.
type Limits struct {
	Pages        int           // pages of a result: 2,000
	Files        int           // files of a result: 10,000
	TotalBytes   int64         // all bodies, or all of an archive when unpacked: 200 MiB
	ResourceSize int64         // one page or file: 10 MiB
	ArchiveSize  int64         // a packed archive: 64 MiB
	PageText     int           // Markdown of one page, to which package split cuts it: 1 MiB
	Time         time.Duration // of a crawl, which then keeps what it has: 10 minutes
}

func (l Limits) withDefaults() Limits {
	d := Limits{
		Pages: 2000, Files: 10_000, TotalBytes: 200 << 20, ResourceSize: 10 << 20,
		ArchiveSize: 64 << 20, PageText: 1 << 20, Time: 10 * time.Minute,
	}
	l.Pages, l.Files = orDefault(l.Pages, d.Pages), orDefault(l.Files, d.Files)
	l.TotalBytes = orDefault(l.TotalBytes, d.TotalBytes)
	l.ResourceSize = orDefault(l.ResourceSize, d.ResourceSize)
	l.ArchiveSize = orDefault(l.ArchiveSize, d.ArchiveSize)
	l.PageText, l.Time = orDefault(l.PageText, d.PageText), orDefault(l.Time, d.Time)
	return l
}

// PageText is how many bytes of Markdown a page may have at most.
func (i *Importer) PageText() int { return i.limits.PageText }

func orDefault[T int | int64 | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

// Fetcher gets a URL with a body of at most maxBytes; *fetch.Client is one.
type Fetcher interface {
	GetUpTo(ctx context.Context, url string, maxBytes int64) (*fetch.Response, error)
}

// Error is an import that could not begin: a field of the request is at fault.
type Error struct {
	Field   string // "url" or "source"
	Message string
	Err     error
}

// Error says what is wrong with the field.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Unwrap returns what lies beneath, a *fetch.Error for instance.
func (e *Error) Unwrap() error { return e.Err }

// Importer runs imports. It is safe for concurrent use.
type Importer struct {
	fetcher Fetcher
	limits  Limits
}

// New returns an importer that fetches through f.
func New(f Fetcher, limits Limits) *Importer {
	return &Importer{fetcher: f, limits: limits.withDefaults()}
}

// Import fetches and converts. It answers *Error when the request is at fault and the
// context's error when the caller gave up; whatever fails after the start URL lowers
// Result.Imported and is told in Result.Notes.
func (i *Importer) Import(ctx context.Context, req Request) (Result, error) {
	run := map[string]func(context.Context, Request) (Result, error){
		SourceWebsite:  i.website,
		SourceMarkdown: i.markdown,
		SourceHTML:     i.html,
		SourceZip:      i.zip,
	}[req.Source]
	if run == nil {
		return Result{}, &Error{Field: "source", Message: fmt.Sprintf("%q is not one of %q", req.Source, Sources())}
	}
	if req.Progress == nil {
		req.Progress = func(int, int) {}
	}
	if req.Hold == nil {
		req.Hold = func(context.Context, int64) error { return nil }
	}
	return run(ctx, req)
}

// start fetches the URL that the caller named; its failure is the caller's to mend.
func (i *Importer) start(ctx context.Context, url string, maxBytes int64) (*fetch.Response, error) {
	resp, err := i.fetcher.GetUpTo(ctx, url, maxBytes)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if failure, ok := errors.AsType[*fetch.Error](err); ok {
		return nil, &Error{Field: "url", Message: failure.Error(), Err: err}
	}
	return nil, &Error{Field: "url", Message: "it cannot be fetched", Err: err}
}
