package importer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/fetch"
	"docspace.dev/wsd/server/text/content"
)

// Values of Request.Source.
const (
	// SourceWebsite crawls the site below the URL's directory.
	SourceWebsite = "website"
	// SourceMarkdown imports one Markdown document byte for byte.
	SourceMarkdown = "markdown"
	// SourceHTML converts one HTML document and imports its images.
	SourceHTML = "html"
	// SourceZip imports an archive of Markdown, ordered by its SUMMARY.md.
	SourceZip = "zip"
)

// Sources returns the supported values of Request.Source.
func Sources() []string {
	return []string{SourceWebsite, SourceMarkdown, SourceHTML, SourceZip}
}

// Page is an imported page with its children in order.
type Page struct {
	ID            string
	Title         string
	Slug          string // unique among its siblings of the result, at most 100 characters
	RequestedSlug string // the slug before it was made unique among siblings
	Description   string
	Emoji         string
	// Markdown is the text, nil for a group. It may exceed the limits of a page: see SplitPage.
	Markdown []byte
	// Aliases are the ids and names of the source's elements, with their positions in the text.
	Aliases []content.Alias
	// Source is the URL or the path in the archive.
	Source string
	// Path is the path relative to the host of a site or to the root directory of an archive. For a group of the
	// navigation it is the path of the listing page, followed by the group's titles.
	Path string
	// OID is git's hash of the source bytes: see content.BlobID.
	OID      string
	Children []*Page
	// Group marks a heading of the navigation without a text.
	Group bool
}

// File is an imported image or download.
type File struct {
	ID string
	// Name is the path in the archive, or the last element of the URL's path.
	Name        string
	ContentType string
	Data        []byte
	Source      string
	// Path and OID are as in Page.
	Path, OID string
}

// Result is the result of an import.
type Result struct {
	Pages []*Page
	Files []*File
	// Imported is the number of resources imported out of Total discovered, pages and files. Groups are not counted.
	Imported, Total int
	// Unread lists resources that exist but could not be read, were refused, or are too large. Truncated is set if there
	// may be more because a limit was reached.
	Unread    []Unread
	Truncated bool
	// SummaryPath and Summary are the path and the bytes of the SUMMARY.md of an archive, "" and nil without one.
	SummaryPath string
	Summary     []byte
	// Notes are sentences about converted, omitted and shortened resources.
	Notes []string
}

// Unread is a resource that exists but was not imported. Links to a resource of a website use its ID, for which no page or file
// exists: the caller replaces it with an existing page or file with the same path, or with Address.
type Unread struct {
	Path    string // as in Page and File
	ID      string // ID in the destination "/pages/ID"; "" if no link was changed
	Address string // URL to use if no resource has the path
}

// Content is a document or archive that the caller has, in the place of a URL. Nothing is fetched for it.
type Content struct {
	Name        string // of a document, as in Page.Path; "" if it is not known
	ContentType string
	Data        []byte
}

// Request is the input of an import.
type Request struct {
	URL     string
	Content *Content // in the place of URL, for all sources but SourceWebsite
	Source  string   // one of Sources
	// NewID returns a new id with the prefix, "p_" for pages and "f_" for files.
	NewID func(prefix string) string
	// Progress, if set, is called with the number of resources read and discovered so far, by one goroutine at a
	// time.
	Progress func(done, total int)
	// ReserveMemory, if set, is called with the total number of bytes before the import keeps them in memory, and waits until
	// that much is available. Its error ends the import. It is called by one goroutine at a time.
	ReserveMemory func(ctx context.Context, bytes int64) error
}

// Limits are the limits of one import. A zero field means its default.
type Limits struct {
	Pages        int           // pages of a result: 2,000
	Files        int           // files of a result: 10,000
	TotalBytes   int64         // total bytes of all bodies, or of an unpacked archive: 200 MiB
	ResourceSize int64         // bytes of one page or file: 10 MiB
	ArchiveSize  int64         // bytes of a packed archive: 64 MiB
	PageText     int           // bytes of Markdown of one page, see SplitPage: 1 MiB
	Time         time.Duration // duration of a crawl, after which it stops and keeps its results: 10 minutes
}

func (l Limits) withDefaults() Limits {
	d := Limits{
		Pages: api.MaxImportPages, Files: api.MaxImportFiles, TotalBytes: api.MaxImportTotal, ResourceSize: api.MaxImportDocument,
		ArchiveSize: api.MaxImportArchive, PageText: 1 << 20, Time: 10 * time.Minute,
	}
	l.Pages, l.Files = orDefault(l.Pages, d.Pages), orDefault(l.Files, d.Files)
	l.TotalBytes = orDefault(l.TotalBytes, d.TotalBytes)
	l.ResourceSize = orDefault(l.ResourceSize, d.ResourceSize)
	l.ArchiveSize = orDefault(l.ArchiveSize, d.ArchiveSize)
	l.PageText, l.Time = orDefault(l.PageText, d.PageText), orDefault(l.Time, d.Time)
	return l
}

// MaxPageText returns the maximum number of bytes of a page's Markdown.
func (i *Importer) MaxPageText() int { return i.limits.PageText }

func orDefault[T int | int64 | time.Duration](value, fallback T) T {
	if value > 0 {
		return value
	}
	return fallback
}

// Fetcher fetches a URL with a body of at most maxBytes; *fetch.Client implements it.
type Fetcher interface {
	GetUpTo(ctx context.Context, url string, maxBytes int64) (*fetch.Response, error)
}

// Error is the error of an invalid request, by field.
type Error struct {
	Field   string // "url", "source", or "body" for Request.Content
	Message string
	Err     error
}

// Error returns the field and the message.
func (e *Error) Error() string { return e.Field + ": " + e.Message }

// Unwrap returns the cause, such as a *fetch.Error.
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

// Import fetches and converts the source of a request. It returns an *Error if the request is invalid or its URL
// cannot be fetched, and the context's error if it is cancelled. Later failures only reduce Result.Imported and are
// listed in Result.Notes.
func (i *Importer) Import(ctx context.Context, req Request) (Result, error) {
	run := map[string]func(context.Context, Request) (Result, error){
		SourceWebsite:  i.importWebsite,
		SourceMarkdown: i.importMarkdown,
		SourceHTML:     i.importHTML,
		SourceZip:      i.importZip,
	}[req.Source]
	if run == nil || req.Content != nil && req.Source == SourceWebsite {
		return Result{}, &Error{Field: "source", Message: fmt.Sprintf("%q is not one of %q", req.Source, Sources())}
	}
	if req.Progress == nil {
		req.Progress = func(int, int) {}
	}
	if req.ReserveMemory == nil {
		req.ReserveMemory = func(context.Context, int64) error { return nil }
	}
	return run(ctx, req)
}

// fetchStart fetches the URL of the request. A failure is returned as an *Error, except for the error of a cancelled context.
func (i *Importer) fetchStart(ctx context.Context, url string, maxBytes int64) (*fetch.Response, error) {
	resume := budgets.PauseWork(ctx)
	resp, err := i.fetcher.GetUpTo(ctx, url, maxBytes)
	resume()
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
