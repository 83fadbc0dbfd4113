package orgs

import (
	"context"

	"docspace.dev/wsd/client/api"
)

// AccountOptions describe a user, a membership and a token, for `wsd init` and `wsd token create`.
type AccountOptions struct {
	Email        string
	DisplayName  string // of a new user; "" = the e-mail address
	Organization string // id or title; "" = no membership
	Initial      bool   // Organization is the title of the first organization of the data, which is created
	Role         api.Role
	Token        TokenOptions
}

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
	created.TokenID, created.Token, err = a.CreateToken(ctx, created.ID, o.Token)
	return created, err
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
