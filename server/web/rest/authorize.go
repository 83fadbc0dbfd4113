package rest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
)

// authorize returns an error if the caller may not perform the operation. Objects that the caller may not see are not found;
// objects that the caller may see but not change give a 403 that names the required role. Anonymous callers who may not visit
// get a 401 in both cases.
func (p *Pipeline) authorize(c *Call) error {
	c.authorized = false
	err := cmp.Or(c.checkInstallation(), c.checkTokenEnded(), c.checkPerson(), c.checkGroup())
	if err == nil {
		err = p.checkNeed(c, c.Endpoint.Need)
	}
	if err != nil && c.Caller.User == "" {
		return c.signInError(auth.Unauthenticated())
	}
	if err != nil {
		return err
	}
	c.authorized = true
	if requester := c.requester(); requester != c.charged { // unconditional writes would race with work of an earlier attempt
		c.charged = requester
	}
	return nil
}

// checkTokenEnded returns an error if the caller is a member of the organization and the token does not work there: see
// CheckTokenHere. What everybody may read stays readable.
func (c *Call) checkTokenEnded() error {
	if c.Model == nil || c.Endpoint.Need.AllowsAnonymous() {
		return nil
	}
	err := c.CheckTokenHere()
	if err == nil {
		return nil
	}
	isMember := false
	c.Access(func(model *access.Model) { isMember = model.Member(c.Caller.User) != nil })
	if isMember {
		return err
	}
	return nil
}

// CheckTokenHere returns an error if an admin has ended the token of the caller for the organization of the call, if the token has
// reached the maximum age there, or if the person has to sign in by a provider. The model of the organization must be set.
func (c *Call) CheckTokenHere() (err error) {
	if err := c.CheckTokenNotEnded(); err != nil {
		return err
	}
	c.Access(func(model *access.Model) { err = c.signInReason(model) })
	return err
}

// CheckTokenNotEnded is CheckTokenHere for somebody whom a provider of the organization has just identified.
func (c *Call) CheckTokenNotEnded() (err error) {
	if slices.Contains(c.Caller.EndedIn, c.Org) {
		return auth.TokenEndedHere()
	}
	c.Access(func(model *access.Model) {
		if c.isTokenTooOld(model) {
			err = auth.TokenTooOldHere(c.Caller.AgeFrom, model.TokenMaxAge(), c.pipeline.clock())
		}
	})
	return err
}

// signInReason returns why the token of the caller does not work in the organization of a model although it has not ended: the sign-in
// by a provider of which it comes has ended, or it comes of none. nil = it works.
func (c *Call) signInReason(model *access.Model) error {
	signIn := c.Caller.SignIn
	if signIn != nil && c.Caller.Organization != c.Org {
		return nil // it opens nothing of this organization, as any token that is bound to another one
	}
	if signIn != nil && !model.HasProvider(signIn.Provider) {
		return auth.SignInEnded(auth.SignInURL(c.pipeline.publicURL, c.Org))
	}
	p := model.Member(c.Caller.User)
	if signIn != nil && (p == nil || !c.Caller.ValidForMembership(c.Org, p.Person)) {
		return auth.SignInEnded(auth.SignInURL(c.pipeline.publicURL, c.Org))
	}
	if p == nil {
		return nil
	}
	if c.Caller.NeedsSignIn(model.RequiresSSO(), p.Person) {
		return auth.SSORequired(auth.SignInURL(c.pipeline.publicURL, c.Org))
	}
	return nil
}

// signInError adds the cause and the login address to the refusal of a visitor whose site requires a token.
func (c *Call) signInError(e *api.Error) error {
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
			_ = e.WithHint("Visitors sign in at %s, which sends them back with %s.", n.FallbackURL, auth.VisitorTokenParam) // returns e
		}
	})
	return e
}

// ownResources are the resources whose operations with the need of a valid token may be called with tokens that are limited to spaces:
// those of the caller, and those that find content.
var ownResources = []string{"content", "organizations", "subdomains", "tokens", "trash", "user", "users"}

// filteredResources are the resources of an organization that tokens which are limited to spaces may read: what they list is filtered by
// the access to spaces, or concerns no content.
var filteredResources = []string{
	"change-requests", "collections", "events", "members", "names", "organizations", "sites", "spaces", "teams", "trash",
}

// IsFiltered reports whether tokens that are limited to spaces may call an operation that reads an organization, by its name.
func IsFiltered(row string) bool {
	resource, _, _ := strings.Cut(row, ".")
	return slices.Contains(filteredResources, resource)
}

// checkNeed returns an error if the caller does not meet the need.
func (p *Pipeline) checkNeed(c *Call, need auth.Need) error {
	switch need.Kind {
	case auth.Anybody:
		if c.Caller.User == "" {
			return nil
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.SignedIn:
		if resource := c.Endpoint.Row.Resource(); !slices.Contains(ownResources, resource) {
			if err := c.RequireAllSpaces(resource); err != nil {
				return err
			}
		}
		return c.RequireScope(c.Endpoint.Scope())
	case auth.ByMembership:
		if !c.Caller.IsMember {
			return api.NotFound()
		}
		if !c.Caller.Role.AtLeast(need.Role) {
			return c.hideTrash(Forbidden(need, "this organization", c.Caller.Role))
		}
		if c.Caller.Spaces != nil && (c.Endpoint.Row.Writes() || need.Role == api.RoleAdmin ||
			!IsFiltered(c.Endpoint.Row.Name)) {
			return c.hideTrash(limitedToSpaces(c.Caller, "the organization as a whole"))
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
		if trashed := model.TrashedRoot(id) != ""; !active && (!trashed || !need.AcceptsTrash) {
			err = api.NotFound()
			return
		}
		c.addGuards(model.Dependencies(c.Caller, id))
		role := model.Role(c.Caller, id)
		c.Caller.ContentRole = role
		switch {
		case need.Visited && !role.AtLeast(api.RoleRead) && c.mayVisit() && model.SpacePublishedTo(id, c.Visitor()):
			c.Caller.IsVisitor = true
		case active && !role.AtLeast(api.RoleRead) && model.Role(c.Caller.WithAllSpaces(), id).AtLeast(api.RoleRead):
			err = limitedToSpaces(c.Caller, "this "+need.Scope)
		case !role.AtLeast(api.RoleRead), !active && !role.AtLeast(api.RoleCreate):
			err = api.NotFound()
		case need.Owned && !c.Caller.Role.AtLeast(need.Role):
			err = Forbidden(need, "this organization", c.Caller.Role)
		case !role.AtLeast(need.Role):
			err = Forbidden(need, "this "+need.Scope, role)
		case n.Moving && c.Endpoint.Row.Writes():
			err = TransferInProgressError()
		}
	})
	return err
}

// hideTrash returns e, or a not_found error if the organization is in the trash, so that the refusal does not reveal it.
func (c *Call) hideTrash(e *api.Error) (err error) {
	err = e
	c.Access(func(model *access.Model) {
		if model.InTrash() {
			err = api.NotFound()
		}
	})
	return err
}

// mayVisit reports whether the caller may act as a visitor. Tokens of installations may not.
func (c *Call) mayVisit() bool { return c.Caller.Installation == nil }

// authorizeSite returns an error if the caller's role on a site is insufficient. The site's entry becomes a guard.
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
		c.addGuards(model.SiteDependencies(c.Caller, id))
		role := model.SiteRole(c.Caller, id)
		c.Caller.ContentRole = role
		switch {
		case need.Visited && !role.AtLeast(api.RoleRead) && c.mayVisit() && model.PublishedTo(id, c.Visitor()):
			c.Caller.IsVisitor = true
		case !role.AtLeast(api.RoleRead) && model.SiteRole(c.Caller.WithAllSpaces(), id).AtLeast(api.RoleRead):
			err = limitedToSpaces(c.Caller, "this site")
		case !role.AtLeast(api.RoleRead):
			err = api.NotFound()
		case !role.AtLeast(need.Role):
			err = Forbidden(need, "this site", role)
		case need.Shown:
			var readable []access.Dependency
			readable, err = c.CheckReadable(model, n.ShownSpaces())
			c.addGuards(readable)
		}
	})
	return err
}

// CheckReadable returns the entries on which it depends that the caller can read the given spaces, or an error that
// states how many are hidden. It ignores spaces that the model does not have: they are purged, or new in the transaction.
func (c *Call) CheckReadable(model *access.Model, spaces []string) ([]access.Dependency, error) {
	entries, hidden := map[string]string{}, 0
	for _, id := range spaces {
		switch {
		case model.Entry(id) == nil:
		case !model.Role(c.Caller, id).AtLeast(api.RoleRead):
			hidden++
		default:
			for _, at := range model.Dependencies(c.Caller, id) {
				entries[at.ID] = at.Entry
			}
		}
	}
	if hidden > 0 {
		return nil, hiddenSpacesError(hidden)
	}
	var dependencies []access.Dependency
	for _, id := range slices.Sorted(maps.Keys(entries)) {
		dependencies = append(dependencies, access.Dependency{ID: id, Entry: entries[id]})
	}
	return dependencies, nil
}

// hiddenSpacesError returns the 403 for a request that makes spaces visible which are hidden from the caller.
func hiddenSpacesError(n int) *api.Error {
	hidden := "1 of them is"
	if n > 1 {
		hidden = fmt.Sprintf("%d of them are", n)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden,
		"This takes the role read in every space that it makes visible; %s hidden from you.", hidden).
		WithHint("An admin of the organization can do it, or give you a role in these spaces.")
}

// RequireScope returns an error if the token lacks the scope. Handlers call it for requests that need more than the
// scope of their endpoint.
func (c *Call) RequireScope(wanted api.Scope) error {
	if c.Caller.User == "" || c.Caller.HasScope(wanted) {
		return nil
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This token lacks the scope %s.", wanted).
		WithHint("Use a token with this scope. `wsctl tokens create --name NAME --scopes %s` makes one if your own has it, "+
			"`wsd token create` on the machine of the server in any case.", wanted)
}

// Forbidden returns the 403 for a caller whose role is insufficient; it names the required role.
func Forbidden(need auth.Need, where string, has api.Role) *api.Error {
	if has == api.RoleGuest {
		return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; you are a guest.", need.Role, where)
	}
	return api.Errorf(http.StatusForbidden, api.ReasonForbidden, "This takes the role %s in %s; yours is %s.", need.Role, where, has).
		WithHint("An admin of the organization can give it to you.")
}
