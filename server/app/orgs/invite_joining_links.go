package orgs

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// acceptLink makes a user a member by an invite link: the caller, or without a token a new account, which has no
// e-mail address.
func (iv *Invites) acceptLink(ctx context.Context, c *rest.Call, given inviteSecret, name string) (none rest.Result[api.Accepted],
	err error,
) {
	if err := c.StoredAnswer(); err != nil {
		return none, err
	}
	author, scopes, err := iv.checkLinkOpen(ctx, c, given)
	if err != nil {
		return none, err
	}
	user, token, err := iv.findOrCreateUser(ctx, c, given, name, scopes)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Organization(given.org), func(tx *store.Tx) (rest.Result[api.Accepted], error) {
		noteJoin(c, given, user)
		return iv.joinByLink(c, tx, given, author, user, token)
	})
}

// checkLinkOpen returns an error if the link of a secret is not open, before an account is created. It returns the author of
// the link, and the scopes of the first token of a new account.
func (iv *Invites) checkLinkOpen(ctx context.Context, c *rest.Call, given inviteSecret) (author inviter, scopes []api.Scope, err error) {
	b := iv.Store.NewBatch()
	c.SetModel(b.Follow(given.org))
	record, organization := b.Record(store.LinkInviteKey(given.org, given.invite)), b.Record(store.OrganizationKey(given.org))
	if err := b.Do(ctx); err != nil {
		return author, nil, fmt.Errorf("read invite link: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil {
		return author, nil, err
	}
	if !ok {
		return author, nil, inviteNotOpenError()
	}
	var d store.LinkInviteDocument
	o, err := DecodeOrganization(organization)
	if err = errors.Join(err, d.Decode(r)); err != nil {
		return author, nil, err
	}
	if author, err = iv.readInviter(ctx, given.org, d.Private); err == nil {
		err = iv.checkLink(c, given, d, author, o)
	}
	if err == nil {
		c.Access(func(model *access.Model) { scopes = linkScopes(model, d) })
	}
	return author, scopes, err
}

// checkLink returns an error if the secret does not match the invite link or the link is not open.
func (iv *Invites) checkLink(
	c *rest.Call, given inviteSecret, d store.LinkInviteDocument, author inviter, o store.OrganizationDocument,
) (err error) {
	if d.Version == 0 || store.IsOrganizationGone(o) || !given.matches(d.Private) {
		return inviteNotOpenError()
	}
	c.Access(func(model *access.Model) { err = linkClosedError(model, o, d, author, iv.Clock()) })
	return err
}

// findOrCreateUser returns the user who accepts a link: the caller, or a new account and its first token, which has the given scopes.
func (iv *Invites) findOrCreateUser(ctx context.Context, c *rest.Call, given inviteSecret, name string, scopes []api.Scope) (
	user api.UserFields, token firstToken, err error,
) {
	if c.Caller.User != "" {
		if !c.Caller.CanAccessTokensOf(given.org) {
			return user, token, TokenBoundElsewhereError(c.Caller)
		}
		if err := c.CheckTokenHere(); err != nil {
			return user, token, err
		}
		u, err := iv.Orgs.LoadUser(ctx, c.Caller.User)
		return NewMemberFields(u, given.org), token, err
	}
	if name == "" {
		return user, token, api.InvalidField("displayName", "is required for a new account").
			WithHint("If you have an account, accept the invite with a token of it.")
	}
	user = api.UserFields{Object: "user", ID: iv.IDs.New(txn.UserPrefix), DisplayName: name}
	err = iv.Store.Update(ctx, store.User(user.ID), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		u, err := tx.User(user.ID)
		if err != nil {
			return err
		}
		u.Fields, u.Private = user, store.UserPrivate{VouchedBy: given.org, Invite: given.invite}
		if _, err = tx.PutUser(u); err == nil {
			token, err = iv.createFirstToken(tx, user.ID, scopes)
		}
		return err
	})
	return user, token, err
}

// joinByLink gives a user the access of an invite link. Higher access that the user has is kept.
func (iv *Invites) joinByLink(c *rest.Call, tx *store.Tx, given inviteSecret, author inviter, user api.UserFields,
	token firstToken,
) (none rest.Result[api.Accepted], err error) {
	d, err := tx.LinkInvite(given.org, given.invite)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(given.org)
	if err == nil {
		err = iv.checkLink(c, given, d, author, o)
	}
	if err != nil {
		return none, err
	}
	f, err := cappedLink(c, tx, d)
	if err != nil {
		return none, err
	}
	role, _ := f.Role.Get() // unset for a link into a space or collection
	m, joined, err := join(tx, o, user, role)
	if err != nil {
		return none, err
	}
	gained, err := raiseAccess(c, tx, m, f)
	if err != nil {
		return none, err
	}
	result, err := iv.acceptedResult(given.org, user, token)
	result.Unchanged = !joined && !gained
	return result, err
}

// raiseAccess gives a member the access of an invite link if it is more than the member has.
func raiseAccess(c *rest.Call, tx *store.Tx, m store.MemberDocument, f api.LinkInviteFields) (gained bool, err error) {
	if content := f.Content(); content != "" {
		now, err := memberRole(c, tx, m, content)
		if err != nil || now.AtLeast(f.Level) {
			return false, err
		}
		m.Private.Grants = WithGrant(m.Private.Grants, content, f.Level)
	} else {
		role, _ := f.Role.Get()
		if m.Private.Role.AtLeast(role) {
			return false, nil
		}
		m.Private.Role = role
	}
	_, err = tx.PutMember(c.Org, m)
	return true, err
}

// memberRole returns the effective role of a member in a space or collection from the member's record. It adds its
// dependencies to the read set, except for a new member, who has no other grants.
func memberRole(c *rest.Call, tx *store.Tx, m store.MemberDocument, content string) (role api.Role, err error) {
	if m.Version == 0 {
		return api.RoleGuest, nil
	}
	var dependencies []access.Dependency
	c.Access(func(model *access.Model) {
		has := model.CallerOf(&access.Caller{User: m.Private.User.ID}, access.NewPerson(store.PersonOf(m), nil))
		role, dependencies = model.Role(has, content), model.Dependencies(has, content)
	})
	return role, c.Recheck(tx, dependencies)
}
