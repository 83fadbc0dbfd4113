package rest

import (
	"context"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/metrics"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// Endpoint is a row of the contract together with its required permission and its handler.
type Endpoint struct {
	Row            api.Row
	Need           auth.Need
	scope          api.Scope // required scope of a token; "" = derived from role and method
	record         Record    // record that the operation is about; nil if the path names none
	peopleOnly     bool      // service accounts are refused
	absentNeed     auth.Need // callers for whom an absent object counts as deleted
	createdByWrite bool      // the record is created by the caller's first write; until then its version is 0
	matchHead      bool      // If-Match refers to the head of the change request or space instead of the record
	handlerRow     api.Row   // row of the handler, if Row is its twin (see Twins)
	binder         binder
	upload         *binder          // of requests whose body is content; nil if the row has no such form
	metrics        *metrics.Route   // nil if requests are not counted
	params         []api.PathParam  // path parameters of the row
	members        eventlog.Members // of the object that the operation changes, for events
	answer         eventlog.Members // of the response, for events

	// prefetch queues the operation's reads into the request's first pipeline. It is nil for most writes.
	prefetch func(r *Request, b *txn.Batch)
	run      func(c *Call) (Result[any], error)
}

// Finish completes a read after the pipeline has run and the caller is authorized.
type Finish[Out any] func(ctx context.Context, c *Call) (Result[Out], error)

// Read mounts an operation whose records are read with the request's first pipeline: start queues the reads, before the caller
// is identified, and returns the function that builds the result.
func Read[In, Out any](
	route api.Route[In, Out], need auth.Need, start func(context.Context, *Request, *txn.Batch, In) Finish[Out],
) Endpoint {
	return Endpoint{
		Row: route.Row, Need: need,
		prefetch: func(r *Request, b *txn.Batch) {
			r.finish = start(r.ctx, r, b, *r.in.(*In))
		},
		run: func(c *Call) (Result[any], error) {
			r, err := c.finish.(Finish[Out])(c.ctx, c)
			return r.untyped(), err
		},
	}
}

// Op mounts an operation that does its own reads and, if it writes, its own commit.
func Op[In, Out any](route api.Route[In, Out], need auth.Need, handle func(context.Context, *Call, In) (Result[Out], error)) Endpoint {
	return Endpoint{
		Row: route.Row, Need: need,
		run: func(c *Call) (Result[any], error) {
			r, err := handle(c.ctx, c, *c.in.(*In))
			return r.untyped(), err
		},
	}
}

// Write mounts an operation that is one transaction of the organization, or of the user for operations on the
// caller's account. handle runs inside store.Update and may run more than once.
func Write[In, Out any](
	route api.Route[In, Out], need auth.Need, handle func(context.Context, *Call, *store.Tx, In) (Result[Out], error),
) Endpoint {
	return Op(route, need, func(ctx context.Context, c *Call, in In) (Result[Out], error) {
		return Commit(ctx, c, c.Shard(), func(tx *store.Tx) (Result[Out], error) {
			return handle(ctx, c, tx, in)
		})
	})
}

// Planned mounts a write whose slow work is done before the transaction: prepare reads and computes a plan, apply
// checks that the heads of the plan are still current and writes. When a head has moved, both run again.
func Planned[In, Plan, Out any](route api.Route[In, Out], need auth.Need,
	prepare func(context.Context, *Call, In) (Plan, error),
	apply func(context.Context, *Call, *store.Tx, In, Plan) (Result[Out], error),
) Endpoint {
	return Op(route, need, func(ctx context.Context, c *Call, in In) (Result[Out], error) {
		return RetryPlan(func() (Result[Out], error) {
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

// WithScope returns e requiring a token with the given scope, regardless of the role.
func (e Endpoint) WithScope(scope api.Scope) Endpoint { e.scope = scope; return e }

// WithScopeAdmin returns e requiring the admin scope. It is for operations that grant or revoke access, and those on
// tokens, invites and grants.
func (e Endpoint) WithScopeAdmin() Endpoint { return e.WithScope(api.ScopeAdmin) }

// Scope returns the scope that a token needs for the operation. It is irrelevant if the operation needs no token.
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

// ForPeople returns e refusing service accounts. It is for operations that create accounts, memberships, tokens or organizations.
func (e Endpoint) ForPeople() Endpoint { e.peopleOnly = true; return e }

// IsForPeople reports whether the endpoint refuses service accounts.
func (e Endpoint) IsForPeople() bool { return e.peopleOnly }

// On returns e with the record that the operation is about.
func (e Endpoint) On(record Record) Endpoint { e.record = record; return e }

// OnOwn is like On for a record of the caller's own that need not exist yet.
func (e Endpoint) OnOwn(record Record) Endpoint { e.record, e.createdByWrite = record, true; return e }

// HasRecord reports whether the endpoint has a record that it is about.
func (e Endpoint) HasRecord() bool { return e.record != nil }

// MatchHead returns e with If-Match referring to the head that the operation moves.
func (e Endpoint) MatchHead() Endpoint { e.matchHead = true; return e }

// compile prepares the binding of the row's input. It panics if the row is invalid.
func (e Endpoint) compile(c *api.Compiler) Endpoint {
	e.binder = binder{row: e.Row, input: c.Input(e.Row), limits: c.Limits}
	if e.handlerRow.In != nil {
		e.binder.input = remapInput(e.binder.input, e.Row, e.handlerRow, c)
	}
	if form := e.binder.input.Upload; form != nil {
		e.upload = &binder{row: e.Row.Upload.Form(e.Row), input: *form, limits: c.Limits}
	}
	e.params = e.Row.PathParams()
	if e.Row.Writes() {
		e.answer = eventlog.NewMembers(c.Compile(e.Row.Out))
		e.members = e.answer
		if reader, ok := api.ReaderOf(e.Row); ok {
			e.members = eventlog.NewMembers(c.Compile(reader.Out))
		}
	}
	return e
}

// newInput returns a pointer to a new input of the handler.
func (e Endpoint) newInput() reflect.Value {
	if e.handlerRow.In != nil {
		return reflect.New(e.handlerRow.In)
	}
	return reflect.New(e.Row.In)
}

// permissions describes who may call the operation.
func (e Endpoint) permissions() string {
	text := e.Need.Describe()
	if e.Need.Kind == auth.Anybody {
		return text
	}
	text += " A token needs the scope " + string(e.Scope()) + "."
	if e.peopleOnly {
		text += " Service accounts are refused."
	}
	return text
}
