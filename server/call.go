package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// call is one request on its way through the adapter.
type call struct {
	ctx       context.Context // the call is what travels in the context
	request   *http.Request
	requestID string
	endpoint  *Endpoint
	path      func(name string) string
	in        any // *In of the row
	body      []byte
	dryRun    bool

	org       string // of the path, "" without one
	principal string // user that the token claims; believed only once the pipeline has run
	caller    *Caller
	shape     *store.Shape
	guards    []store.Guard // what the permission rests on; the transaction re-checks it
	finish    any           // finish[Out] of the row
	lastUse   string        // of the token, as stored
}

type callKey struct{}

// callFrom returns the call that a handler runs for.
func callFrom(ctx context.Context) *call {
	c, _ := ctx.Value(callKey{}).(*call)
	return c
}

// callerFrom returns who a handler runs for.
func callerFrom(ctx context.Context) *Caller { return callFrom(ctx).caller }

// organization finds the organization that the path is about; ids of spaces and collections contain it.
func (c *call) organization() (id string, ok bool) {
	for _, name := range api.PathParams(c.endpoint.row.Path) {
		switch name {
		case "organization":
			return c.path(name), true
		case "space", "collection":
			return store.HomeOrganization(c.path(name))
		}
	}
	return "", true
}

// shard is where the operation's transaction happens.
func (c *call) shard() store.Shard {
	if c.org == "" {
		return store.User(c.caller.User)
	}
	return store.Organization(c.org)
}

// withShape lets fn look at the organization's shape. fn must not keep it, nor call the store.
func (c *call) withShape(fn func(*shape)) {
	c.shape.View(func(m store.Model) {
		if sh, ok := m.(*shape); ok {
			fn(sh)
		}
	})
}

// guard adds the shape entries of a node and of everything above it to the read set of the request's transaction.
func (c *call) guard(sh *shape, id string) {
	for _, at := range sh.entries(id) {
		c.guards = append(c.guards, store.FieldGuard(store.ShapesKey(c.org), at.id, at.entry, true))
	}
}

// hold is guard for what is only known inside the transaction: the entries have to be as the shape has them, else
// the request is begun again.
func (c *call) hold(tx *store.Tx, path []pathEntry) error {
	shapes := store.ShapesKey(c.org)
	fields := make([]store.Key, len(path))
	for i, at := range path {
		fields[i] = shapes.Field(at.id)
	}
	if err := tx.Prefetch(fields...); err != nil {
		return err
	}
	for _, at := range path {
		entry, ok, err := tx.Field(shapes, at.id)
		if err != nil {
			return err
		}
		if !ok || entry != at.entry {
			return store.ErrStale
		}
	}
	return nil
}

// record is the record that If-Match speaks of: the most special one that the path names.
func (c *call) record() (store.Key, bool) {
	org := c.org
	names := api.PathParams(c.endpoint.row.Path)
	for _, name := range slices.Backward(names) {
		id := c.path(name)
		switch name {
		case "organization":
			return store.OrganizationKey(org), true
		case "collection":
			return store.CollectionKey(org, id), true
		case "space":
			return store.SpaceKey(org, id), true
		case "changeRequest":
			return store.ChangeRequestKey(org, requestKey(c.path("space"), id)), true
		case "comment":
			return store.CommentKey(org, id), true
		case "reply":
			return store.ReplyKey(org, id), true
		case "token":
			return store.TokenKey(c.caller.User, id), true
		}
	}
	return store.Key{}, false
}

// Caller is the authenticated principal, with what the organization of the request gives it.
type Caller struct {
	User         string
	Token        string
	Scopes       []api.Scope
	Organization string // the only one that the token works in, "" for all

	Role   api.Role // in the organization; guest without a membership, too: see member
	Grants map[string]api.Role
	Teams  map[string]bool

	member      *store.MemberPrivate
	contentRole api.Role // effective role in the content that the need names
}

func (c *Caller) allows(wanted api.Scope) bool {
	rank := map[api.Scope]int{api.ScopeRead: 1, api.ScopeWrite: 2, api.ScopeAdmin: 3}
	for _, has := range c.Scopes {
		if rank[has] >= rank[wanted] {
			return true
		}
	}
	return false
}

// requestKey names a change request inside the organization. Both forms of {changeRequest} lead to it: an id
// ends in the number, so no look-up is needed.
func requestKey(space, idOrNumber string) string {
	number := idOrNumber[strings.LastIndexByte(idOrNumber, '_')+1:]
	return space + "-" + number
}
