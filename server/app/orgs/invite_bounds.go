package orgs

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
)

// An invite is limited by the current access of its author: it gives at most the author's role, nothing after the
// author has left or the token that created it was revoked, and it does not outlive that token. The resulting account
// and its tokens belong to the new member. Invites that were stored without an author are not limited.

// newInvitePrivate returns the stored private part of an invite that the caller creates.
func newInvitePrivate(c *rest.Call, digests store.Digests) store.InvitePrivate {
	return store.InvitePrivate{Digests: digests, CreatedBy: c.Caller.User, Token: c.Caller.Token}
}

// checkInviterToken returns an error if the token that created an invite was revoked.
func (iv *Invites) checkInviterToken(ctx context.Context, p store.InvitePrivate) error {
	if p.CreatedBy == "" {
		return nil
	}
	found, err := iv.Orgs.LoadTokens(ctx, p.CreatedBy, []string{p.Token})
	if err != nil {
		return fmt.Errorf("read who made an invite: %w", err)
	}
	if len(found) == 0 {
		return inviteRevokedError("The token that made this invite was revoked.")
	}
	return nil
}

func inviteRevokedError(reason string) *api.Error {
	return api.WrongState("%s", reason).WithHint("An admin of the organization can invite you again.")
}

// inviterLeftError returns the error for an invite whose author has no access any more.
func inviterLeftError() *api.Error {
	return inviteRevokedError("Whoever made this invite has no access any more to what it leads into.")
}

// cappedRole returns the role that an invite into the organization gives now: role, limited by the current role of
// the invite's author.
func cappedRole(tx *store.Tx, org string, p store.InvitePrivate, role api.Role) (api.Role, error) {
	if p.CreatedBy == "" {
		return role, nil
	}
	m, err := tx.Member(org, p.CreatedBy)
	switch {
	case err != nil:
		return role, err
	case m.Version == 0:
		return role, inviterLeftError()
	}
	return api.Lowest(role, m.Private.Role), nil
}

// cappedLevel is cappedRole for a link into a space or collection.
func cappedLevel(c *rest.Call, tx *store.Tx, p store.InvitePrivate, content string, level api.Role) (api.Role, error) {
	if p.CreatedBy == "" {
		return level, nil
	}
	m, err := tx.Member(c.Org, p.CreatedBy)
	if err != nil {
		return level, err
	}
	role, err := memberRole(c, tx, m, content)
	if err == nil && !role.AtLeast(api.RoleRead) {
		err = inviterLeftError()
	}
	return api.Lowest(level, role), err
}

// cappedLink returns the fields of an invite link with the role or level that it gives now.
func cappedLink(c *rest.Call, tx *store.Tx, d store.LinkInviteDocument) (f api.LinkInviteFields, err error) {
	f = d.Fields
	if content := f.Content(); content != "" {
		f.Level, err = cappedLevel(c, tx, d.Private, content, f.Level)
		return f, err
	}
	role, _ := f.Role.Get()
	if role, err = cappedRole(tx, c.Org, d.Private, role); role == api.RoleGuest {
		f.Role = api.Null[api.Role]()
	} else {
		f.Role = api.Some(role)
	}
	return f, err
}

// inviterLostAccess reports whether the author of an invite link has no access any more to the content that it gives.
func inviterLostAccess(m *access.Model, d store.LinkInviteDocument) bool {
	if d.Private.CreatedBy == "" {
		return false
	}
	p := m.Member(d.Private.CreatedBy)
	if p == nil {
		return true
	}
	content := d.Fields.Content()
	return content != "" && !m.Role(m.CallerOf(&access.Caller{User: p.User.ID}, p), content).AtLeast(api.RoleRead)
}
