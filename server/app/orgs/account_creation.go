package orgs

import (
	"context"
	"slices"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// AccountOptions describe a user, a membership and a token, for `wsd init` and `wsd token create`.
type AccountOptions struct {
	Email        string
	DisplayName  string // of a new user; "" = the e-mail address
	Organization string // id or title; "" = no membership
	Initial      bool   // Organization is the title of the first organization of the data, which is created
	Role         api.Role
	Token        TokenOptions
	// BreakGlass makes a token that works in Organization for BreakGlassTime although it requires single sign-on. Its admins see it.
	BreakGlass bool
}

// BreakGlassTime is the lifetime of a token that works without single sign-on.
const BreakGlassTime = 24 * time.Hour

// eventBreakGlass is the kind of the event of a token that works without single sign-on.
const eventBreakGlass = "organizations.break-glass"

// CreatedAccount is the result of Create.
type CreatedAccount struct {
	Account
	Organization   string // id; "" = no membership
	TokenID, Token string
}

// Create creates the user, the organization and the membership of o where they are missing, and a token. With
// o.Initial it returns an error if the data already has an organization.
func (a Accounts) Create(ctx context.Context, o AccountOptions) (created CreatedAccount, err error) {
	if o.Initial {
		err = a.checkNoOrganization(ctx, o.Email)
	} else if o.Organization != "" {
		created.Organization, err = a.FindOrganization(ctx, o.Organization)
	}
	if err != nil {
		return created, err
	}
	if created.Account, err = a.EnsureVerifiedUser(ctx, o.Email, o.DisplayName); err != nil {
		return created, err
	}
	if err := a.checkEnabled(ctx, created.ID, o.Email); err != nil {
		return created, err
	}
	if o.Initial {
		if created.Organization, err = a.EnsureOrganization(ctx, o.Organization, created.UserFields); err != nil {
			return created, err
		}
	}
	if created.Organization != "" {
		if err := a.SetMember(ctx, created.Organization, created.UserFields, o.Role); err != nil {
			return created, err
		}
	}
	if o.BreakGlass {
		o.Token.Organization, o.Token.breakGlass = created.Organization, true
		o.Token.ExpiresAt = api.At(a.Store.Now().Add(BreakGlassTime))
	}
	created.TokenID, created.Token, err = a.CreateToken(ctx, created.ID, o.Token)
	if err == nil && o.BreakGlass {
		err = a.announceBreakGlass(ctx, created, o.Token.ExpiresAt)
	}
	return created, err
}

// announceBreakGlass shows a token that works without single sign-on to the admins of its organization, until it ends.
func (a Accounts) announceBreakGlass(ctx context.Context, created CreatedAccount, until api.Time) error {
	return a.Store.Update(ctx, store.Organization(created.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		o, err := tx.Organization(created.Organization)
		if err != nil || o.Version == 0 {
			return err
		}
		shown := slices.DeleteFunc(slices.Clone(o.Private.BreakGlass), func(t api.BreakGlass) bool { return !t.ExpiresAt.After(tx.Now()) })
		o.Private.BreakGlass = append(shown, api.BreakGlass{Token: created.TokenID, User: created.ID, ExpiresAt: until})
		tx.Event(operatorEvent(tx.Now(), eventBreakGlass, created.Organization))
		_, err = tx.PutOrganization(o)
		return err
	})
}

// checkNoOrganization returns an error if the data has an organization. The hint of the error contains the command that creates
// a token for the user with the e-mail address.
func (a Accounts) checkNoOrganization(ctx context.Context, email string) error {
	title, found, err := a.FirstOrganization(ctx)
	if err != nil || !found {
		return err
	}
	title = api.Shorten(title, 100)
	return api.WrongState("This data has an organization already: %q.", title).
		WithHint("A token for somebody in it: wsd token create --user %s --org %q --role admin. "+
			"Another organization: wsctl organizations create --title TITLE", email, title)
}
