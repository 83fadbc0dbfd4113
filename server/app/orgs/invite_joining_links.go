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

// acceptLink lets somebody in by an invite link: with a token as who they are, without one with an account that is made
// for them. A link knows nobody's e-mail address, so that account has none.
func (s *Invites) acceptLink(ctx context.Context, c *rest.Call, given invitation, name string) (none rest.Result[api.Accepted], err error) {
	if err := c.Answered(); err != nil {
		return none, err
	}
	if err := s.openLink(ctx, c, given); err != nil {
		return none, err
	}
	user, token, err := s.linkedUser(ctx, c, given, name)
	if err != nil {
		return none, err
	}
	return rest.Commit(ctx, c, store.Organization(given.org), func(tx *store.Tx) (rest.Result[api.Accepted], error) {
		return s.joinByLink(c, tx, given, user, token)
	})
}

// openLink checks that a secret opens an invite link, before anything is made for whoever has it.
func (s *Invites) openLink(ctx context.Context, c *rest.Call, given invitation) error {
	b := s.Store.Pipeline()
	c.Know(b.Follow(given.org))
	record, organization := b.Record(store.LinkInviteKey(given.org, given.invite)), b.Record(store.OrganizationKey(given.org))
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read invite link: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil {
		return err
	}
	if !ok {
		return notOpen()
	}
	var d store.LinkInviteDocument
	o, err := DecodeOrganization(organization)
	if err = errors.Join(err, d.Decode(r)); err != nil {
		return err
	}
	if err := s.leadsIn(c, given, d, o); err != nil {
		return err
	}
	return s.backed(ctx, d.Private)
}

// leadsIn checks that a secret opens an invite link that is open.
func (s *Invites) leadsIn(c *rest.Call, given invitation, d store.LinkInviteDocument, o store.OrganizationDocument) (err error) {
	if d.Version == 0 || store.GoneOrganization(o) || !given.proves(d.Private) {
		return notOpen()
	}
	c.Access(func(model *access.Model) { err = closed(model, o, d, s.Clock()) })
	return err
}

// linkedUser is who comes in by a link: the caller, or a new account with its first token.
func (s *Invites) linkedUser(ctx context.Context, c *rest.Call, given invitation, name string) (user api.UserFields, token string, err error) {
	if c.Caller.User != "" {
		if !c.Caller.Reaches(given.org) {
			return user, "", ForbiddenByToken(c.Caller)
		}
		u, err := s.Orgs.User(ctx, c.Caller.User)
		return KnownAs(u, given.org), "", err
	}
	if name == "" {
		return user, "", api.InvalidField("displayName", "is required for a new account").
			WithHint("If you have an account, accept the invite with a token of it.")
	}
	user = api.UserFields{Object: "user", ID: s.IDs.New(txn.UserPrefix), DisplayName: name}
	err = s.Store.Update(ctx, store.User(user.ID), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		u, err := tx.User(user.ID)
		if err != nil {
			return err
		}
		u.Fields, u.Private = user, store.UserPrivate{VouchedBy: given.org, Invite: given.invite}
		if _, err = tx.PutUser(u); err == nil {
			token, err = firstToken(tx, user.ID)
		}
		return err
	})
	return user, token, err
}

// joinByLink gives a user what an invite link gives. It never takes away: who has more keeps it.
func (s *Invites) joinByLink(c *rest.Call, tx *store.Tx, given invitation, user api.UserFields, token string) (none rest.Result[api.Accepted], err error) {
	d, err := tx.LinkInvite(given.org, given.invite)
	if err != nil {
		return none, err
	}
	o, err := tx.Organization(given.org)
	if err == nil {
		err = s.leadsIn(c, given, d, o)
	}
	if err != nil {
		return none, err
	}
	f, err := lowered(c, tx, d)
	if err != nil {
		return none, err
	}
	role, _ := f.Role.Get() // none for a link into a space or collection
	m, joined, err := join(tx, o, user, role)
	if err != nil {
		return none, err
	}
	gained, err := raise(c, tx, m, f)
	if err != nil {
		return none, err
	}
	result, err := s.accepted(given.org, user, token)
	result.Unchanged = !joined && !gained
	return result, err
}

// raise gives a member what an invite link gives, if it is more than they have.
func raise(c *rest.Call, tx *store.Tx, m store.MemberDocument, f api.LinkInviteFields) (gained bool, err error) {
	if content := f.Content(); content != "" {
		now, err := roleNow(c, tx, m, content)
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

// roleNow is the effective role of a member in a space or collection, by their record. What else it rests on comes into
// the read set, but not for who has just joined: they have nothing yet.
func roleNow(c *rest.Call, tx *store.Tx, m store.MemberDocument, content string) (role api.Role, err error) {
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
