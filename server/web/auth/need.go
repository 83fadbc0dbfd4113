package auth

import "docspace.dev/wsd/client/api"

// Kind is the kind of a Need: the object on which the caller needs a role.
type Kind int

// Kinds of needs.
const (
	Denied       Kind = iota // the zero Need: an endpoint without a need refuses all requests
	Anybody                  // no token needed
	SignedIn                 // any valid token
	ByMembership             // role in an organization
	ByContent                // effective role in a space or collection
	BySite                   // role in a site
)

// Need is the permission that an operation requires (docs/decisions.md#the-need-is-a-column).
type Need struct {
	Kind  Kind
	Role  api.Role
	Scope string // path parameter of the organization, collection, space or site
	// AcceptsTrash is set for get and restore operations, which accept objects in the trash.
	AcceptsTrash bool
	// Owned requires the role in the organization of the content. A role granted on the content alone is
	// insufficient.
	Owned bool
	// Visited also admits visitors: callers without a role to whom the content is published.
	Visited bool
	// Shown also requires the role read in each space that the site shows, because the answer contains a key of the site.
	Shown bool
	// Opened also requires the role read in each space that becomes visible to more visitors. The handler checks it,
	// because it depends on the change.
	Opened bool
}

// Public returns the Need of operations that callers without a token may also use. An invalid token is refused nevertheless.
func Public() Need { return Need{Kind: Anybody} }

// Self returns the Need of a valid token.
func Self() Need { return Need{Kind: SignedIn} }

// Member returns the Need of membership in the organization of the path, guests included.
func Member() Need { return Need{Kind: ByMembership, Role: api.RoleGuest, Scope: "organization"} }

// InOrganization returns the Need of a role in the organization of the path. Every member but guests has api.RoleRead.
func InOrganization(role api.Role) Need {
	return Need{Kind: ByMembership, Role: role, Scope: "organization"}
}

// InSpace returns the Need of an effective role in the space of the path.
func InSpace(role api.Role) Need { return Need{Kind: ByContent, Role: role, Scope: "space"} }

// InCollection returns the Need of an effective role in the collection of the path.
func InCollection(role api.Role) Need { return Need{Kind: ByContent, Role: role, Scope: "collection"} }

// InSite returns the Need of a role in the site of the path.
func InSite(role api.Role) Need { return Need{Kind: BySite, Role: role, Scope: "site"} }

// WithTrash returns n with AcceptsTrash set.
func (n Need) WithTrash() Need { n.AcceptsTrash = true; return n }

// ByOwner returns n with Owned set.
func (n Need) ByOwner() Need { n.Owned = true; return n }

// WithVisitors returns n with Visited set.
func (n Need) WithVisitors() Need { n.Visited = true; return n }

// AndShown returns n with Shown set.
func (n Need) AndShown() Need { n.Shown = true; return n }

// AndOpened returns n with Opened set.
func (n Need) AndOpened() Need { n.Opened = true; return n }

// AllowsAnonymous reports whether requests without a token may succeed.
func (n Need) AllowsAnonymous() bool { return n.Kind == Anybody || n.Visited }

// String returns the need as shown in the table of routes.
func (n Need) String() string {
	switch n.Kind {
	case Anybody:
		return "public"
	case SignedIn:
		return "self"
	case ByMembership, ByContent, BySite:
		role := string(n.Role)
		if n.Role == api.RoleGuest {
			role = "member"
		}
		if n.Visited {
			role += " or visitor"
		}
		if n.Owned {
			role += " of the organization"
		}
		needed := role + "(" + n.Scope + ")"
		switch {
		case n.Shown:
			needed += " and read(each space of the site)"
		case n.Opened:
			needed += " and read(each space that becomes visible)"
		}
		return needed
	case Denied:
	}
	return "denied"
}

// Describe returns the need as a sentence for the description of an operation.
func (n Need) Describe() string {
	switch n.Kind {
	case Anybody:
		return "No token is needed."
	case SignedIn:
		return "Any valid token may be used."
	case ByMembership, ByContent, BySite:
		object := n.Scope
		if n.Owned {
			object = "organization of the " + n.Scope
		}
		text := "The caller needs the role " + string(n.Role) + " in the " + object
		if n.Role == api.RoleGuest {
			text = "The caller must be a member of the " + object
		}
		switch {
		case n.Shown:
			text += ", and the role read in each space that the site shows"
		case n.Opened:
			text += ", and the role read in each space that becomes visible"
		case n.Visited:
			text += ", or be a visitor who may see it"
		}
		return text + "."
	case Denied:
	}
	return "All requests are refused."
}
