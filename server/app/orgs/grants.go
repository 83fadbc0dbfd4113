package orgs

import (
	"maps"

	"docspace.dev/wsd/client/api"
)

// WithGrant returns a copy of roles with the role of id set. RoleGuest removes the entry.
func WithGrant(roles map[string]api.Role, id string, role api.Role) map[string]api.Role {
	changed := maps.Clone(roles)
	if changed == nil {
		changed = map[string]api.Role{}
	}
	if changed[id] = role; role == api.RoleGuest {
		delete(changed, id)
	}
	return changed
}
