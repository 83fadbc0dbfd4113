package orgs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// maxDisplayName is the maximum length of the name of an account in characters.
const maxDisplayName = 64

// accountOf returns the account of somebody who signs in by a provider: the one that the identity is linked with, the caller who has
// confirmed that it is theirs, the one with the same address if that is verified on both sides, or else a new one.
func (l *Logins) accountOf(ctx context.Context, c *rest.Call, plan signInPlan) (user api.UserFields, err error) {
	switch {
	case plan.identity.Private.User != "":
		return l.enabledAccount(ctx, plan, plan.identity.Private.User)
	case plan.IsConfirmed:
		if err := l.checkConfirmation(ctx, c, plan.Organization); err != nil {
			return user, err
		}
		return l.enabledAccount(ctx, plan, c.Caller.User)
	}
	claim := AddressClaim{email: plan.email}
	if plan.isVouched {
		if claim, err = ReadAddressClaim(ctx, l.Orgs.Store, plan.email); err != nil {
			return user, err
		}
		isMember := false
		c.Access(func(model *access.Model) { isMember = model.Member(claim.Owner) != nil })
		if claim.IsValid() && (plan.isProven || isMember) { // an organization vouches for addresses of its own domains and members
			return l.enabledAccount(ctx, plan, claim.Owner)
		}
	}
	if plan.email != "" {
		var known []string
		c.Access(func(model *access.Model) { known = slices.Clone(model.MembersByEmail()[plan.email]) })
		known = slices.DeleteFunc(known, func(id string) bool { return id == store.IdentityUser(plan.identityID()) })
		if len(known) > 0 {
			return user, l.requestIdentity(ctx, c, plan, signInRefused(
				"A member of this organization has the address %s, and it is not known whether that is you.", plan.email).
				WithHint("If it is, sign in here with a token or an invite of that account first, and then once more by the provider."))
		}
	}
	if !plan.provider.IsTried { // before an account is created
		return user, plan.provider.notInUse()
	}
	return l.createAccount(ctx, c, plan, claim)
}

// checkConfirmation returns an error if the session of the caller may not link an identity: the sessions of the identity have the scopes
// that the roles of the account need.
func (l *Logins) checkConfirmation(ctx context.Context, c *rest.Call, org string) error {
	caller := c.Caller
	if caller.Login != api.SessionToken || !caller.CanAccessTokensOf(org) || caller.IsService {
		return signInRefused("Only somebody who is signed in on this server can confirm that the identity is theirs.")
	}
	if err := c.CheckTokenNotEnded(); err != nil {
		return err
	}
	needed, err := l.Orgs.LeastScopes(ctx, caller.User, org)
	if err != nil {
		return err
	}
	for _, scope := range needed {
		if !caller.HasScope(scope) {
			return signInRefused("The session may do less than your account: linking takes the scope %s.", scope).
				WithHint("Sign in with a token that has it, and then once more by the provider.")
		}
	}
	return nil
}

// enabledAccount returns an account that can sign in, as its organizations show it.
func (l *Logins) enabledAccount(ctx context.Context, plan signInPlan, id string) (user api.UserFields, err error) {
	u, err := l.Orgs.LoadUser(ctx, id)
	if err != nil {
		return user, err
	}
	if u.Private.IsDisabled() {
		return user, signInRefused("Your account on this server is disabled.").WithHint("Ask whoever runs the server.")
	}
	return NewMemberFields(u, plan.Organization), nil
}

// createAccount creates the account of an identity. Its address is verified if its domain counts as that of the organization.
func (l *Logins) createAccount(ctx context.Context, c *rest.Call, plan signInPlan, claim AddressClaim) (user api.UserFields, err error) {
	id := store.IdentityUser(plan.identityID())
	if plan.isProven {
		if err := releaseInvalidClaim(ctx, l.Orgs.Store, c, plan.email, claim); err != nil {
			return user, err
		}
	}
	var u store.UserDocument
	err = l.Orgs.Store.Update(ctx, store.User(id), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) (err error) {
		if u, err = tx.User(id); err != nil {
			return err
		}
		if u.Version > 0 {
			if u.Private.Invite != plan.identityID() {
				return fmt.Errorf("%w: %s is not the account of identity %s", redis.ErrCorrupt, id, plan.identityID())
			}
			return nil
		}
		name := api.Shorten(cmp.Or(plan.Identity.Name, plan.email, "Member"), maxDisplayName-1)
		u.Fields = api.UserFields{Object: "user", ID: id, Email: plan.email, DisplayName: name}
		u.Private = store.UserPrivate{VouchedBy: plan.Organization, Invite: plan.identityID()}
		return putVerifiedUser(tx, u, plan.isProven)
	})
	if errors.Is(err, txn.ErrExists) {
		return user, signInRefused("The address %s is being given to another account.", plan.email).WithHint("Sign in once more.")
	}
	if err != nil {
		return user, err
	}
	return l.enabledAccount(ctx, plan, id)
}
