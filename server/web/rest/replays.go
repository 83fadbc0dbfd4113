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

// repeatableStatuses lists the statuses that a repeated request may fail with because its first run succeeded.
var repeatableStatuses = []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity}

// withheldError is a refusal that depends on the caller's present access, although it looks like a 404. Answers that the
// caller got earlier are not replayed for it.
type withheldError struct{ error }

// Unwrap returns the refusal.
func (w withheldError) Unwrap() error { return w.error }

// findReplay returns the stored response of a repeated request that failed, since its first run may be the cause: a
// deleted object cannot be deleted again. A repeat is authorized like any request: a caller who has lost access gets
// the same error as others.
func (p *Pipeline) findReplay(c *Call, w *recorder, failure error) *txn.ReplayError {
	var replay *txn.ReplayError
	if errors.As(failure, &replay) {
		return replay
	}
	wrong, ok := api.AsError(failure)
	if !ok || !slices.Contains(repeatableStatuses, wrong.Code) || !c.Endpoint.Row.Writes() || c.HTTP.Header.Get("Idempotency-Key") == "" {
		return nil
	}
	if errors.As(failure, &withheldError{}) || c.Caller == nil || !c.authorized && !c.mayRepeat() {
		return nil
	}
	if c.Body == nil {
		body, err := c.Endpoint.binder.readBody(w, c.HTTP, c.bodyLimit(), c.holdBody)
		if err != nil {
			return nil
		}
		c.Body = body
	}
	options := txn.UpdateOptions{DryRun: true, Idempotency: c.Idempotency()}
	err := p.store.Update(c.ctx, c.Shard(), options, func(*store.Tx) error { return failure })
	_ = errors.As(err, &replay) // replay remains nil if there is no stored response
	return replay
}

// mayRepeat reports whether a request may be replayed although it was not authorized, because its first run may have
// removed the object of its permission. Objects in the trash still have roles; for purged ones the role in the
// organization decides.
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

// mayRestore reports whether the organization is in the trash and the caller has the role in it, since the repeated
// request may be the one that deleted it.
func (c *Call) mayRestore(role api.Role) (ok bool) {
	access.ViewIncludingTrash(c.Model, func(model *access.Model) {
		p := model.Member(c.Caller.User)
		ok = model.InTrash() && p != nil && c.Caller.Organization == "" && p.Member.Role.AtLeast(role)
	})
	return ok
}

// recheckReplay returns the replay, unless the handler refuses the caller now. The handler runs once more without
// writing: permissions beyond the need of its row apply to repeats as well. Other errors are consequences of the
// first run.
func (c *Call) recheckReplay(shard redis.Shard, replay *txn.ReplayError, handle func(*store.Tx) error) error {
	err := c.pipeline.store.Update(c.ctx, shard, txn.UpdateOptions{DryRun: true, Guards: c.Guards}, handle)
	wrong, ok := api.AsError(err)
	switch {
	case errors.Is(err, redis.ErrStale), errors.As(err, &withheldError{}), ok && wrong.Code == http.StatusForbidden:
		return err
	}
	return replay
}
