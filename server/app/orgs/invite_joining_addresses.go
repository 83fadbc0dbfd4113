package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// openInvite is an open invite to an e-mail address with its secret.
type openInvite struct {
	inviteSecret

	email         string
	name          string      // of a new account; "" = none was given
	verifiesEmail bool        // the inviting organization has proven the domain, so accepting verifies the address
	scopes        []api.Scope // of the first token of a new account
}

// loadOpenInvite reads the invite of a secret. It returns an error if the invite is not open.
func (iv *Invites) loadOpenInvite(ctx context.Context, c *rest.Call, given inviteSecret) (o openInvite, err error) {
	b := iv.Store.NewBatch()
	c.SetModel(b.Follow(given.org))
	record, organization, entries := b.Record(store.InviteKey(given.org, given.invite)), b.Record(store.OrganizationKey(given.org)),
		b.HashAll(store.EmailDomainsKey(given.org))
	if err := b.Do(ctx); err != nil {
		return o, fmt.Errorf("read invite: %w", err)
	}
	r, ok, err := record.Get()
	if err != nil {
		return o, err
	}
	var d store.InviteDocument
	if ok {
		err = d.Decode(r)
	}
	if err == nil && !given.opens(d, iv.Clock()) {
		err = inviteNotOpenError()
	}
	if err == nil {
		var author inviter
		if author, err = iv.readInviter(ctx, given.org, d.Private); err == nil {
			err = author.err()
		}
	}
	if inviter := d.Private.CreatedBy; err == nil {
		c.Access(func(model *access.Model) {
			if model.InTrash() { // the organization is in the trash
				err = inviteNotOpenError()
			} else if p := model.Member(inviter); inviter != "" && (p == nil || p.Member.Disabled) {
				err = inviterLeftError() // refuse the invite before an account is created
			}
		})
	}
	if err != nil {
		return o, err
	}
	inviting, err := DecodeOrganization(organization)
	if err != nil {
		return o, err
	}
	o = openInvite{inviteSecret: given, email: d.Fields.Email, name: d.Fields.Name}
	c.Access(func(model *access.Model) { o.scopes = inviteScopes(model, d) })
	o.verifiesEmail, err = store.DomainCounts(inviting, EmailAddressDomain(o.email), entries.Value()[EmailAddressDomain(o.email)],
		iv.Clock())
	return o, err
}

// userForInvite returns the user who accepts an invite to an address: the caller, if the address is theirs, or else a
// new account. If the address is the verified address of another account, only that account may accept, because the
// inviter has seen the secret. Unverified uses of the address elsewhere do not matter.
func (iv *Invites) userForInvite(ctx context.Context, c *rest.Call, o openInvite, name string) (user api.UserFields, made bool, err error) {
	if c.Caller.User != "" && !c.Caller.CanAccessTokensOf(o.org) {
		return user, false, TokenBoundElsewhereError(c.Caller)
	}
	if err := c.CheckTokenHere(); err != nil {
		return user, false, err
	}
	claim, err := ReadAddressClaim(ctx, iv.Store, o.email)
	if err != nil {
		return user, false, err
	}
	if claim.IsValid() && claim.Owner != c.Caller.User {
		return user, false, api.WrongState("This e-mail address has an account.").WithHint("Accept the invite with a token of that " +
			"account.")
	}
	if c.Caller.User != "" {
		u, err := iv.Orgs.LoadUser(ctx, c.Caller.User)
		if err == nil && u.Fields.Email == o.email && o.verifiesEmail && !u.Private.HasVerifiedEmail() {
			err = iv.verifyEmail(ctx, c, u.Fields.ID, o.email, claim)
		}
		if err != nil || u.Fields.Email == o.email {
			return u.Fields, false, err
		}
	}
	if err := iv.checkEmailUnused(c, o.email); err != nil {
		return user, false, err
	}
	user, err = iv.createInvitedUser(ctx, c, o, claim, name)
	return user, true, err
}

// createInvitedUser creates the account for an invite. Its id is derived from that of the invite, so that an
// interrupted acceptance is resumed.
func (iv *Invites) createInvitedUser(ctx context.Context, c *rest.Call, o openInvite, claim AddressClaim,
	name string,
) (api.UserFields, error) {
	id := txn.UserPrefix + strings.TrimPrefix(o.invite, store.InvitePrefix)
	if o.verifiesEmail {
		if err := releaseInvalidClaim(ctx, iv.Store, c, o.email, claim); err != nil {
			return api.UserFields{}, err
		}
	}
	var u store.UserDocument
	err := iv.Store.Update(ctx, store.User(id), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) (err error) {
		if u, err = tx.User(id); err != nil {
			return err
		}
		if u.Private.Invite == "" && store.HasEmail(u, o.email) { // the operator vouched for the address: see EnsureVerifiedUser
			return txn.ErrExists
		}
		if u.Version > 0 && (u.Private.Invite != o.invite || u.Private.VouchedBy != o.org) {
			return fmt.Errorf("%w: %s is not the account of invite %s", redis.ErrCorrupt, id, o.invite)
		}
		if u.Version > 0 && (u.Private.Proven || !o.verifiesEmail) {
			return nil
		}
		if u.Version == 0 {
			u.Fields = api.UserFields{Object: "user", ID: id, Email: o.email, DisplayName: cmp.Or(name, o.name, o.email)}
			u.Private = store.UserPrivate{VouchedBy: o.org, Invite: o.invite}
		}
		return putVerifiedUser(tx, u, o.verifiesEmail)
	})
	return u.Fields, emailClaimedError(err)
}

// putVerifiedUser stores an account and claims its address if it is verified.
func putVerifiedUser(tx *store.Tx, u store.UserDocument, proven bool) error {
	if u.Private.Proven = proven; proven {
		tx.Claim(store.EmailKey(u.Fields.Email), u.Fields.ID)
	}
	_, err := tx.PutUser(u)
	return err
}

// emailClaimedError returns the API error for err if another account claimed the address first.
func emailClaimedError(err error) error {
	if errors.Is(err, txn.ErrExists) {
		return api.WrongState("This e-mail address is being given to another account.").WithHint("Try again, with a token of that account.")
	}
	return err
}

// releaseInvalidClaim releases a claim that is not valid, see AddressClaim.IsValid.
func releaseInvalidClaim(ctx context.Context, s *store.Store, c *rest.Call, email string, claim AddressClaim) error {
	if c.DryRun || claim.IsValid() || claim.Account.Version == 0 {
		return nil
	}
	if err := s.ReleaseInvalidEmail(ctx, claim.Account.Fields.ID, email); err != nil {
		return fmt.Errorf("give up the claim of %s: %w", claim.Account.Fields.ID, err)
	}
	return nil
}

// verifyEmail marks the address of an account as verified, because the owner of its domain has invited it. Jobs,
// which are scheduled before the change, copy the address to all organizations of the account.
func (iv *Invites) verifyEmail(ctx context.Context, c *rest.Call, id, email string, claim AddressClaim) error {
	organizations, err := iv.Orgs.LoadUserOrganizations(ctx, id)
	if err != nil {
		return err
	}
	if c.DryRun {
		organizations = nil
	}
	err = errors.Join(releaseInvalidClaim(ctx, iv.Store, c, email, claim), iv.Orgs.ScheduleUserCopies(ctx, organizations, id))
	if err != nil {
		return err
	}
	err = iv.Store.Update(ctx, store.User(id), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		u, err := tx.User(id)
		if err != nil || u.Version == 0 || u.Private.HasVerifiedEmail() {
			return err
		}
		return putVerifiedUser(tx, u, true)
	})
	if err != nil {
		return emailClaimedError(err)
	}
	iv.Orgs.CopyUserToOrganizations(ctx, organizations, id)
	return nil
}
