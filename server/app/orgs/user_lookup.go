package orgs

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
)

// FindUser returns the id of the user with an id or an e-mail address. A verified address belongs to one account. An
// unverified address is looked up in all accounts, which scans every key; the error for several accounts names them.
func (a Accounts) FindUser(ctx context.Context, idOrEmail string) (string, error) {
	if email, ok := NormalizeEmail(idOrEmail); ok {
		return a.findUserByEmail(ctx, email)
	}
	b := a.Store.NewBatch()
	user := b.Record(store.UserKey(idOrEmail))
	if err := b.Do(ctx); err != nil {
		return "", fmt.Errorf("read user: %w", err)
	}
	if _, there, err := user.Get(); err != nil || !there {
		return "", noUserError(idOrEmail)
	}
	return idOrEmail, nil
}

func noUserError(idOrEmail string) error {
	return api.InvalidField("user", "there is no user %q", idOrEmail).WithHint("wsd user list")
}

// findUserByEmail returns the id of the user with a verified e-mail address or, if there is none, of the only user with it.
func (a Accounts) findUserByEmail(ctx context.Context, email string) (string, error) {
	claim, err := ReadAddressClaim(ctx, a.Store, email)
	if err != nil {
		return "", err
	}
	if claim.IsValid() {
		return claim.Owner, nil
	}
	var found []string
	err = a.Store.WalkUsers(ctx, func(page []store.WalkedUser) error {
		for _, u := range page {
			if u.Err == nil && u.Fields.Email == email {
				found = append(found, u.ID)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("look up %s: %w", email, err)
	case len(found) == 0:
		return "", noUserError(email)
	case len(found) > 1:
		slices.Sort(found)
		return "", api.InvalidField("user", "%d users have the unverified address %s: name one by id (%s)", len(found), email,
			strings.Join(found, ", "))
	}
	return found[0], nil
}
