package api

import (
	"slices"
	"testing"
)

// TestRoleOrder checks that AtLeast and Highest order the roles as documented.
func TestRoleOrder(t *testing.T) {
	t.Parallel()
	ladder := []Role{RoleGuest, RoleRead, RoleComment, RoleEdit, RoleReview, RoleCreate, RoleAdmin}
	for i, a := range ladder {
		for j, b := range ladder {
			if got := a.AtLeast(b); got != (i >= j) {
				t.Errorf("%q at least %q is %t", a, b, got)
			}
			if got, want := Highest(a, b), ladder[max(i, j)]; got != want {
				t.Errorf("the highest of %q and %q is %q", a, b, got)
			}
		}
	}
}

// TestUnknownRoleHasNoPermissions checks that an unknown role is weaker than RoleRead.
func TestUnknownRoleHasNoPermissions(t *testing.T) {
	t.Parallel()
	for _, unknown := range []Role{"owner", "Admin", "ADMIN", "admin ", "inherit"} {
		if unknown.AtLeast(RoleRead) || Highest(unknown, RoleRead) != RoleRead || Highest(RoleRead, unknown) != RoleRead {
			t.Errorf("%q has power", unknown)
		}
	}
}

func TestLevelValues(t *testing.T) {
	t.Parallel()
	levels := Level("").Values()
	if len(levels) != 7 || !slices.Contains(levels, LevelInherit) {
		t.Errorf("levels %v", levels)
	}
	for _, r := range Role("").Values() {
		if r == RoleGuest || !slices.Contains(levels, Level(r)) {
			t.Errorf("the role %q is no level", r)
		}
	}
}
