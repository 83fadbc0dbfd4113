package rest

import (
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
)

// ServeRoute serves a request for a route that is not an operation, such as a download. The request is charged to the address
// of its client and logged under the name route. Only /healthz and /readyz are served without it.
func (p *Pipeline) ServeRoute(w http.ResponseWriter, r *http.Request, route string, next http.HandlerFunc) {
	start := p.clock()
	id := p.RequestID(r)
	r.Header.Set(requestIDHeader, id) // later calls of RequestID return the same id
	recorder := &recorder{ResponseWriter: w}
	var a auth.Allowance
	err := p.count(&a, auth.Address(r), 0)
	a.SetHeaders(w.Header())
	if err != nil {
		p.Refuse(recorder, r, PublicError(err))
	} else {
		next(recorder, r.WithContext(recorder.measure(r.Context())))
	}
	members := append(requestMembers(r, id), "method", api.Shorten(r.Method, int(p.budgets.QuotedChars)), "route", route)
	p.logResponse(r, recorder, start, nil, members...)
}

// Refuse answers a request that matches no operation.
func (p *Pipeline) Refuse(w http.ResponseWriter, r *http.Request, e api.Error) {
	p.WriteError(w, p.RequestID(r), e)
}

// ServeDocument serves the OpenAPI document.
func (p *Pipeline) ServeDocument(w http.ResponseWriter, r *http.Request) {
	document, err := p.document()
	if err != nil {
		p.Refuse(w, r, PublicError(err))
		return
	}
	header := w.Header()
	BaseHeaders(header, p.RequestID(r))
	header.Set("Content-Type", "application/json; charset=utf-8")
	tag := EntityTag("openapi", document)
	header.Set("Etag", tag)
	if matchesTag(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(document) // the client has disconnected
}
