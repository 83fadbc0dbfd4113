package api

// Role is a step of the permission ladder. The zero value is a guest: no role.
type Role string

// The ladder. The order of power is in rank, not in the order of an enumeration.
const (
	RoleGuest   Role = ""
	RoleRead    Role = "read"
	RoleComment Role = "comment"
	RoleEdit    Role = "edit"
	RoleReview  Role = "review"
	RoleCreate  Role = "create"
	RoleAdmin   Role = "admin"
)

// Values returns the roles that may appear on the wire, strongest first.
func (Role) Values() []Role {
	return []Role{RoleAdmin, RoleCreate, RoleReview, RoleEdit, RoleComment, RoleRead}
}

// rank is the power of each role; an unknown role has none.
func (r Role) rank() int {
	switch r {
	case RoleRead:
		return 1
	case RoleComment:
		return 2
	case RoleEdit:
		return 3
	case RoleReview:
		return 4
	case RoleCreate:
		return 5
	case RoleAdmin:
		return 6
	default:
		return 0
	}
}

// AtLeast reports whether r has all the power of other.
func (r Role) AtLeast(other Role) bool { return r.rank() >= other.rank() }

// Highest returns the more powerful of two roles.
func Highest(a, b Role) Role {
	if a.AtLeast(b) {
		return a
	}
	return b
}

// Lowest returns the less powerful of two roles.
func Lowest(a, b Role) Role {
	if a.AtLeast(b) {
		return b
	}
	return a
}

// Level is the default level of a space or collection: a role for everybody, `inherit` (take the parent's), or
// none. On the wire none is null, so fields hold a *Level.
type Level string

// LevelInherit takes the parent's level; at the top, the member's role in the organization.
const LevelInherit Level = "inherit"

// Values returns the levels that may appear on the wire; null stands beside them.
func (Level) Values() []Level {
	values := make([]Level, 0, 7)
	for _, r := range Role("").Values() {
		values = append(values, Level(r))
	}
	return append(values, LevelInherit)
}
