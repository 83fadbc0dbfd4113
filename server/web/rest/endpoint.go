package rest

import (
	"context"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Endpoint is a row of the contract with who may call it and what happens: what the server mounts.
type Endpoint struct {
	Row    api.Row
	Need   auth.Need
	scope  api.Scope // that a token needs; "" = the one that goes with the role and the method
	record Record    // what the operation is about; nil where the path names nothing that is there
	absent auth.Need // who is told that what they delete is not there
	own    bool      // the record is made by the caller's first write: until then its version is 0
	onHead bool      // If-Match means the head of the change request or space, not the record
	binder binder
	params []api.PathParam // of the row

	// prefetch queues what the answer needs into the request's first pipeline. Nil for most writes.
	prefetch func(c *Call, b *txn.Batch)
	run      func(c *Call) (Result[any], error)
}

// Finish completes a read after the pipeline ran and the caller was authorized.
type Finish[Out any] func(ctx context.Context) (Result[Out], error)

// Read mounts an operation whose records come with the request's first pipeline: start queues them and returns
// what to do with them.
func Read[In, Out any](route api.Route[In, Out], need auth.Need, start func(context.Context, *Call, *txn.Batch, In) Finish[Out]) Endpoint {
	return Endpoint{
		Row: route.Row, Need: need,
		prefetch: func(c *Call, b *txn.Batch) {
			c.finish = start(c.ctx, c, b, *c.in.(*In))
		},
		run: func(c *Call) (Result[any], error) {
			r, err := c.finish.(Finish[Out])(c.ctx)
			return r.untyped(), err
		},
	}
}

// Op mounts an operation that does its own reading, and its own commit if it writes.
func Op[In, Out any](route api.Route[In, Out], need auth.Need, handle func(context.Context, *Call, In) (Result[Out], error)) Endpoint {
	return Endpoint{
		Row: route.Row, Need: need,
		run: func(c *Call) (Result[any], error) {
			r, err := handle(c.ctx, c, *c.in.(*In))
			return r.untyped(), err
		},
	}
}

// Write mounts an operation that is one transaction of the organization, or of the user for operations on one's
// own account. The handler is the closure of store.Update: it may run more than once.
func Write[In, Out any](route api.Route[In, Out], need auth.Need, handle func(context.Context, *Call, *store.Tx, In) (Result[Out], error)) Endpoint {
	return Op(route, need, func(ctx context.Context, c *Call, in In) (Result[Out], error) {
		return Commit(ctx, c, c.Shard(), func(tx *store.Tx) (Result[Out], error) {
			return handle(ctx, c, tx, in)
		})
	})
}

// Planned mounts a write whose slow work is done before the transaction: prepare reads and computes, apply
// re-checks the heads that the plan rests on and writes. When a head has moved, both run again.
func Planned[In, Plan, Out any](route api.Route[In, Out], need auth.Need,
	prepare func(context.Context, *Call, In) (Plan, error),
	apply func(context.Context, *Call, *store.Tx, In, Plan) (Result[Out], error),
) Endpoint {
	return Op(route, need, func(ctx context.Context, c *Call, in In) (Result[Out], error) {
		return Replanned(func() (Result[Out], error) {
			plan, err := prepare(ctx, c, in)
			if err != nil {
				return Result[Out]{}, err
			}
			return Commit(ctx, c, c.Shard(), func(tx *store.Tx) (Result[Out], error) {
				return apply(ctx, c, tx, in, plan)
			})
		})
	})
}

// WithScope makes the operation take a token with a scope, whatever the role.
func (e Endpoint) WithScope(scope api.Scope) Endpoint { e.scope = scope; return e }

// WithScopeAdmin is WithScope for what gives or takes away access, and for whatever holds it: tokens, invites, grants.
func (e Endpoint) WithScopeAdmin() Endpoint { return e.WithScope(api.ScopeAdmin) }

// Scope is the scope that a token needs for the operation. Where the path has no token, it is nobody's.
func (e Endpoint) Scope() api.Scope {
	switch {
	case e.scope != "":
		return e.scope
	case e.Need.Role == api.RoleAdmin:
		return api.ScopeAdmin
	case e.Row.Writes():
		return api.ScopeWrite
	}
	return api.ScopeRead
}

// Of says which record the operation is about: see Record.
func (e Endpoint) Of(record Record) Endpoint { e.record = record; return e }

// OfOwn says which record of the caller's own the operation is about. It need not be there yet.
func (e Endpoint) OfOwn(record Record) Endpoint { e.record, e.own = record, true; return e }

// IsOf reports whether the mount says which record the operation is about.
func (e Endpoint) IsOf() bool { return e.record != nil }

// MatchingHead makes If-Match mean the head that the operation moves.
func (e Endpoint) MatchingHead() Endpoint { e.onHead = true; return e }

// compile prepares the binding of the row's input. It panics when the contract is wrong, at start.
func (e Endpoint) compile(c *api.Compiler) Endpoint {
	e.binder = binder{row: e.Row, input: c.Input(e.Row), limits: c.Limits}
	e.params = e.Row.PathParams()
	return e
}

// newInput returns a pointer to a fresh In.
func (e Endpoint) newInput() reflect.Value { return reflect.New(e.Row.In) }
