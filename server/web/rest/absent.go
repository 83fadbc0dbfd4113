package rest

import (
	"errors"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
)

// errAbsent marks a 404 for the object that a delete names, as opposed to one of its parents. See AbsentIfNil.
var errAbsent = errors.New("everything above it is there")

// AbsentIfNil returns err, or a not_found error for an object whose parents all exist. Only such an error counts as an
// absent object for AllowAbsent.
func AbsentIfNil(err error) error {
	if err != nil {
		return err
	}
	return api.NotFound().WithCause(errAbsent)
}

// ParentError returns err as the error of a parent: an error made by AbsentIfNil loses its mark, since it is the parent that is
// absent.
func ParentError(err error) error {
	if errors.Is(err, errAbsent) {
		return api.NotFound()
	}
	return err
}

// AllowAbsent returns e with the need of callers who could see and delete every object of this kind. For them, deleting
// an absent object succeeds with 204; all others get the same error as for an object that they may not see. If the
// object is nested in one that the need does not name, only errors made by AbsentIfNil count.
func (e Endpoint) AllowAbsent(need auth.Need) Endpoint { e.absentNeed = need; return e }

// AbsentNeed returns the need set by AllowAbsent, or Denied.
func (e Endpoint) AbsentNeed() auth.Need { return e.absentNeed }

// isNested reports whether the object of the path is nested in another one that the need does not name.
func (e Endpoint) isNested(need auth.Need) bool {
	at := -1
	for i, p := range e.params {
		if p.Subject == need.Scope {
			at = i
		}
	}
	return len(e.params)-1-at > 1
}

// isAbsent reports whether a delete failed because its object does not exist, and the caller meets the need set by AllowAbsent.
func (p *Pipeline) isAbsent(c *Call, err error) bool {
	need := c.Endpoint.absentNeed
	failed, ok := api.AsError(err)
	switch {
	case need.Kind == auth.Denied || c.Endpoint.Need.Kind == auth.Denied || !ok || failed.Code != http.StatusNotFound || c.Caller == nil ||
		c.Caller.User == "":
		return false
	case c.Endpoint.isNested(need) && !errors.Is(err, errAbsent):
		return false
	case need.Kind == auth.SignedIn && c.Caller.Organization != "", c.Caller.IsAgent, c.Caller.Spaces != nil:
		return false // such a token gives access to only a part of the objects of its user
	}
	return p.checkNeed(c, need) == nil
}

// checkInTransfer returns err, the error of a request for a space or collection, or in its place TransferInProgressError if err
// is a 404 and the entry is being transferred, so that neither organization shows it. Only admins of the organization, who see
// every entry, get TransferInProgressError. It returns ErrStale if the entry became visible in the meantime.
func (p *Pipeline) checkInTransfer(c *Call, err error) error {
	failed, ok := api.AsError(err)
	if !ok || failed.Code != http.StatusNotFound || c.Caller == nil || !c.Caller.IsMember || c.Caller.IsAgent ||
		c.Caller.Spaces != nil || !c.Caller.Role.AtLeast(api.RoleAdmin) {
		return err
	}
	id, ok := c.entry()
	c.Access(func(model *access.Model) { ok = ok && model.Entry(id) == nil })
	if !ok {
		return err
	}
	transferring, failure := store.IsTransferring(c.ctx, p.store, c.Org, id)
	switch {
	case failure != nil:
		return failure
	case transferring:
		return TransferInProgressError()
	}
	return err
}

// respondAbsent answers the delete of an absent object with 204. It returns a precondition error if the request has
// an If-Match header, which an absent object cannot satisfy.
func (p *Pipeline) respondAbsent(c *Call, w *recorder) error {
	if c.HTTP.Header.Get("If-Match") != "" {
		return api.Errorf(http.StatusPreconditionFailed, api.ReasonPrecondition,
			"It is not there, so it has no version that If-Match could name.")
	}
	header := http.Header{api.AbsentHeader: {"true"}}
	return p.respond(w, c, http.StatusNoContent, Result[any]{}, header)
}
