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

// offer is an invite to an e-mail address that a secret opens.
type offer struct {
	invitation

	email  string
	proves bool // the domain is the inviting organization's: who comes in by it has a proven address
}

// offered reads an invite that a secret opens.
func (s *Invites) offered(ctx context.Context, c *rest.Call, given invitation) (o offer, err error) {
	b := s.Store.Pipeline()
	c.Know(b.Follow(given.org))
	record, organization, entries := b.Record(store.InviteKey(given.org, given.invite)), b.Record(store.OrganizationKey(given.org)), b.HashAll(store.EmailDomainsKey(given.org))
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
	if err == nil && !given.opens(d, s.Clock()) {
		err = notOpen()
	}
	if err == nil {
		err = s.backed(ctx, d.Private)
	}
	if maker := d.Private.Maker; err == nil {
		c.Access(func(model *access.Model) {
			if model.Closed() { // the organization is in the trash
				err = notOpen()
			} else if maker != "" && model.Member(maker) == nil {
				err = makerLeft() // before anything is made for whoever brings it
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
	o = offer{invitation: given, email: d.Fields.Email}
	o.proves, err = store.DomainCounts(inviting, DomainOf(o.email), entries.Value()[DomainOf(o.email)], s.Clock())
	return o, err
}

// invitedUser is who comes in by an invite to an e-mail address: the caller, if it is their address, else a new account.
// Where somebody was vouched for with that address, it is theirs alone: whoever invites has seen the secret, and must
// not come in under their name. That others wrote the same address is nobody's business here.
func (s *Invites) invitedUser(ctx context.Context, c *rest.Call, o offer, name string) (user api.UserFields, made bool, err error) {
	if c.Caller.User != "" && !c.Caller.Reaches(o.org) {
		return user, false, ForbiddenByToken(c.Caller)
	}
	claim, err := ClaimOf(ctx, s.Store, o.email)
	if err != nil {
		return user, false, err
	}
	if claim.Good() && claim.Owner != c.Caller.User {
		return user, false, api.WrongState("This e-mail address has an account.").WithHint("Accept the invite with a token of that account.")
	}
	if c.Caller.User != "" {
		u, err := s.Orgs.User(ctx, c.Caller.User)
		if err == nil && u.Fields.Email == o.email && o.proves && !IsVouched(u) {
			err = s.prove(ctx, c, u.Fields.ID, o.email, claim)
		}
		if err != nil || u.Fields.Email == o.email {
			return u.Fields, false, err
		}
	}
	if err := s.unusedHere(c, o.email); err != nil {
		return user, false, err
	}
	user, err = s.writtenUser(ctx, c, o, claim, name)
	return user, true, err
}

// writtenUser makes the account of whoever has the secret of an invite. Its id is made of the invite's, so that an
// acceptance that was cut off is gone on with.
func (s *Invites) writtenUser(ctx context.Context, c *rest.Call, o offer, claim AddressClaim, name string) (api.UserFields, error) {
	id := txn.UserPrefix + strings.TrimPrefix(o.invite, store.InvitePrefix)
	if o.proves {
		if err := s.dropClaim(ctx, c, o.email, claim); err != nil {
			return api.UserFields{}, err
		}
	}
	var u store.UserDocument
	err := s.Store.Update(ctx, store.User(id), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) (err error) {
		if u, err = tx.User(id); err != nil {
			return err
		}
		if u.Version > 0 && (u.Private.Invite != o.invite || u.Private.VouchedBy != o.org) {
			return fmt.Errorf("%w: %s is not the account of invite %s", redis.ErrCorrupt, id, o.invite)
		}
		if u.Version > 0 && (u.Private.Proven || !o.proves) {
			return nil
		}
		if u.Version == 0 {
			u.Fields = api.UserFields{Object: "user", ID: id, Email: o.email, DisplayName: cmp.Or(name, o.email)}
			u.Private = store.UserPrivate{VouchedBy: o.org, Invite: o.invite}
		}
		return putProven(tx, u, o.proves)
	})
	return u.Fields, claimedMeanwhile(err)
}

// putProven writes an account; one whose address is proven claims it.
func putProven(tx *store.Tx, u store.UserDocument, proven bool) error {
	if u.Private.Proven = proven; proven {
		tx.Claim(store.EmailKey(u.Fields.Email), u.Fields.ID)
	}
	_, err := tx.PutUser(u)
	return err
}

// claimedMeanwhile is the error of who claims an address that somebody else was faster with.
func claimedMeanwhile(err error) error {
	if errors.Is(err, txn.ErrExists) {
		return api.WrongState("This e-mail address is being given to another account.").WithHint("Try again, with a token of that account.")
	}
	return err
}

// dropClaim gives up a claim that is nobody's right: see addressClaim.good.
func (s *Invites) dropClaim(ctx context.Context, c *rest.Call, email string, claim AddressClaim) error {
	if c.DryRun || claim.Good() || claim.Account.Version == 0 {
		return nil
	}
	if err := s.Store.Unclaim(ctx, store.EmailKey(email), claim.Claim); err != nil {
		return fmt.Errorf("give up the claim of %s: %w", claim.Account.Fields.ID, err)
	}
	return nil
}

// prove makes the address of an account proven, because the owner of its domain has invited it. The organizations that the
// account is in learn the address: each has a job that makes sure of that, planned before anything is changed.
func (s *Invites) prove(ctx context.Context, c *rest.Call, id, email string, claim AddressClaim) error {
	organizations, err := s.Orgs.OrganizationsOfUser(ctx, id)
	if err != nil {
		return err
	}
	if c.DryRun {
		organizations = nil
	}
	if err := errors.Join(s.dropClaim(ctx, c, email, claim), s.Orgs.PlanCopies(ctx, organizations, id)); err != nil {
		return err
	}
	err = s.Store.Update(ctx, store.User(id), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
		u, err := tx.User(id)
		if err != nil || u.Version == 0 || IsVouched(u) {
			return err
		}
		return putProven(tx, u, true)
	})
	if err != nil {
		return claimedMeanwhile(err)
	}
	s.Orgs.CopyEverywhere(ctx, organizations, id)
	return nil
}
