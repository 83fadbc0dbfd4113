package server

import (
	"net/http"

	"docspace.dev/wsd/client/api"
)

// needKind says what a Need is measured on.
type needKind int

const (
	denied       needKind = iota // the zero Need: a mount without one answers nobody
	anybody                      // no token needed
	signedIn                     // any valid token
	byMembership                 // role in an organization
	byContent                    // effective role in a space or collection
)

// Need is who may call an operation: a column of every mount (design sections 3 and 5).
type Need struct {
	kind  needKind
	role  api.Role
	scope string // the path parameter that names the organization, collection or space
	// deleted lets the operation see a deleted space: only get and restore do.
	deleted bool
}

// self asks for a valid token.
func self() Need { return Need{kind: signedIn} }

// member asks for membership in the organization of the path, guests included.
func member() Need { return Need{kind: byMembership, role: api.RoleGuest, scope: "organization"} }

// inSpace asks for an effective role in the space of the path.
func inSpace(role api.Role) Need { return Need{kind: byContent, role: role, scope: "space"} }

// inCollection asks for an effective role in the collection of the path.
func inCollection(role api.Role) Need { return Need{kind: byContent, role: role, scope: "collection"} }

func (n Need) evenDeleted() Need { n.deleted = true; return n }

// String is the need as the route table shows it.
func (n Need) String() string {
	switch n.kind {
	case anybody:
		return "public"
	case signedIn:
		return "self"
	case byMembership, byContent:
		role := string(n.role)
		if n.role == api.RoleGuest {
			role = "member"
		}
		return role + "(" + n.scope + ")"
	case denied:
	}
	return "denied"
}

// authorize decides whether the caller may go on. What the caller may not see answers as what does not exist;
// what may be seen but not done answers 403 and says which role it takes.
func (s *Server) authorize(c *call) error {
	need := c.endpoint.need
	switch need.kind {
	case anybody:
		return nil
	case signedIn:
		return c.scopes(need)
	case byMembership:
		if c.caller.member == nil {
			return api.NotFound()
		}
		if !c.caller.Role.AtLeast(need.role) {
			return forbidden(need, "this organization", c.caller.Role)
		}
		return c.scopes(need)
	case byContent:
		if err := s.authorizeContent(c, need); err != nil {
			return err
		}
		return c.scopes(need)
	case denied:
	}
	return api.NotFound()
}

func (s *Server) authorizeContent(c *call, need Need) error {
	id := c.path(need.scope)
	if c.caller.member == nil {
		return api.NotFound()
	}
	var err error
	c.withShape(func(sh *shape) {
		_, alive := sh.alive(id)
		n := sh.node(id)
		if trashed := n != nil && n.Deleted != 0; !alive && (!trashed || !need.deleted) {
			err = api.NotFound()
			return
		}
		c.guard(sh, id)
		role := sh.role(c.caller, id)
		c.caller.contentRole = role
		switch {
		case !role.AtLeast(api.RoleRead), !alive && !role.AtLeast(api.RoleCreate):
			err = api.NotFound()
		case !role.AtLeast(need.role):
			err = forbidden(need, "this "+need.scope, role)
		}
	})
	return err
}

// scopes holds the token's scopes against what the operation does.
func (c *call) scopes(need Need) error {
	wanted := api.ScopeRead
	switch {
	case need.role == api.RoleAdmin, c.endpoint.admin:
		wanted = api.ScopeAdmin
	case c.endpoint.row.Writes():
		wanted = api.ScopeWrite
	}
	if c.caller.allows(wanted) {
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
