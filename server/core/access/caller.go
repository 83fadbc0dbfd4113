package access

import (
	"maps"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// Caller is an authenticated user with the access that the token and the organization of the request give.
type Caller struct {
	User           string
	Token          string
	Scopes         []api.Scope
	Organization   string   // organization to which the token is bound; "" = all
	BoundSince     api.Time // creation of a bound token, or of its first bound ancestor
	IsAgent        bool     // the token was created for an agent
	Root           string   // root token from which the token descends, or itself
	ExpiresAt      api.Time // expiry of the secret in the request, for a member in the organization; zero = never
	SecretReplaced bool     // the secret was replaced by a rotation
	IsFirst        bool     // wsd created the token for the user, as for an accepted invite: see store.TokenPrivate.IdleMillis
	EndedIn        []string // organizations for which their admins have ended the token
	AgeFrom        api.Time // time from which the age of the token is counted: see store.TokenPrivate.AgeFrom

	SignIn    *store.TokenSignIn   // set if the token comes of a sign-in by a provider of Organization
	MaySkip   bool                 // the token works although an organization requires single sign-on: see store.TokenPrivate.BreakGlass
	Login     api.TokenType        // type of the token; "" if it is neither a login nor a session
	IsService bool                 // the user is a service account
	Spaces    []string             // ids of the only spaces that the token opens; nil = no limit
	Groups    []api.OperationGroup // the only operations that the token may call; nil = no limit

	Installation *Installation // set for tokens of an installation only

	Role   api.Role // role in the organization; RoleGuest also without a membership, see IsMember
	Grants map[string]api.Role
	Teams  map[string]api.TeamRole

	IsMember    bool
	ContentRole api.Role // effective role in the content of the request
	IsVisitor   bool     // the caller has no role in the content, but a site publishes it to them
}

// HasScope reports whether the token has a scope or one that includes it.
func (c *Caller) HasScope(wanted api.Scope) bool {
	rank := map[api.Scope]int{api.ScopeRead: 1, api.ScopeWrite: 2, api.ScopeAdmin: 3}
	for _, has := range c.Scopes {
		if rank[has] >= rank[wanted] {
			return true
		}
	}
	return false
}

// IsExcludable reports whether a site can exclude the token with agentsContext: it was created for an agent, or is a token of an
// installation.
func (c *Caller) IsExcludable() bool { return c.IsAgent || c.Installation != nil }

// HasGroup reports whether the token may call the operations of a group.
func (c *Caller) HasGroup(group api.OperationGroup) bool {
	return c.Groups == nil || slices.Contains(c.Groups, group)
}

// WithAllSpaces returns a copy of the caller whose token is not limited to spaces.
func (c *Caller) WithAllSpaces() *Caller {
	other := *c
	other.Spaces = nil
	return &other
}

// WithoutMembership returns a copy of the caller that has no access to an organization and its content yet.
func (c *Caller) WithoutMembership() Caller {
	other := *c
	other.IsMember, other.Role, other.Grants, other.Teams = false, api.RoleGuest, nil, nil
	other.ContentRole, other.IsVisitor = api.RoleGuest, false
	return other
}

// ValidForMembership reports whether the token is valid for the membership of a person in an organization. A bound token ends with the
// membership under which it was created, and that of a sign-in with the identity. Admins can end other tokens for their organization.
func (c *Caller) ValidForMembership(org string, p store.Person) bool {
	if slices.Contains(c.EndedIn, org) {
		return false
	}
	return c.Organization == "" || c.Organization == org && !c.BoundSince.Before(p.JoinedAt.Time) && c.hasIdentity(p)
}

// hasIdentity reports whether the person still signs in by the identity of the token. Tokens of other people have none.
func (c *Caller) hasIdentity(p store.Person) bool {
	if c.SignIn == nil {
		return true
	}
	if p.Member == nil {
		return false
	}
	since, ok := p.Member.Identities[c.SignIn.Identity]
	return ok && !c.SignIn.At.Before(since.Time)
}

// NeedsSignIn reports whether the token does not work in an organization because the person has to sign in by a provider: the
// organization requires it of its members, or an admin requires it of this one, who has signed in that way before.
func (c *Caller) NeedsSignIn(required bool, p store.Person) bool {
	if c.Token == "" || c.SignIn != nil || c.MaySkip || c.IsService || c.Installation != nil || p.Member == nil {
		return false
	}
	return required && p.Member.Role != api.RoleGuest || p.SSO && len(p.Member.Identities) > 0
}

// IsOlderThan reports whether the token belongs to a person and has reached a maximum age, 0 = none.
func (c *Caller) IsOlderThan(maxAge time.Duration, now time.Time) bool {
	return c.hasMaxAge(maxAge) && !now.Before(c.AgeFrom.Add(maxAge))
}

// hasMaxAge reports whether a maximum age, 0 = none, applies to the token.
func (c *Caller) hasMaxAge(maxAge time.Duration) bool {
	return maxAge > 0 && c.Token != "" && !c.IsService && c.Installation == nil
}

// ownsTeam reports whether the caller is an owner of a team.
func (c *Caller) ownsTeam(team string) bool { return c.Teams[team] == api.TeamOwner }

// OwnsAny reports whether the caller is an owner of any team.
func (c *Caller) OwnsAny() bool {
	return slices.Contains(slices.Collect(maps.Values(c.Teams)), api.TeamOwner)
}

// Manages reports whether the caller may change the members of a team, as an admin or as its owner.
func (c *Caller) Manages(team string) bool { return c.Role == api.RoleAdmin || c.ownsTeam(team) }

// CanAccessTokensOf reports whether the caller's token may read and change other tokens of the user that are bound to the
// organization. A bound token reaches only those bound to the same organization.
func (c *Caller) CanAccessTokensOf(organization string) bool {
	return c.Organization == "" || c.Organization == organization
}

// ExpiryFor returns the expiry of an object created by the caller: wanted, or that of the caller's token if it is
// earlier.
func (c *Caller) ExpiryFor(wanted api.Time) api.Time {
	return store.EarlierEnd(wanted, c.ExpiresAt)
}

// EffectiveRole is the role of a user in content and, if it is reported, the source of the role.
type EffectiveRole struct {
	Role   api.Role
	Origin *api.PermissionOrigin
}
