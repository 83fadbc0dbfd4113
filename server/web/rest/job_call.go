package rest

import (
	"context"
	"errors"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store/txn"
)

// errNoVisitor is returned for the claims of a call that has no visitor.
var errNoVisitor = errors.New("nobody visits")

// NewJobCall returns the call of a background job that performs an operation on behalf of a user. path holds the path
// parameters. The user's membership and permission are not known before Authorize.
func NewJobCall(ctx context.Context, row api.Row, need auth.Need, org, user string, path map[string]string) *Call {
	return &Call{
		Request: Request{
			ctx: ctx, baseContext: ctx, Endpoint: &Endpoint{Row: row, Need: need, params: row.PathParams()},
			pathValue: func(name string) string { return path[name] }, Org: org, Principal: user,
			claims: func(string, *access.Site) (map[string]any, error) { return nil, errNoVisitor },
		},
		Caller: &access.Caller{User: user, Scopes: []api.Scope{api.ScopeWrite}},
	}
}

// Authorize returns an error if the user may not perform the operation according to the organization's current model.
// It sets Guards for the transaction.
func (c *Call) Authorize(model *txn.Feed) error {
	c.Guards = nil
	c.Caller = &access.Caller{User: c.Caller.User, Scopes: c.Caller.Scopes}
	c.LoadMembership(model)
	return (&Pipeline{}).checkNeed(c, c.Endpoint.Need)
}
