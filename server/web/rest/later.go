package rest

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/txn"
)

// errNoVisitor answers for the claims of whoever is not visiting.
var errNoVisitor = errors.New("nobody visits")

// Later is the call of a job that does what somebody asked for before: an operation, with what its path would name, for a
// user. Nothing of it is known until Authorize.
func Later(ctx context.Context, row api.Row, need auth.Need, org, user string, path map[string]string) *Call {
	return &Call{
		ctx: ctx, base: ctx, Endpoint: &Endpoint{Row: row, Need: need, params: row.PathParams()},
		raw: func(name string) string { return path[name] }, Org: org, Principal: user,
		Caller: &access.Caller{User: user, Scopes: []api.Scope{api.ScopeWrite}},
		claims: func(string, *access.Site) (map[string]any, error) { return nil, errNoVisitor },
	}
}

// Authorize decides whether the user may still do it, by the model of the organization as it is now. What that rests on
// is in Guards, for the transaction.
func (c *Call) Authorize(model *txn.Feed) error {
	c.Guards = nil
	c.Caller = &access.Caller{User: c.Caller.User, Scopes: c.Caller.Scopes}
	c.Enter(model)
	return (&Pipeline{}).permits(c, c.Endpoint.Need)
}
