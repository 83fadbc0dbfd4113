package access

import (
	"maps"
	"slices"

	"docspace.dev/wsd/client/api"
)

// Caller is the authenticated principal, with what the organization of the request gives it.
type Caller struct {
	User         string
	Token        string
	Scopes       []api.Scope
	Organization string   // the only one that the token works in, "" for all
	MadeAt       api.Time // of a token that works in one organization, or of the first such that it comes of
	Agent        bool     // the token was made for an agent
	Root         string   // the token that the caller's comes of; itself if nobody's made it
	Ends         api.Time // when the secret that was given stops working; zero = never
	Replaced     bool     // that secret is an old one

	Installation *Installation // that the token is for; nil for all but tokens of installations

	Role   api.Role // in the organization; guest without a membership, too: see IsMember
	Grants map[string]api.Role
	Teams  map[string]api.TeamRole

	IsMember    bool
	ContentRole api.Role // effective role in the content that the need names
	IsVisitor   bool     // has no role in it, and is let in because a site is published to them
}

// HasScope reports whether the token has a scope, or one that it is part of.
func (c *Caller) HasScope(wanted api.Scope) bool {
	rank := map[api.Scope]int{api.ScopeRead: 1, api.ScopeWrite: 2, api.ScopeAdmin: 3}
	for _, has := range c.Scopes {
		if rank[has] >= rank[wanted] {
			return true
		}
	}
	return false
}

// WorksIn reports whether the token is good for a membership: one for a single organization ends with the membership
// that it was made under.
func (c *Caller) WorksIn(org string, joinedAt api.Time) bool {
	return c.Organization == "" || c.Organization == org && !c.MadeAt.Before(joinedAt.Time)
}

// owns reports whether a caller is an owner of a team.
func (c *Caller) owns(team string) bool { return c.Teams[team] == api.TeamOwner }

// OwnsAny reports whether a caller is an owner of some team.
func (c *Caller) OwnsAny() bool {
	return slices.Contains(slices.Collect(maps.Values(c.Teams)), api.TeamOwner)
}

// Manages reports whether a caller may change who is in a team: admins may, and its owners.
func (c *Caller) Manages(team string) bool { return c.Role == api.RoleAdmin || c.owns(team) }

// Reaches reports whether the caller's token may see and touch another of its user: one that works in a single
// organization knows only those of that organization.
func (c *Caller) Reaches(organization string) bool {
	return c.Organization == "" || c.Organization == organization
}

// Until is when something ends that the caller makes: when it is asked to, at the latest with the caller's token.
func (c *Caller) Until(wanted api.Time) api.Time {
	if !c.Ends.IsZero() && (wanted.IsZero() || wanted.After(c.Ends.Time)) {
		return c.Ends
	}
	return wanted
}

// EffectiveRole is a role of somebody, and why they have it where that is told.
type EffectiveRole struct {
	Role   api.Role
	Origin *api.PermissionOrigin
}
