package orgs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// A token that wsd creates by itself has the least scope with which its user can do what their roles allow, except giving access by the
// role create, which takes another token. It is not changed when a role changes. See docs/decisions.md#tokens.

// ScopesForRole returns the least scopes that a role needs. A guest may get any role in content later, so that needs the scope write.
func ScopesForRole(role api.Role) []api.Scope {
	switch role {
	case api.RoleRead:
		return []api.Scope{api.ScopeRead}
	case api.RoleAdmin:
		return []api.Scope{api.ScopeAdmin}
	case api.RoleGuest, api.RoleComment, api.RoleEdit, api.RoleReview, api.RoleCreate:
	}
	return []api.Scope{api.ScopeWrite}
}

// LeastScopes returns the least scopes with which a user can do what their roles allow in an organization, or in all of their
// organizations if it is "": ScopesForRole of the highest of these roles, with those in content, and admin for owners of teams. A user
// who is no member gets those of a guest.
func (s *Service) LeastScopes(ctx context.Context, user, organization string) ([]api.Scope, error) {
	ids := []string{organization}
	if organization == "" {
		var err error
		if ids, err = s.LoadUserOrganizations(ctx, user); err != nil {
			return nil, err
		}
	}
	b := s.Store.NewBatch()
	feeds := make([]*txn.Feed, len(ids))
	for i, id := range ids {
		feeds[i] = b.Follow(id)
	}
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read the roles of %s: %w", user, err)
	}
	highest := api.RoleGuest
	for _, feed := range feeds {
		access.View(feed, func(model *access.Model) {
			if p := model.Member(user); p != nil {
				highest = api.Highest(highest, neededRole(model, p))
			}
		})
	}
	return ScopesForRole(highest), nil
}

// neededRole returns the role by which the scopes of a member are chosen.
func neededRole(model *access.Model, p *access.Person) api.Role {
	if model.CallerOf(&access.Caller{User: p.User.ID}, p).OwnsAny() {
		return api.RoleAdmin
	}
	return model.HighestRole(p)
}

// requireJoinScope returns an error if the token of the caller may not make its user a member of an organization. That takes the scope
// admin, except for tokens that wsd has created for the user, and for logins and sessions, whose scopes bound what they may do there.
func requireJoinScope(c *rest.Call) error {
	if c.Caller.IsFirst || c.Caller.Login != "" {
		return nil
	}
	return c.RequireScope(api.ScopeAdmin)
}

// newMemberScopes returns the least scopes of the first token of a user who becomes a member by an invite.
func newMemberScopes(model *access.Model, joined store.Membership) []api.Scope {
	p := store.Person{Member: &joined}
	return ScopesForRole(model.HighestRole(access.NewPerson(p, nil)))
}

// inviteScopes returns the least scopes of the first token of a user who accepts an invite to an e-mail address.
func inviteScopes(model *access.Model, d store.InviteDocument) []api.Scope {
	role := RoleOrGuest(d.Fields.Role)
	if author := model.Member(d.Private.CreatedBy); author != nil {
		role = api.Lowest(role, author.Member.Role)
	}
	teams := map[string]api.TeamRole{}
	for _, team := range d.Fields.Teams {
		teams[team] = api.TeamMember
	}
	return newMemberScopes(model, store.Membership{Role: role, Teams: teams})
}

// linkScopes returns the least scopes of the first token of a user who accepts an invite link.
func linkScopes(model *access.Model, d store.LinkInviteDocument) []api.Scope {
	author, content := model.Member(d.Private.CreatedBy), d.Fields.Content()
	if content == "" {
		role, _ := d.Fields.Role.Get()
		if author != nil {
			role = api.Lowest(role, author.Member.Role)
		}
		return newMemberScopes(model, store.Membership{Role: role})
	}
	level := d.Fields.Level
	if author != nil {
		level = api.Lowest(level, model.Role(model.CallerOf(&access.Caller{User: author.User.ID}, author), content))
	}
	return newMemberScopes(model, store.Membership{Grants: map[string]api.Role{content: level}})
}
