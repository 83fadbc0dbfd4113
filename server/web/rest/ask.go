package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
)

// Query is a request for an operation that a page of the server makes for its visitor.
type Query struct {
	Row     api.Row // mounted, or internal
	Path    map[string]string
	Params  url.Values
	Body    any             // nil = none
	Session auth.Credential // of the browser, if it is signed in
	Token   auth.Credential // a token that the visitor has typed; used only without a Session
}

// MountInternal adds endpoints that only Ask reaches. They are not operations of the contract. It is called after Mount.
func (p *Pipeline) MountInternal(endpoints ...Endpoint) {
	compiler := api.NewCompiler()
	compiler.Limits = contractLimits(p.budgets)
	for _, e := range endpoints {
		p.internal = append(p.internal, e.compile(compiler))
	}
}

// Ask runs an operation for a page of the server as if the visitor had sent it: with the same permission, limits, event and log line. It
// decodes the response into out, unless that is nil. A refusal is returned as an *api.Error.
func (p *Pipeline) Ask(r *http.Request, q Query, out any) error {
	e := p.endpoint(q.Row.Name)
	if e == nil {
		return fmt.Errorf("no operation %s", q.Row.Name)
	}
	request, err := q.request(r, e.Row)
	if err != nil {
		return err
	}
	response := askedResponse{header: http.Header{}}
	p.Serve(&response, request, e, func(name string) string { return q.Path[name] })
	if response.status >= http.StatusBadRequest {
		var body api.ErrorBody
		if err := json.Unmarshal(response.body.Bytes(), &body); err != nil {
			return fmt.Errorf("error of %s: %w", q.Row.Name, err)
		}
		return &body.Error
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(response.body.Bytes(), out); err != nil {
		return fmt.Errorf("response of %s: %w", q.Row.Name, err)
	}
	return nil
}

// endpoint returns the endpoint of an operation, or nil.
func (p *Pipeline) endpoint(name string) *Endpoint {
	for _, endpoints := range [][]Endpoint{p.Endpoints, p.internal} {
		for i := range endpoints {
			if endpoints[i].Row.Name == name {
				return &endpoints[i]
			}
		}
	}
	return nil
}

// request returns the request of a query, which comes from the client of r.
func (q Query) request(r *http.Request, row api.Row) (*http.Request, error) {
	ctx := r.Context()
	if q.Session.Secret != "" {
		ctx = auth.WithSession(ctx, q.Session)
	}
	made := r.Clone(ctx)
	path := row.Path
	for name, value := range q.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
	}
	made.Method, made.URL = row.Method, &url.URL{Path: path, RawQuery: q.Params.Encode()}
	made.Header = http.Header{
		"Accept": {"application/json"}, "User-Agent": {r.UserAgent()}, requestIDHeader: {r.Header.Get(requestIDHeader)},
	}
	if q.Session.Secret == "" && q.Token.Secret != "" {
		made.Header.Set("Authorization", "Bearer "+q.Token.String())
	}
	made.Body, made.ContentLength, made.Form, made.PostForm = http.NoBody, 0, nil, nil
	if q.Body != nil {
		data, err := json.Marshal(q.Body)
		if err != nil {
			return nil, fmt.Errorf("body of %s: %w", row.Name, err)
		}
		made.Header.Set("Content-Type", "application/json")
		made.Body, made.ContentLength = io.NopCloser(bytes.NewReader(data)), int64(len(data))
	}
	return made, nil
}

// askedResponse collects a response in memory.
type askedResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (a *askedResponse) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *askedResponse) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *askedResponse) Write(data []byte) (int, error) { return a.body.Write(data) }
