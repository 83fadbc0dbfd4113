package server

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
)

// needKind says what a Need is measured on.
type needKind int

const (
	denied       needKind = iota // the zero Need: a mount without one answers nobody
	anybody                      // no token needed
	signedIn                     // any valid token
	byMembership                 // role in an organization
	byContent                    // effective role in a space or collection
	bySite                       // role in a site
)

// Need is who may call an operation: a column of every mount (design sections 3 and 5).
type Need struct {
	kind  needKind
	role  api.Role
	scope string // the path parameter that names the organization, collection or space
	// deleted lets the operation see a deleted space: only get and restore do.
	deleted bool
	// owned measures who may see the content by their role in its organization: a role that somebody was given in the
	// content alone is not enough.
	owned bool
	// visited lets visitors in, too: callers without a role to whom a site is published.
	visited bool
}

// public serves callers without a token, too; a wrong token is 401 everywhere (decisions, Statuses and bodies).
func public() Need { return Need{kind: anybody} }

// self asks for a valid token.
func self() Need { return Need{kind: signedIn} }

// member asks for membership in the organization of the path, guests included.
func member() Need { return Need{kind: byMembership, role: api.RoleGuest, scope: "organization"} }

// inOrganization asks for a role in the organization of the path; read is every member but guests.
func inOrganization(role api.Role) Need {
	return Need{kind: byMembership, role: role, scope: "organization"}
}

// inSpace asks for an effective role in the space of the path.
func inSpace(role api.Role) Need { return Need{kind: byContent, role: role, scope: "space"} }

// inCollection asks for an effective role in the collection of the path.
func inCollection(role api.Role) Need { return Need{kind: byContent, role: role, scope: "collection"} }

// inSite asks for a role in the site of the path.
func inSite(role api.Role) Need { return Need{kind: bySite, role: role, scope: "site"} }

func (n Need) evenDeleted() Need { n.deleted = true; return n }

// ofOrganization asks for the role in the organization, not in the content.
func (n Need) ofOrganization() Need { n.owned = true; return n }

// orVisitor serves visitors, too, by the audience rule of the sites that are published.
func (n Need) orVisitor() Need { n.visited = true; return n }

// tokenless reports whether a request without a token may be answered at all.
func (n Need) tokenless() bool { return n.kind == anybody || n.visited }

// String is the need as the route table shows it.
func (n Need) String() string {
	switch n.kind {
	case anybody:
		return "public"
	case signedIn:
		return "self"
	case byMembership, byContent, bySite:
		role := string(n.role)
		if n.role == api.RoleGuest {
			role = "member"
		}
		if n.visited {
			role += " or visitor"
		}
		if n.owned {
			role += " of the organization"
		}
		return role + "(" + n.scope + ")"
	case denied:
	}
	return "denied"
}

// authorize decides whether the caller may go on. What the caller may not see answers as what does not exist;
// what may be seen but not done answers 403 and says which role it takes. Whoever has no token and is no visitor is
// asked for one, be the thing there or not.
func (s *Server) authorize(c *call) error {
	err := s.permit(c)
	if err != nil && c.caller.User == "" {
		return c.signIn(unauthenticated())
	}
	return err
}

// signIn tells a visitor of a published site that asks for tokens what is wrong with theirs, and where to get one.
func (c *call) signIn(e *api.Error) error {
	if c.endpoint.need.kind != bySite || !c.endpoint.need.visited {
		return e
	}
	c.withShape(func(sh *access.Model) {
		id := c.path("site")
		n := sh.Site(id)
		if n == nil || !n.Published || n.Visibility != api.SiteVisitorAuth {
			return
		}
		if _, err := c.claims(id, n); c.jwt != "" && err != nil {
			e.Message = fmt.Sprintf("The token in %s is not valid: %s.", visitorTokenParam, err)
		}
		if n.FallbackURL != "" {
			_ = e.WithHint("Visitors sign in at %s, which sends them back with %s.", n.FallbackURL, visitorTokenParam)
		}
	})
	return e
}

func (s *Server) permit(c *call) error {
	need := c.endpoint.need
	switch need.kind {
	case anybody:
		if c.caller.User == "" {
			return nil
		}
		return c.inScope(c.endpoint.Scope())
	case signedIn:
		return c.inScope(c.endpoint.Scope())
	case byMembership:
		if !c.caller.IsMember {
			return api.NotFound()
		}
		if !c.caller.Role.AtLeast(need.role) {
			return forbidden(need, "this organization", c.caller.Role)
		}
		return c.inScope(c.endpoint.Scope())
	case byContent:
		if err := s.authorizeContent(c, need); err != nil {
			return err
		}
		return c.inScope(c.endpoint.Scope())
	case bySite:
		if err := s.authorizeSite(c, need); err != nil {
			return err
		}
		return c.inScope(c.endpoint.Scope())
	case denied:
	}
	return api.NotFound()
}

func (s *Server) authorizeContent(c *call, need Need) error {
	id := c.path(need.scope)
	if !c.caller.IsMember && !need.visited {
		return api.NotFound()
	}
	var err error
	c.withShape(func(sh *access.Model) {
		_, alive := sh.Active(id)
		n := sh.Node(id)
		if trashed := n != nil && n.Deleted != 0; !alive && (!trashed || !need.deleted) {
			err = api.NotFound()
			return
		}
		c.guard(sh.Dependencies(c.caller, id))
		role := sh.Role(c.caller, id)
		c.caller.ContentRole = role
		switch {
		case need.visited && !role.AtLeast(api.RoleRead) && sh.SpacePublishedTo(id, c.visit()):
			c.caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead), !alive && !role.AtLeast(api.RoleCreate):
			err = api.NotFound()
		case need.owned && !c.caller.Role.AtLeast(need.role):
			err = forbidden(need, "this organization", c.caller.Role)
		case !role.AtLeast(need.role):
			err = forbidden(need, "this "+need.scope, role)
		case n.Moving && c.endpoint.row.Writes():
			err = moving()
		}
	})
	return err
}

// moving refuses a write to what is on its way to another organization: there it will be carried out.
func moving() error {
	e := unavailable("It is being transferred to another organization; nothing was changed. Try again.")
	return &e
}

// authorizeSite measures the caller on a site. The decision rests on the site's shape entry.
func (s *Server) authorizeSite(c *call, need Need) error {
	id := c.path(need.scope)
	if !c.caller.IsMember && !need.visited {
		return api.NotFound()
	}
	var err error
	c.withShape(func(sh *access.Model) {
		n := sh.Site(id)
		if n == nil {
			err = api.NotFound()
			return
		}
		c.guard(sh.SiteDependencies(c.caller, id))
		role := sh.SiteRole(c.caller, id)
		c.caller.ContentRole = role
		switch {
		case need.visited && !role.AtLeast(api.RoleRead) && sh.PublishedTo(id, c.visit()):
			c.caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead):
			err = api.NotFound()
		case !role.AtLeast(need.role):
			err = forbidden(need, "this site", role)
		}
	})
	return err
}

// inScope holds the token's scopes against what is about to be done. Operations that are more for some requests than
// for others ask again when they know.
func (c *call) inScope(wanted api.Scope) error {
	if c.caller.User == "" || c.caller.HasScope(wanted) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This token lacks the scope %s.", wanted).
		WithHint("Make one with `wsctl tokens create` or `wsd token create`.")
}

func forbidden(need Need, where string, has api.Role) *api.Error {
	if has == api.RoleGuest {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; you are a guest.", need.role, where)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; yours is %s.", need.role, where, has).
		WithHint("An admin of the organization can give it to you.")
}
