package cors

import (
	"net/http"
	"slices"
	"strings"
)

// prefix is the beginning of the paths that pages of other origins may use.
const prefix = "/v1/"

// exposedHeaders are the headers of answers that pages may read, in addition to those that browsers always show. All headers of the API
// with a meaning for clients are among them.
var exposedHeaders = []string{
	"Accept-Encoding", "Allow", "ETag", "Idempotency-Replayed", "Location", "Preference-Applied", "Retry-After", "WWW-Authenticate",
	"X-Absent", "X-Dry-Run",
	"X-Ignored", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Removed-With", "X-Request-Id",
	"X-Unreadable-Spaces",
}

// requestHeaders are the headers that pages may send, in addition to those that browsers always allow.
var requestHeaders = []string{
	"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "X-Request-Id",
	"traceparent",
}

// maxAge is the number of seconds for which browsers keep the answer to a preflight.
const maxAge = "600"

// Exposed returns the names of the headers of answers that pages may read.
func Exposed() []string { return slices.Clone(exposedHeaders) }

// applies reports whether pages of other origins may use the path of a request.
func (o Origins) applies(r *http.Request) bool {
	return len(o) > 0 && strings.HasPrefix(r.URL.Path, prefix)
}

// SetHeaders sets the headers that let a page read the answer to a request, and those for caches.
func (o Origins) SetHeaders(header http.Header, r *http.Request) {
	if !o.applies(r) {
		return
	}
	header.Add("Vary", "Origin")
	if origin := r.Header.Get("Origin"); slices.Contains(o, origin) {
		header.Set("Access-Control-Allow-Origin", origin)
		header.Set("Access-Control-Expose-Headers", strings.Join(exposedHeaders, ", "))
	}
}

// IsPreflight reports whether an OPTIONS request is a question of a browser whether a page of a listed origin may send another request.
func (o Origins) IsPreflight(r *http.Request) bool {
	return o.applies(r) && r.Header.Get("Access-Control-Request-Method") != "" && slices.Contains(o, r.Header.Get("Origin"))
}

// SetPreflightHeaders sets the headers of the answer to a preflight, in addition to those of SetHeaders. methods are those of the path.
func (Origins) SetPreflightHeaders(header http.Header, methods string) {
	header.Set("Access-Control-Allow-Methods", methods)
	header.Set("Access-Control-Allow-Headers", strings.Join(requestHeaders, ", "))
	header.Set("Access-Control-Max-Age", maxAge)
	header.Del("Access-Control-Expose-Headers") // has a meaning for other answers only
}
