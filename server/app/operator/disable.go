package operator

import "context"

// DisableResult is the result of `wsd user disable` or `wsd user enable`.
type DisableResult struct {
	User          string       `json:"user"`
	Changed       bool         `json:"changed"` // false if the account was already in the state
	State         AccountState `json:"state"`
	Organizations []Membership `json:"organizations"`
}

// SetDisabled disables or enables the account with an id or e-mail address. Nothing of a disabled account gives access: its
// tokens and the invites that it made are refused, and its open screens end. Everything is kept.
func (s Service) SetDisabled(ctx context.Context, idOrEmail string, disabled bool) (d DisableResult, err error) {
	d.State = AccountActive
	if disabled {
		d.State = AccountDisabled
	}
	if d.User, err = s.accounts().FindUser(ctx, idOrEmail); err != nil {
		return d, err
	}
	if d.Changed, err = s.accounts().SetDisabled(ctx, d.User, disabled); err != nil {
		return d, err
	}
	d.Organizations, err = s.organizationsOf(ctx, d.User)
	d.Organizations = append([]Membership{}, d.Organizations...)
	return d, err
}

// onlyAdminOf returns the organizations whose only admin is the user.
func onlyAdminOf(memberships []Membership) (only []Membership) {
	for _, m := range memberships {
		if m.OnlyAdmin {
			only = append(only, m)
		}
	}
	return only
}

// WithoutAdmin returns the organizations that have no admin whose account is not disabled.
func (d DisableResult) WithoutAdmin() []Membership { return onlyAdminOf(d.Organizations) }
