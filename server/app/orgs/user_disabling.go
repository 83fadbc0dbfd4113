package orgs

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// SetDisabled disables or enables the account of a user and reports whether it changed. From the commit on no token of a
// disabled account is accepted, by its record. The memberships have a copy, by which invites of the user are refused, requests
// in progress cannot commit, and the organizations get an event. Jobs, which are scheduled before the change, complete the
// copies if the process ends; a repeated call does so, too. It returns a conflict for an account that has ended.
func (a Accounts) SetDisabled(ctx context.Context, user string, disabled bool) (changed bool, err error) {
	s := &Service{Store: a.Store, Log: a.Store.Logger}
	organizations, err := s.LoadUserOrganizations(ctx, user)
	if err == nil {
		err = s.ScheduleUserCopies(ctx, organizations, user)
	}
	if err != nil {
		return false, err
	}
	err = a.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		u, err := tx.User(user)
		if err != nil || u.Version == 0 {
			return rest.NotFoundIfNil(err)
		}
		if !u.Private.EndedAt.IsZero() {
			return api.WrongState("The account %s has ended for good.", user)
		}
		if changed = u.Private.IsDisabled() != disabled; !changed {
			return nil
		}
		kind := eventUserEnabled
		u.Private.DisabledAt = api.Time{}
		if disabled {
			kind, u.Private.DisabledAt = eventUserDisabled, api.At(tx.Now())
		}
		tx.Event(operatorEvent(tx.Now(), kind, user))
		_, err = tx.PutUser(u)
		return err
	})
	if err != nil {
		return false, err
	}
	return changed, s.copyToAll(ctx, organizations, user)
}

// copyToAll copies a user into organizations and returns the errors of those that failed.
func (s *Service) copyToAll(ctx context.Context, organizations []string, user string) error {
	var failures []error
	for _, org := range organizations {
		if err := s.copyUser(ctx, org, user); err != nil {
			failures = append(failures, fmt.Errorf("membership in %s: %w", org, err))
		}
	}
	return errors.Join(failures...)
}

// checkEnabled returns an error if the account of a user is disabled or has ended.
func (a Accounts) checkEnabled(ctx context.Context, user, name string) error {
	u, err := (&Service{Store: a.Store}).LoadUser(ctx, user)
	switch {
	case err != nil:
		return err
	case !u.Private.EndedAt.IsZero():
		return api.WrongState("The account of %s has ended.", name).
			WithHint("wsd user end %s --free-address lets a new account have the address.", user)
	case u.Private.IsDisabled():
		return api.WrongState("The account of %s is disabled.", name).WithHint("wsd user enable %s", user)
	}
	return nil
}
