package rest

import (
	"context"
	"net/http"
	"reflect"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Call is one request on its way through the adapter.
type Call struct {
	ctx       context.Context // the call is what travels in the context
	base      context.Context // of ctx, without an end in time: see allow
	endings   []context.CancelFunc
	Request   *http.Request
	requestID string
	Endpoint  *Endpoint
	raw       func(name string) string // parameter of the path
	in        any                      // *In of the row
	Body      []byte
	ShareKey  string // of a visitor
	jwt       string // a visitor's token
	pipeline  *Pipeline
	claims    access.ClaimsOf // of a visitor

	Org       string // of the path, "" without one
	Principal string // user that the token claims; believed only once the pipeline has run
	Caller    *access.Caller
	// authorized says that the caller may do what the request asks for: what fails now, fails for other reasons.
	authorized bool
	DryRun     bool
	unknown    *api.Unknown // of a request that asks to ignore what is not known
	worksFor   string       // whom slow work is for, as soon as that is known: see party
	Model      *txn.Feed
	Guards     []txn.Guard // what the permission rests on; the transaction re-checks it
	finish     any         // finish[Out] of the row
	committed  func()      // is run once the transaction of the request is committed
	notes      map[string]string
	lastUse    string         // of the token, as stored
	allowance  auth.Allowance // what the principal may still do in this minute
	written    *txn.Trace     // what was committed for it
}

// input is what the row takes, as the binder fills it.
func (c *Call) input() reflect.Value { return reflect.ValueOf(c.in).Elem() }

// party is whom the call's slow work is for: the organization of the request; where there is none, the user; of
// strangers, the address that they come from.
func (c *Call) party() string {
	switch {
	case c.Caller.User == "":
		return auth.Address(c.Request)
	case c.Org == "":
		return c.Caller.User
	}
	return c.Org
}

// organization finds the organization that the path is about; ids of spaces and collections contain it. What integrations
// are installed on is theirs.
func (c *Call) organization() (id string, ok bool) {
	for _, p := range c.Endpoint.params {
		switch p.Subject {
		case "integration":
			return "", true
		case "organization":
			return c.raw(p.Name), true
		case "space", "collection":
			return txn.HomeOrganization(c.raw(p.Name))
		}
	}
	return "", true
}

// Path is what the path names as a subject, or "": the id of the space.
func (c *Call) Path(subject string) string {
	for _, p := range c.Endpoint.params {
		if p.Subject == subject {
			return c.raw(p.Name)
		}
	}
	return ""
}

// follow turns to the organization that has the space or collection of the path now, if that is not its home.
func (c *Call) follow() (moved bool) {
	params := c.Endpoint.params
	if len(params) == 0 || params[0].Subject != "space" && params[0].Subject != "collection" || c.Model == nil {
		return false
	}
	c.Access(func(model *access.Model) {
		if now := model.MovedTo(c.raw(params[0].Name)); now != "" && now != c.Org {
			c.Org, c.Guards, moved = now, nil, true
		}
	})
	return moved
}

// Shard is where the operation's transaction happens.
func (c *Call) Shard() redis.Shard {
	if c.Path("integration") != "" {
		return store.Integrations()
	}
	if c.Org == "" {
		return store.User(c.Caller.User)
	}
	return store.Organization(c.Org)
}

// Access lets fn look at the organization's model. fn must not keep it, nor call the store.
func (c *Call) Access(fn func(*access.Model)) {
	if need := c.Endpoint.Need; need.Kind == auth.ByMembership && need.Deleted {
		access.LookInside(c.Model, fn)
		return
	}
	access.Look(c.Model, fn)
}

// guard adds what the caller's role rests on to the read set of the request's transaction.
func (c *Call) guard(dependencies []access.Dependency) {
	for _, at := range dependencies {
		c.Guards = append(c.Guards, txn.FieldGuard(txn.EntriesKey(c.Org), at.ID, at.Entry, true))
	}
}

// Recheck is guard for what is only known inside the transaction: the entries have to be as the model has them, else
// the request is begun again.
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

// IsVisit reports whether a site is shown as its visitors see it: to them, and to whoever brings a visitor's token to
// look with their eyes.
func (c *Call) IsVisit() bool { return c.Caller.IsVisitor || c.jwt != "" }

// Visitor is what the caller brings along as a visitor.
func (c *Call) Visitor() access.Visitor {
	v := access.Visitor{Claims: c.claims, Agent: c.Caller.Agent}
	if c.ShareKey != "" {
		v.Digest = auth.Digest(c.ShareKey)
	}
	return v
}

// Record is the key of the record that the operation is about; ok is false where there is none.
func (c *Call) Record() (key redis.Key, ok bool) {
	if c.Endpoint.record == nil {
		return redis.Key{}, false
	}
	return c.Endpoint.record(c), true
}

// InOrganization is the request as it would be in another organization, where the caller is nobody yet: see enter.
func (c *Call) InOrganization(org string) *Call {
	other := *c
	other.Org, other.Guards = org, nil
	other.Caller = &access.Caller{User: c.Caller.User, Token: c.Caller.Token, Scopes: c.Caller.Scopes, Organization: c.Caller.Organization, MadeAt: c.Caller.MadeAt, Installation: c.Caller.Installation}
	return &other
}

// Enter measures the caller in the organization of the call by its model.
func (c *Call) Enter(model *txn.Feed) {
	c.Model = model
	c.loadMembership()
}

// TurnTo makes an organization that only the body names that of the call: its answer is remembered there.
func (c *Call) TurnTo(org string) { c.Org = org }

// Know lets the call look at the model of its organization, which came with a pipeline of the handler's own.
func (c *Call) Know(model *txn.Feed) { c.Model = model }

// Note adds something to the event of the call's transaction, from inside that: an id, a number or a word, never a text.
// The timeline of a change request is made of these.
func (c *Call) Note(name, value string) {
	if c.notes == nil {
		c.notes = map[string]string{}
	}
	c.notes[name] = value
}

// WhenCommitted runs fn once the transaction of the call is committed.
func (c *Call) WhenCommitted(fn func()) { c.committed = fn }

// Withhold marks a refusal because of who the caller is now: see withheld.
func Withhold(e error) error { return withheld{e} }

// Context is the context that the call's work runs in.
func (c *Call) Context() context.Context { return c.ctx }
