package rest

import (
	"context"
	"net/http"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/store/txn"
)

// Request holds the data of a request that is available before its caller is identified. It is passed to the functions that
// queue the reads of an operation.
type Request struct {
	ctx         context.Context // stored, because the request is passed along with its context
	baseContext context.Context // parent of ctx, without deadline; see setDeadline
	cancels     []context.CancelFunc
	HTTP        *http.Request
	requestID   string
	Endpoint    *Endpoint
	pathValue   func(name string) string // value of a path parameter
	in          any                      // pointer to the input of the row
	Body        []byte
	Upload      *Upload // if the body is content instead of JSON; nil for most requests
	ShareKey    string  // key of a share link, from the query
	jwt         string  // visitor token, from the query
	pipeline    *Pipeline
	claims      access.ClaimsFunc // claims of the visitor token

	Org       string // organization of the path, or ""
	Principal string // user that the token names; unverified
	DryRun    bool
	unknown   *api.Unknown // unknown fields, if the request prefers lenient handling
	finish    any          // Finish[Out] of the row, set when its reads are queued
}

// input returns the value that the binder fills.
func (r *Request) input() reflect.Value { return reflect.ValueOf(r.in).Elem() }

// organization returns the organization of the path, which ids of spaces and collections contain. It is "" for
// integrations. ok is false if the id is malformed.
func (r *Request) organization() (id string, ok bool) {
	for _, p := range r.Endpoint.params {
		switch p.Subject {
		case "integration":
			return "", true
		case "organization":
			return r.pathValue(p.Name), true
		case "space", "collection":
			return txn.HomeOrganization(r.pathValue(p.Name))
		}
	}
	return "", true
}

// Path returns the path parameter for a subject, such as the id for "space", or "".
func (r *Request) Path(subject string) string {
	for _, p := range r.Endpoint.params {
		if p.Subject == subject {
			return r.pathValue(p.Name)
		}
	}
	return ""
}

// Context returns the context of the request's work.
func (r *Request) Context() context.Context { return r.ctx }
