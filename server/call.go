package server

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
	"docspace.dev/wsd/server/budgets"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// call is one request on its way through the adapter.
type call struct {
	ctx       context.Context // the call is what travels in the context
	base      context.Context // of ctx, without an end in time: see allow
	endings   []context.CancelFunc
	request   *http.Request
	requestID string
	endpoint  *Endpoint
	raw       func(name string) string // parameter of the path
	in        any                      // *In of the row
	body      []byte
	dryRun    bool
	shareKey  string // of a visitor
	jwt       string // a visitor's token
	store     *store.Store
	cursors   store.Cursors
	limits    *budgets.Budgets
	claims    access.ClaimsOf // of a visitor

	org       string // of the path, "" without one
	principal string // user that the token claims; believed only once the pipeline has run
	caller    *access.Caller
	// authorized says that the caller may do what the request asks for: what fails now, fails for other reasons.
	authorized bool
	shape      *store.Shape
	guards     []store.Guard  // what the permission rests on; the transaction re-checks it
	finish     any            // finish[Out] of the row
	committed  func()         // is run once the transaction of the request is committed
	lastUse    string         // of the token, as stored
	allowance  auth.Allowance // what the principal may still do in this minute
	written    *store.Trace   // what was committed for it
}

// party is whom the call's slow work is for: the organization of the request; where there is none, the user; of
// strangers, the address that they come from.
func (c *call) party() string {
	switch {
	case c.caller.User == "":
		return auth.Address(c.request)
	case c.org == "":
		return c.caller.User
	}
	return c.org
}

// organization finds the organization that the path is about; ids of spaces and collections contain it.
func (c *call) organization() (id string, ok bool) {
	for _, p := range c.endpoint.params {
		switch p.Subject {
		case "organization":
			return c.raw(p.Name), true
		case "space", "collection":
			return store.HomeOrganization(c.raw(p.Name))
		}
	}
	return "", true
}

// path is what the path names as a subject, or "": the id of the space.
func (c *call) path(subject string) string {
	for _, p := range c.endpoint.params {
		if p.Subject == subject {
			return c.raw(p.Name)
		}
	}
	return ""
}

// follow turns to the organization that has the space or collection of the path now, if that is not its home.
func (c *call) follow() (moved bool) {
	params := c.endpoint.params
	if len(params) == 0 || params[0].Subject != "space" && params[0].Subject != "collection" || c.shape == nil {
		return false
	}
	c.withShape(func(sh *access.Model) {
		if now := sh.MovedTo(c.raw(params[0].Name)); now != "" && now != c.org {
			c.org, c.guards, moved = now, nil, true
		}
	})
	return moved
}

// shard is where the operation's transaction happens.
func (c *call) shard() redis.Shard {
	if c.path("integration") != "" {
		return store.Integrations()
	}
	if c.org == "" {
		return store.User(c.caller.User)
	}
	return store.Organization(c.org)
}

// withShape lets fn look at the organization's shape. fn must not keep it, nor call the store.
func (c *call) withShape(fn func(*access.Model)) {
	access.Look(c.shape, fn)
}

// guard adds what the caller's role rests on to the read set of the request's transaction.
func (c *call) guard(grounds []access.Dependency) {
	for _, at := range grounds {
		c.guards = append(c.guards, store.FieldGuard(store.ShapesKey(c.org), at.ID, at.Entry, true))
	}
}

// hold is guard for what is only known inside the transaction: the entries have to be as the shape has them, else
// the request is begun again.
func (c *call) hold(tx *store.Tx, path []access.Dependency) error {
	shapes := store.ShapesKey(c.org)
	fields := make([]redis.Key, len(path))
	for i, at := range path {
		fields[i] = shapes.Field(at.ID)
	}
	if err := tx.Prefetch(fields...); err != nil {
		return err
	}
	for _, at := range path {
		entry, ok, err := tx.Field(shapes, at.ID)
		if err != nil {
			return err
		}
		if !ok || entry != at.Entry {
			return redis.ErrStale
		}
	}
	return nil
}

// visits reports whether a site is shown as its visitors see it: to them, and to whoever brings a visitor's token to
// look with their eyes.
func (c *call) visits() bool { return c.caller.IsVisitor || c.jwt != "" }

// visit is what the caller brings along as a visitor.
func (c *call) visit() access.Visitor {
	v := access.Visitor{Claims: c.claims, Agent: c.caller.Agent}
	if c.shareKey != "" {
		v.Digest = auth.Digest(c.shareKey)
	}
	return v
}

// record is the record that If-Match speaks of: the most special one that the path names.
func (c *call) record() (redis.Key, bool) {
	org := c.org
	params := c.endpoint.params
	for _, p := range slices.Backward(params) {
		id := c.raw(p.Name)
		switch p.Subject {
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
		case "review":
			return store.ReviewKey(org, id), true
		case "site":
			return store.SiteKey(org, id), true
		case "shareLink":
			return store.ShareLinkKey(org, id), true
		case "reply":
			return store.ReplyKey(org, id), true
		case "spec":
			return store.OpenAPISpecKey(org, id), true
		case "invite":
			return store.InviteKey(org, id), true
		case "linkInvite":
			return store.LinkInviteKey(org, id), true
		case "team":
			if c.path("organization") != "" && c.path("site") == "" { // and not in the permissions of content
				return store.TeamKey(org, id), true
			}
		case "user":
			if c.path("organization") != "" && c.path("site") == "" { // and not a reviewer of a change request
				return store.MemberKey(org, id), true
			}
			if len(params) == 1 {
				return store.UserKey(id), true
			}
		case "translation":
			return store.TranslationKey(org, id), true
		case "transfer":
			return store.TransferredKey(org, id), true
		case "samlProvider":
			return store.SAMLProviderKey(org, id), true
		case "integration":
			return store.IntegrationKey(id), true
		case "installation":
			return store.InstallationKey(id), true
		case "token":
			return store.TokenKey(c.caller.User, id), true
		}
	}
	return redis.Key{}, false
}

// requestKey names a change request inside the organization. Both forms of {changeRequest} lead to it: an id
// ends in the number, so no look-up is needed.
func requestKey(space, idOrNumber string) string {
	number := idOrNumber[strings.LastIndexByte(idOrNumber, '_')+1:]
	return space + "-" + number
}
