package orgs

import (
	"maps"

	"docspace.dev/wsd/client/api"
)

// WithGrant returns roles with one of them set; that of a guest is none.
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
