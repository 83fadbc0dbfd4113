package rest

import (
	"errors"
	"net/http"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// repeatable are the statuses that a request may fail with because it was carried out before.
var repeatable = []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity}

// withheld is a refusal because of who the caller is now, though it reads as if there were nothing. What was answered
// to them before is not theirs any more: it is never answered again.
type withheld struct{ error }

// Unwrap leads to the refusal as it is answered.
func (w withheld) Unwrap() error { return w.error }

// findReplay finds the answer to a repeated request that failed: what is deleted cannot be deleted again, and the
// first run may be what made it so. A repeat is authorized like a first request: whoever lost what it takes since is
// told what everybody else is.
func (p *Pipeline) findReplay(c *Call, w *recorder, failure error) *txn.Replay {
	var replay *txn.Replay
	if errors.As(failure, &replay) {
		return replay
	}
	wrong, ok := api.AsError(failure)
	if !ok || !slices.Contains(repeatable, wrong.Code) || !c.Endpoint.Row.Writes() || c.Request.Header.Get("Idempotency-Key") == "" {
		return nil
	}
	if errors.As(failure, &withheld{}) || c.Caller == nil || !c.authorized && !c.mayRepeat() {
		return nil
	}
	if c.Body == nil {
		body, err := c.Endpoint.binder.readBody(w, c.Request)
		if err != nil {
			return nil
		}
		c.Body = body
	}
	options := txn.UpdateOptions{DryRun: true, Idempotency: c.Idempotency()}
	_ = errors.As(p.store.Update(c.ctx, c.Shard(), options, func(*store.Tx) error { return failure }), &replay)
	return replay
}

// mayRepeat decides for a request that was not authorized, because what its permission is measured on may have gone by
// its own first run. In what lies in the trash the caller still has a role. Of what is gone for good nobody has: there
// it takes the role in the organization.
func (c *Call) mayRepeat() (ok bool) {
	need := c.Endpoint.Need
	if c.Model == nil || c.RequireScope(c.Endpoint.Scope()) != nil {
		return false
	}
	if need.Kind == auth.ByMembership && c.Endpoint.Row.Method == http.MethodDelete {
		return c.mayRestore(need.Role)
	}
	if !c.Caller.IsMember {
		return false
	}
	id := c.Path(need.Scope)
	c.Access(func(model *access.Model) {
		var gone bool
		role := c.Caller.Role
		switch need.Kind {
		case auth.ByContent:
			n := model.Entry(id)
			_, active := model.Active(id)
			if gone = !active; n != nil {
				role = model.Role(c.Caller, id)
			}
		case auth.BySite:
			gone = model.Site(id) == nil
		case auth.Anybody, auth.SignedIn, auth.ByMembership, auth.Denied:
		}
		ok = gone && role.AtLeast(need.Role)
	})
	return ok
}

// mayRestore reports whether the organization is in the trash and the caller has a role in it there: whoever deleted it
// may have done so by the request that is repeated.
func (c *Call) mayRestore(role api.Role) (ok bool) {
	access.LookInside(c.Model, func(model *access.Model) {
		p := model.Member(c.Caller.User)
		ok = model.Closed() && p != nil && c.Caller.Organization == "" && p.Member.Role.AtLeast(role)
	})
	return ok
}

// checkReplay is the replay, unless the handler, which runs once more and writes nothing, refuses the caller now: what
// it asks for beyond the need of its row is asked of a repeat, too. What else it fails with, the first run has made so.
func (c *Call) checkReplay(shard redis.Shard, replay *txn.Replay, handle func(*store.Tx) error) error {
	err := c.pipeline.store.Update(c.ctx, shard, txn.UpdateOptions{DryRun: true, Guards: c.Guards}, handle)
	wrong, ok := api.AsError(err)
	switch {
	case errors.Is(err, redis.ErrStale), errors.As(err, &withheld{}), ok && wrong.Code == http.StatusForbidden:
		return err
	}
	return replay
}
