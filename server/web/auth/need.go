package auth

import "docspace.dev/wsd/client/api"

// Kind says what a Need is measured on.
type Kind int

// Kinds of needs.
const (
	Denied       Kind = iota // the zero Need: a mount without one answers nobody
	Anybody                  // no token needed
	SignedIn                 // any valid token
	ByMembership             // role in an organization
	ByContent                // effective role in a space or collection
	BySite                   // role in a site
)

// Need is who may call an operation: a column of every mount (docs/decisions.md#the-need-is-a-column).
type Need struct {
	Kind  Kind
	Role  api.Role
	Scope string // the path parameter that names the organization, collection or space
	// Deleted lets the operation see what is in the trash: only get and restore do.
	Deleted bool
	// Owned measures who may see the content by their role in its organization: a role that somebody was given in the
	// content alone is not enough.
	Owned bool
	// Visited lets visitors in, too: callers without a role to whom a site is published.
	Visited bool
}

// Public serves callers without a token, too; a wrong token is 401 everywhere.
func Public() Need { return Need{Kind: Anybody} }

// Self asks for a valid token.
func Self() Need { return Need{Kind: SignedIn} }

// Member asks for membership in the organization of the path, guests included.
func Member() Need { return Need{Kind: ByMembership, Role: api.RoleGuest, Scope: "organization"} }

// InOrganization asks for a role in the organization of the path; read is every member but guests.
func InOrganization(role api.Role) Need {
	return Need{Kind: ByMembership, Role: role, Scope: "organization"}
}

// InSpace asks for an effective role in the space of the path.
func InSpace(role api.Role) Need { return Need{Kind: ByContent, Role: role, Scope: "space"} }

// InCollection asks for an effective role in the collection of the path.
func InCollection(role api.Role) Need { return Need{Kind: ByContent, Role: role, Scope: "collection"} }

// InSite asks for a role in the site of the path.
func InSite(role api.Role) Need { return Need{Kind: BySite, Role: role, Scope: "site"} }

// EvenDeleted lets the operation see a deleted space, collection or organization.
func (n Need) EvenDeleted() Need { n.Deleted = true; return n }

// OfOrganization asks for the role in the organization, not in the content.
func (n Need) OfOrganization() Need { n.Owned = true; return n }

// OrVisitor serves visitors, too, by the audience rule of the sites that are published.
func (n Need) OrVisitor() Need { n.Visited = true; return n }

// Tokenless reports whether a request without a token may be answered at all.
func (n Need) Tokenless() bool { return n.Kind == Anybody || n.Visited }

// String is the need as the route table shows it.
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
		return role + "(" + n.Scope + ")"
	case Denied:
	}
	return "denied"
}
