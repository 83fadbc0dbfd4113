package server

import (
	"context"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/store"
)

// Endpoint is a row of the contract with who may call it and what happens: what the server mounts.
type Endpoint struct {
	row    api.Row
	need   auth.Need
	scope  api.Scope // that a token needs; "" = the one that goes with the role and the method
	onHead bool      // If-Match means the head of the change request or space, not its record
	binder binder
	params []api.PathParam // of the row

	// prefetch queues what the answer needs into the request's first pipeline. Nil for most writes.
	prefetch func(c *call, b *store.Batch)
	run      func(c *call) (Result[any], error)
}

// finish completes a read after the pipeline ran and the caller was authorized.
type finish[Out any] func(ctx context.Context) (Result[Out], error)

// read mounts an operation whose records come with the request's first pipeline: start queues them and returns
// what to do with them.
func read[In, Out any](route api.Route[In, Out], need auth.Need, start func(context.Context, *call, *store.Batch, In) finish[Out]) Endpoint {
	return Endpoint{
		row: route.Row, need: need,
		prefetch: func(c *call, b *store.Batch) {
			c.finish = start(c.ctx, c, b, *c.in.(*In))
		},
		run: func(c *call) (Result[any], error) {
			r, err := c.finish.(finish[Out])(c.ctx)
			return r.untyped(), err
		},
	}
}

// op mounts an operation that does its own reading, and its own commit if it writes.
func op[In, Out any](route api.Route[In, Out], need auth.Need, handle func(context.Context, *call, In) (Result[Out], error)) Endpoint {
	return Endpoint{
		row: route.Row, need: need,
		run: func(c *call) (Result[any], error) {
			r, err := handle(c.ctx, c, *c.in.(*In))
			return r.untyped(), err
		},
	}
}

// write mounts an operation that is one transaction of the organization, or of the user for operations on one's
// own account. The handler is the closure of store.Update: it may run more than once.
func write[In, Out any](route api.Route[In, Out], need auth.Need, handle func(context.Context, *call, *store.Tx, In) (Result[Out], error)) Endpoint {
	return op(route, need, func(ctx context.Context, c *call, in In) (Result[Out], error) {
		return commit(ctx, c, c.shard(), func(tx *store.Tx) (Result[Out], error) {
			return handle(ctx, c, tx, in)
		})
	})
}

// planned mounts a write whose slow work is done before the transaction: prepare reads and computes, apply
// re-checks the heads that the plan rests on and writes. When a head has moved, both run again.
func planned[In, Plan, Out any](route api.Route[In, Out], need auth.Need,
	prepare func(context.Context, *call, In) (Plan, error),
	apply func(context.Context, *call, *store.Tx, In, Plan) (Result[Out], error),
) Endpoint {
	return op(route, need, func(ctx context.Context, c *call, in In) (Result[Out], error) {
		return replanned(func() (Result[Out], error) {
			plan, err := prepare(ctx, c, in)
			if err != nil {
				return Result[Out]{}, err
			}
			return commit(ctx, c, c.shard(), func(tx *store.Tx) (Result[Out], error) {
				return apply(ctx, c, tx, in, plan)
			})
		})
	})
}

// withScope makes the operation take a token with a scope, whatever the role.
func (e Endpoint) withScope(scope api.Scope) Endpoint { e.scope = scope; return e }

// withScopeAdmin is withScope for what gives or takes away access, and for whatever holds it: tokens, invites, grants.
func (e Endpoint) withScopeAdmin() Endpoint { return e.withScope(api.ScopeAdmin) }

// Scope is the scope that a token needs for the operation. Where the path has no token, it is nobody's.
func (e Endpoint) Scope() api.Scope {
	switch {
	case e.scope != "":
		return e.scope
	case e.need.Role == api.RoleAdmin:
		return api.ScopeAdmin
	case e.row.Writes():
		return api.ScopeWrite
	}
	return api.ScopeRead
}

// matchingHead makes If-Match mean the head that the operation moves.
func (e Endpoint) matchingHead() Endpoint { e.onHead = true; return e }

// compile prepares the binding of the row's input. It panics when the contract is wrong, at start.
func (e Endpoint) compile(c *api.Compiler) Endpoint {
	e.binder = binder{row: e.row, input: c.Input(e.row), limits: c.Limits}
	e.params = e.row.PathParams()
	return e
}

// newInput returns a pointer to a fresh In.
func (e Endpoint) newInput() reflect.Value { return reflect.New(e.row.In) }
