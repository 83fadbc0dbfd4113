package api

// Role is a level of permission. The zero value is a guest without a role.
type Role string

// Values of Role. Their order of power is defined by rank, not by the order of declaration.
const (
	RoleGuest   Role = ""
	RoleRead    Role = "read"
	RoleComment Role = "comment"
	RoleEdit    Role = "edit"
	RoleReview  Role = "review"
	RoleCreate  Role = "create"
	RoleAdmin   Role = "admin"
)

// Values returns the roles, strongest first, without the zero value.
func (Role) Values() []Role {
	return []Role{RoleAdmin, RoleCreate, RoleReview, RoleEdit, RoleComment, RoleRead}
}

// rank returns the power of a role. An unknown role has none.
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

// AtLeast reports whether r is at least as powerful as other.
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

// Level is the default permission of a space or collection: a role for all members, `inherit` for the level of the
// parent, or none. None is encoded as null, so fields have the type *Level.
type Level string

// LevelInherit means the level of the parent or, at the top, the role of the member in the organization.
const LevelInherit Level = "inherit"

// Values returns the levels, without null.
func (Level) Values() []Level {
	values := make([]Level, 0, 7)
	for _, r := range Role("").Values() {
		values = append(values, Level(r))
	}
	return append(values, LevelInherit)
}
