package rest

import (
	"cmp"
	"errors"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/eventlog"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Call is a request whose caller is identified. It is passed to handlers, including the Finish functions of reads.
type Call struct {
	Request

	Caller *access.Caller // never nil in a handler
	// authorized is set once the caller may perform the operation: later errors have other causes.
	authorized   bool
	charged      budgets.Requester // requester that slow work is charged to; zero until authorized
	Model        *txn.Feed
	Guards       []txn.Guard // conditions of the permission, checked again by the transaction
	onCommit     func()      // called after the transaction is committed
	notes        map[string]string
	difference   eventlog.Diff   // see NoteChange
	bodyIDs      []any           // pairs of subject and id, see LogID
	tokenLastUse string          // stored time of the token's last use
	allowance    auth.Allowance  // remaining requests of the principal in this minute
	trace        *txn.Trace      // commits made for the request
	refused      *auth.Refusal   // set if the token exists and was refused
	bodyPermit   *budgets.Permit // for a large body; nil if it is not
}

// requester returns the requester that slow work is charged to. Its tenant is the organization of the request, else the user, else
// the client's address.
func (c *Call) requester() budgets.Requester {
	p := budgets.Requester{Tenant: c.Org, Person: c.Caller.User, Reading: !c.Endpoint.Row.Writes()}
	switch {
	case c.Caller.User == "":
		p.Tenant = auth.Address(c.HTTP)
	case c.Org == "":
		p.Tenant = c.Caller.User
	}
	return p
}

// holdBody waits for a permit for the bytes of a large body. The request holds it until its end.
func (c *Call) holdBody(bytes int64) (err error) {
	c.releaseBody() // of an earlier attempt to read the body
	owner := budgets.Requester{Tenant: cmp.Or(c.Caller.User, auth.Address(c.HTTP))}
	c.bodyPermit, err = c.pipeline.bodies.Take(c.ctx, owner, bytes)
	if errors.Is(err, budgets.ErrBusy) {
		e := api.Errorf(http.StatusServiceUnavailable, api.ReasonBusy,
			"Too many large bodies arrive at the moment; this one of %d bytes was not read, and nothing was changed.", bytes).
			WithHint("Send one after the other, or try again in a moment.")
		e.RetryAfter = busyRetryAfter
		return e
	}
	return err
}

// releaseBody releases the permit of holdBody.
func (c *Call) releaseBody() {
	if c.bodyPermit != nil {
		c.bodyPermit.Done()
	}
}

// entry returns the id of the space or collection whose objects the path is about; ok is false if there is none.
func (c *Call) entry() (id string, ok bool) {
	params := c.Endpoint.params
	if len(params) == 0 || params[0].Subject != "space" && params[0].Subject != "collection" {
		return "", false
	}
	return c.pathValue(params[0].Name), true
}

// followTransfer switches the call to the organization that now owns the space or collection of the path, if it was
// transferred, and clears the guards. It reports whether it did so.
func (c *Call) followTransfer() (moved bool) {
	entry, ok := c.entry()
	if !ok || c.Model == nil {
		return false
	}
	c.Access(func(model *access.Model) {
		if now := model.MovedTo(entry); now != "" && now != c.Org {
			c.Org, c.Guards, moved = now, nil, true
		}
	})
	return moved
}

// Shard returns the shard of the operation's transaction.
func (c *Call) Shard() redis.Shard {
	if c.Path("integration") != "" {
		return store.Integrations()
	}
	if c.Org == "" {
		return store.User(c.Caller.User)
	}
	return store.Organization(c.Org)
}

// Access calls fn with the organization's access model. fn must neither retain the model nor access the store.
func (c *Call) Access(fn func(*access.Model)) {
	if need := c.Endpoint.Need; need.Kind == auth.ByMembership && need.AcceptsTrash {
		access.ViewIncludingTrash(c.Model, fn)
		return
	}
	access.View(c.Model, fn)
}

// addGuards adds the entries that the caller's role depends on to the read set of the transaction.
func (c *Call) addGuards(dependencies []access.Dependency) {
	for _, at := range dependencies {
		c.Guards = append(c.Guards, txn.FieldGuard(txn.EntriesKey(c.Org), at.ID, at.Entry, true))
	}
}

// Recheck is like addGuards for entries that are only known inside the transaction: it returns ErrStale, which restarts the
// request, if one of them differs from the model.
func (c *Call) Recheck(tx *store.Tx, path []access.Dependency) error {
	entries := txn.EntriesKey(c.Org)
	fields := make([]redis.Key, len(path))
	for i, at := range path {
		fields[i] = entries.Field(at.ID)
	}
	if err := tx.Prefetch(fields...); err != nil {
		return err
	}
	for _, at := range path {
		entry, ok, err := tx.Field(entries, at.ID)
		if err != nil {
			return err
		}
		if !ok || entry != at.Entry {
			return redis.ErrStale
		}
	}
	return nil
}

// IsVisit reports whether a site is shown as a visitor sees it: the caller is a visitor, or sends a visitor token to
// preview.
func (c *Call) IsVisit() bool { return c.Caller.IsVisitor || c.jwt != "" }

// Visitor returns the caller's credentials as a visitor of a site.
func (c *Call) Visitor() access.Visitor {
	v := access.Visitor{Claims: c.claims, Agent: c.Caller.IsExcludable()}
	if c.ShareKey != "" {
		v.Digest = auth.Digest(c.ShareKey)
	}
	return v
}

// AddressReason returns why the caller is given signed addresses of the content of a space.
func (c *Call) AddressReason(space string) (r access.Reason) {
	if c.Caller.IsVisitor {
		c.Access(func(model *access.Model) { r = model.VisitReason(space, c.Visitor()) })
		return r
	}
	return access.Reason{Organization: c.Org}
}

// Record returns the key of the record that the operation is about; ok is false if there is none.
func (c *Call) Record() (key redis.Key, ok bool) {
	if c.Endpoint.record == nil {
		return redis.Key{}, false
	}
	return c.Endpoint.record(c), true
}

// InOrganization returns a copy of the call for another organization. Its caller has no role until LoadMembership is called.
func (c *Call) InOrganization(org string) *Call {
	other, caller := *c, c.Caller.WithoutMembership()
	other.Org, other.Guards, other.Caller = org, nil, &caller
	return &other
}

// WithModel returns a copy of the call whose caller has the membership that a later model of the organization has.
func (c *Call) WithModel(model *txn.Feed) *Call {
	other, caller := *c, c.Caller.WithoutMembership()
	other.Caller, other.Guards = &caller, nil
	other.LoadMembership(model)
	return &other
}

// LoadMembership sets the model of the call's organization and the caller's membership in it.
func (c *Call) LoadMembership(model *txn.Feed) {
	c.Model = model
	c.addMembership()
}

// SetOrganization sets the organization of the call where only the body names it, so that the idempotency record is stored
// there.
func (c *Call) SetOrganization(org string) { c.Org = org }

// SetModel sets the model of the call's organization, for handlers that read it with a pipeline of their own.
func (c *Call) SetModel(model *txn.Feed) { c.Model = model }

// Identity returns the organization of the call and the user that makes it.
func (c *Call) Identity() (org, user string) { return c.Org, c.Caller.User }

// WhenCommitted registers fn to be called after the call's transaction is committed.
func (c *Call) WhenCommitted(fn func()) { c.onCommit = fn }

// Withhold marks a refusal that depends on the caller's present access, so that no stored response is replayed for it.
func Withhold(e error) error { return withheldError{e} }
