package rest

import (
	"cmp"
	"errors"
	"net/http"
	"sync"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/compress"
	"docspace.dev/wsd/server/web/metrics"
)

// Route is a route that is not an operation, such as a download. Its requests are charged to the address of their client.
type Route struct {
	pipeline *Pipeline
	name     string
	metrics  *metrics.Route
}

// NewRoute returns a route that is logged and counted under a name; "" is the route of requests that match no other.
func (p *Pipeline) NewRoute(name string) *Route {
	return &Route{p, name, p.metrics.Route(cmp.Or(name, metrics.Unknown))}
}

// Serve serves a request, which is charged to the address of its client.
func (t *Route) Serve(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	p := t.pipeline
	t.ServeUncounted(w, r, func(w http.ResponseWriter, r *http.Request) {
		var a auth.Allowance
		err := p.count(&a, auth.Address(r), 0)
		a.SetHeaders(w.Header())
		if err != nil {
			p.Refuse(w, r, PublicError(err))
			return
		}
		next(w, r)
	})
}

// ServeUncounted is Serve for a request that is charged to nobody.
func (t *Route) ServeUncounted(w http.ResponseWriter, r *http.Request, next http.HandlerFunc) {
	p := t.pipeline
	start := p.clock()
	id := p.RequestID(r)
	r.Header.Set(requestIDHeader, id) // later calls of RequestID return the same id
	recorder := newRecorder(w, r, t.metrics)
	t.metrics.Begin()
	defer t.metrics.End()
	next(recorder, r.WithContext(recorder.measure(r.Context())))
	members := append(requestMembers(r, id), "method", api.Shorten(r.Method, int(p.budgets.QuotedChars)), "route", t.name)
	p.logResponse(r, recorder, start, nil, members...)
}

// Refuse answers a request that matches no operation.
func (p *Pipeline) Refuse(w http.ResponseWriter, r *http.Request, e api.Error) {
	p.WriteError(w, p.RequestID(r), e)
}

// document is the OpenAPI document in one format.
type document struct {
	media   string
	encoded func(compress.Encoding) ([]byte, error)
}

// ServeDocument serves the OpenAPI document as JSON.
func (p *Pipeline) ServeDocument(w http.ResponseWriter, r *http.Request) {
	p.serveDocument(w, r, p.document)
}

// ServeYAMLDocument serves the OpenAPI document as YAML.
func (p *Pipeline) ServeYAMLDocument(w http.ResponseWriter, r *http.Request) {
	p.serveDocument(w, r, p.yamlDocument)
}

func (p *Pipeline) serveDocument(w http.ResponseWriter, r *http.Request, d document) {
	plain, err := d.encoded(compress.None)
	header := w.Header()
	encoding := encodingFor(header, r, d.media, len(plain))
	body, failed := d.encoded(encoding)
	if err = errors.Join(err, failed); err != nil {
		p.Refuse(w, r, PublicError(err))
		return
	}
	BaseHeaders(header, p.RequestID(r))
	header.Set("Content-Type", d.media+"; charset=utf-8")
	tag := EntityTag("openapi", plain)
	header.Set("Etag", tag)
	if encoding != compress.None {
		weakenTag(header)
	}
	if matchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	if encoding != compress.None {
		header.Set("Content-Encoding", string(encoding))
	}
	p.sendBody(w, http.StatusOK, body, compress.None)
}

// keepEncoded returns a function that returns a document in an encoding. Document and encodings are made once, when they are needed.
func keepEncoded(document func() ([]byte, error)) func(compress.Encoding) ([]byte, error) {
	document = sync.OnceValues(document)
	kept := map[compress.Encoding]func() ([]byte, error){compress.None: document}
	for _, encoding := range []compress.Encoding{compress.Gzip, compress.Zstd} {
		kept[encoding] = sync.OnceValues(func() ([]byte, error) {
			data, err := document()
			if err != nil {
				return nil, err
			}
			return compress.Encode(encoding, data)
		})
	}
	return func(encoding compress.Encoding) ([]byte, error) { return kept[encoding]() }
}
