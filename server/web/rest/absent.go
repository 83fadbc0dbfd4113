package rest

import (
	"errors"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
)

// errAbsent marks the 404 of the very thing that a delete names: see Absent.
var errAbsent = errors.New("everything above it is there")

// Absent is the error of a handler whose thing is not there, or could not be read, while everything above it is.
func Absent(err error) error {
	if err != nil {
		return err
	}
	return api.NotFound().WithCause(errAbsent)
}

// Above is the error of a handler that did not find what its thing is in: what Absent says of that is not said of the
// thing.
func Above(err error) error {
	if errors.Is(err, errAbsent) {
		return api.NotFound()
	}
	return err
}

// AbsentTo says who could see and delete every thing of the kind that the operation deletes. To them an absent one is
// deleted already; to all others it answers like one that they may not see. Where the thing is in another one that the
// need does not name, only an error by Absent counts.
func (e Endpoint) AbsentTo(need auth.Need) Endpoint { e.absent = need; return e }

// AbsentNeed is the need of AbsentTo, Denied where nobody can tell.
func (e Endpoint) AbsentNeed() auth.Need { return e.absent }

// isInner reports whether the thing that the path names is in one that a need does not name.
func (e Endpoint) isInner(need auth.Need) bool {
	at := -1
	for i, p := range e.params {
		if p.Subject == need.Scope {
			at = i
		}
	}
	return len(e.params)-1-at > 1
}

// wasAbsent reports whether a delete failed because there is nothing to delete, and whether the caller may know.
func (p *Pipeline) wasAbsent(c *Call, err error) bool {
	need := c.Endpoint.absent
	failed, ok := api.AsError(err)
	switch {
	case need.Kind == auth.Denied || c.Endpoint.Need.Kind == auth.Denied || !ok || failed.Code != http.StatusNotFound || c.Caller == nil || c.Caller.User == "":
		return false
	case c.Endpoint.isInner(need) && !errors.Is(err, errAbsent):
		return false
	case need.Kind == auth.SignedIn && c.Caller.Organization != "", c.Caller.Agent:
		return false // such a token sees a part of what its user sees
	}
	return p.permits(c, need) == nil
}

// respondAbsent answers a delete of what is not there. There is no version that an If-Match could be held against.
func (p *Pipeline) respondAbsent(c *Call, w *recorder) error {
	if c.Request.Header.Get("If-Match") != "" {
		return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition, "It is not there, so it has no version that If-Match could name.")
	}
	header := http.Header{api.AbsentHeader: {"true"}}
	p.respond(w, c, http.StatusNoContent, Result[any]{}, header)
	return nil
}
