package server

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/auth"
)

// authorize decides whether the caller may go on. What the caller may not see answers as what does not exist;
// what may be seen but not done answers 403 and says which role it takes. Whoever has no token and is no visitor is
// asked for one, be the thing there or not.
func (s *Server) authorize(c *call) error {
	err := s.permit(c)
	if err != nil && c.caller.User == "" {
		return c.signIn(auth.Unauthenticated())
	}
	return err
}

// signIn tells a visitor of a published site that asks for tokens what is wrong with theirs, and where to get one.
func (c *call) signIn(e *api.Error) error {
	if c.endpoint.need.Kind != auth.BySite || !c.endpoint.need.Visited {
		return e
	}
	c.withShape(func(sh *access.Model) {
		id := c.path("site")
		n := sh.Site(id)
		if n == nil || !n.Published || n.Visibility != api.SiteVisitorAuth {
			return
		}
		if _, err := c.claims(id, n); c.jwt != "" && err != nil {
			e.Message = fmt.Sprintf("The token in %s is not valid: %s.", auth.VisitorTokenParam, err)
		}
		if n.FallbackURL != "" {
			_ = e.WithHint("Visitors sign in at %s, which sends them back with %s.", n.FallbackURL, auth.VisitorTokenParam)
		}
	})
	return e
}

func (s *Server) permit(c *call) error {
	need := c.endpoint.need
	switch need.Kind {
	case auth.Anybody:
		if c.caller.User == "" {
			return nil
		}
		return c.inScope(c.endpoint.Scope())
	case auth.SignedIn:
		return c.inScope(c.endpoint.Scope())
	case auth.ByMembership:
		if !c.caller.IsMember {
			return api.NotFound()
		}
		if !c.caller.Role.AtLeast(need.Role) {
			return forbidden(need, "this organization", c.caller.Role)
		}
		return c.inScope(c.endpoint.Scope())
	case auth.ByContent:
		if err := s.authorizeContent(c, need); err != nil {
			return err
		}
		return c.inScope(c.endpoint.Scope())
	case auth.BySite:
		if err := s.authorizeSite(c, need); err != nil {
			return err
		}
		return c.inScope(c.endpoint.Scope())
	case auth.Denied:
	}
	return api.NotFound()
}

func (s *Server) authorizeContent(c *call, need auth.Need) error {
	id := c.path(need.Scope)
	if !c.caller.IsMember && !need.Visited {
		return api.NotFound()
	}
	var err error
	c.withShape(func(sh *access.Model) {
		_, alive := sh.Active(id)
		n := sh.Node(id)
		if trashed := n != nil && n.Deleted != 0; !alive && (!trashed || !need.Deleted) {
			err = api.NotFound()
			return
		}
		c.guard(sh.Dependencies(c.caller, id))
		role := sh.Role(c.caller, id)
		c.caller.ContentRole = role
		switch {
		case need.Visited && !role.AtLeast(api.RoleRead) && sh.SpacePublishedTo(id, c.visit()):
			c.caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead), !alive && !role.AtLeast(api.RoleCreate):
			err = api.NotFound()
		case need.Owned && !c.caller.Role.AtLeast(need.Role):
			err = forbidden(need, "this organization", c.caller.Role)
		case !role.AtLeast(need.Role):
			err = forbidden(need, "this "+need.Scope, role)
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
func (s *Server) authorizeSite(c *call, need auth.Need) error {
	id := c.path(need.Scope)
	if !c.caller.IsMember && !need.Visited {
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
		case need.Visited && !role.AtLeast(api.RoleRead) && sh.PublishedTo(id, c.visit()):
			c.caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead):
			err = api.NotFound()
		case !role.AtLeast(need.Role):
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

func forbidden(need auth.Need, where string, has api.Role) *api.Error {
	if has == api.RoleGuest {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; you are a guest.", need.Role, where)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; yours is %s.", need.Role, where, has).
		WithHint("An admin of the organization can give it to you.")
}
