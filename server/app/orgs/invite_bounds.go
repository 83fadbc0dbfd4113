package orgs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/auth"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// An invite is its maker's word, and is worth what they could give when somebody takes it up: it gives no more than
// their role then, nothing once they have left or the token that made it was revoked, and it does not outlive that
// token. What comes of it, the account and its tokens, is the member's own. Invites of before have no maker recorded:
// they give what they say.

// makerOf is what an invite keeps of the caller who makes it.
func makerOf(c *rest.Call, secret string) store.InvitePrivate {
	return store.InvitePrivate{Digest: auth.Digest(secret), Maker: c.Caller.User, Token: c.Caller.Token}
}

// backed checks that the token that made an invite was not revoked since.
func (s *Invites) backed(ctx context.Context, p store.InvitePrivate) error {
	if p.Maker == "" {
		return nil
	}
	found, err := s.Orgs.TokenDocuments(ctx, p.Maker, []string{p.Token})
	if err != nil {
		return fmt.Errorf("read who made an invite: %w", err)
	}
	if len(found) == 0 {
		return unbacked("The token that made this invite was revoked.")
	}
	return nil
}

func unbacked(why string) *api.Error {
	return api.WrongState("%s", why).WithHint("An admin of the organization can invite you again.")
}

// makerLeft refuses an invite of somebody who could not make it any more.
func makerLeft() *api.Error {
	return unbacked("Whoever made this invite has no access any more to what it leads into.")
}

// atMost is the role that an invite into the organization gives: what it says, but no more than its maker has now.
func atMost(tx *store.Tx, org string, p store.InvitePrivate, role api.Role) (api.Role, error) {
	if p.Maker == "" {
		return role, nil
	}
	m, err := tx.Member(org, p.Maker)
	switch {
	case err != nil:
		return role, err
	case m.Version == 0:
		return role, makerLeft()
	}
	return api.Lowest(role, m.Private.Role), nil
}

// levelAtMost is atMost for a link into a space or collection.
func levelAtMost(c *rest.Call, tx *store.Tx, p store.InvitePrivate, content string, level api.Role) (api.Role, error) {
	if p.Maker == "" {
		return level, nil
	}
	m, err := tx.Member(c.Org, p.Maker)
	if err != nil {
		return level, err
	}
	role, err := roleNow(c, tx, m, content)
	if err == nil && !role.AtLeast(api.RoleRead) {
		err = makerLeft()
	}
	return api.Lowest(level, role), err
}

// lowered is what an invite link gives now.
func lowered(c *rest.Call, tx *store.Tx, d store.LinkInviteDocument) (f api.LinkInviteFields, err error) {
	f = d.Fields
	if content := f.Content(); content != "" {
		f.Level, err = levelAtMost(c, tx, d.Private, content, f.Level)
		return f, err
	}
	role, _ := f.Role.Get()
	if role, err = atMost(tx, c.Org, d.Private, role); role == api.RoleGuest {
		f.Role = api.Null[api.Role]()
	} else {
		f.Role = api.Some(role)
	}
	return f, err
}

// abandoned reports whether the maker of an invite link could not give anything of it any more.
func abandoned(s *access.Model, d store.LinkInviteDocument) bool {
	if d.Private.Maker == "" {
		return false
	}
	p := s.Member(d.Private.Maker)
	if p == nil {
		return true
	}
	content := d.Fields.Content()
	return content != "" && !s.Role(s.CallerOf(&access.Caller{User: p.User.ID}, p), content).AtLeast(api.RoleRead)
}
