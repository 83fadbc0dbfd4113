package rest

import (
	"fmt"
	"net/http"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
)

// require decides whether the caller may go on. What the caller may not see answers as what does not exist;
// what may be seen but not done answers 403 and says which role it takes. Whoever has no token and is no visitor is
// asked for one, be the thing there or not.
func (p *Pipeline) require(c *Call) error {
	c.authorized = false
	err := c.opened()
	if err == nil {
		err = p.permits(c, c.Endpoint.Need)
	}
	if err != nil && c.Caller.User == "" {
		return c.signIn(auth.Unauthenticated())
	}
	if err != nil {
		return err
	}
	c.authorized = true
	if party := c.party(); party != c.worksFor { // work of an earlier attempt may still read it
		c.worksFor = party
	}
	return nil
}

// signIn tells a visitor of a published site that asks for tokens what is wrong with theirs, and where to get one.
func (c *Call) signIn(e *api.Error) error {
	if c.Endpoint.Need.Kind != auth.BySite || !c.Endpoint.Need.Visited {
		return e
	}
	c.Access(func(model *access.Model) {
		id := c.Path("site")
		n := model.Site(id)
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

// permits decides whether the caller meets a need.
func (p *Pipeline) permits(c *Call, need auth.Need) error {
	switch need.Kind {
	case auth.Anybody:
		if c.Caller.User == "" {
			return nil
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.SignedIn:
		return c.RequireScope(c.Endpoint.Scope())
	case auth.ByMembership:
		if !c.Caller.IsMember {
			return api.NotFound()
		}
		if !c.Caller.Role.AtLeast(need.Role) {
			return c.closed(Forbidden(need, "this organization", c.Caller.Role))
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.ByContent:
		if err := p.authorizeContent(c, need); err != nil {
			return err
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.BySite:
		if err := p.authorizeSite(c, need); err != nil {
			return err
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.Denied:
	}
	return api.NotFound()
}

func (p *Pipeline) authorizeContent(c *Call, need auth.Need) error {
	id := c.Path(need.Scope)
	if !c.Caller.IsMember && !need.Visited {
		return api.NotFound()
	}
	var err error
	c.Access(func(model *access.Model) {
		_, active := model.Active(id)
		n := model.Entry(id)
		if trashed := model.Trashed(id) != ""; !active && (!trashed || !need.Deleted) {
			err = api.NotFound()
			return
		}
		c.guard(model.Dependencies(c.Caller, id))
		role := model.Role(c.Caller, id)
		c.Caller.ContentRole = role
		switch {
		case need.Visited && !role.AtLeast(api.RoleRead) && c.mayVisit() && model.SpacePublishedTo(id, c.Visitor()):
			c.Caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead), !active && !role.AtLeast(api.RoleCreate):
			err = api.NotFound()
		case need.Owned && !c.Caller.Role.AtLeast(need.Role):
			err = Forbidden(need, "this organization", c.Caller.Role)
		case !role.AtLeast(need.Role):
			err = Forbidden(need, "this "+need.Scope, role)
		case n.Moving && c.Endpoint.Row.Writes():
			err = Moving()
		}
	})
	return err
}

// closed withholds a refusal that would tell of an organization in the trash.
func (c *Call) closed(e *api.Error) (err error) {
	err = e
	c.Access(func(model *access.Model) {
		if model.Closed() {
			err = api.NotFound()
		}
	})
	return err
}

// Moving refuses a write to what is on its way to another organization: there it will be carried out.
func Moving() error {
	e := Unavailable("It is being transferred to another organization; nothing was changed. Try again.")
	return &e
}

// mayVisit reports whether the caller may be a visitor: the token of an installation opens what that is for alone.
func (c *Call) mayVisit() bool { return c.Caller.Installation == nil }

// authorizeSite measures the caller on a site. The decision rests on the site's entry.
func (p *Pipeline) authorizeSite(c *Call, need auth.Need) error {
	id := c.Path(need.Scope)
	if !c.Caller.IsMember && !need.Visited {
		return api.NotFound()
	}
	var err error
	c.Access(func(model *access.Model) {
		n := model.Site(id)
		if n == nil {
			err = api.NotFound()
			return
		}
		c.guard(model.SiteDependencies(c.Caller, id))
		role := model.SiteRole(c.Caller, id)
		c.Caller.ContentRole = role
		switch {
		case need.Visited && !role.AtLeast(api.RoleRead) && c.mayVisit() && model.PublishedTo(id, c.Visitor()):
			c.Caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead):
			err = api.NotFound()
		case !role.AtLeast(need.Role):
			err = Forbidden(need, "this site", role)
		}
	})
	return err
}

// RequireScope holds the token's scopes against what is about to be done. Operations that are more for some requests than
// for others ask again when they know.
func (c *Call) RequireScope(wanted api.Scope) error {
	if c.Caller.User == "" || c.Caller.HasScope(wanted) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This token lacks the scope %s.", wanted).
		WithHint("Make one with `wsctl tokens create` or `wsd token create`.")
}

// Forbidden refuses a caller whose role does not do, and says which one it takes: 403.
func Forbidden(need auth.Need, where string, has api.Role) *api.Error {
	if has == api.RoleGuest {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; you are a guest.", need.Role, where)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; yours is %s.", need.Role, where, has).
		WithHint("An admin of the organization can give it to you.")
}
