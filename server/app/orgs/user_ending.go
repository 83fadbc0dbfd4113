package orgs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The account of a user is ended in steps, each of which can be repeated: it is marked, which refuses its tokens, then its
// memberships end, then its tokens are deleted.

const eventUserEnded = "users.end"

// MarkEnded marks the account of a user as ended. From the commit on no token of it is accepted.
func (a Accounts) MarkEnded(ctx context.Context, user string) error {
	return a.changeUser(ctx, user, func(tx *store.Tx, u *store.UserDocument) bool {
		if !u.Private.EndedAt.IsZero() {
			return false
		}
		now := api.At(tx.Now())
		if u.Private.EndedAt = now; !u.Private.IsDisabled() {
			u.Private.DisabledAt = now
		}
		tx.Event(operatorEvent(tx.Now(), eventUserEnded, user))
		return true
	})
}

// Anonymize replaces the fields of an account that has ended, except for the e-mail address, which FreeAddress removes.
func (a Accounts) Anonymize(ctx context.Context, user string, fields api.UserFields) error {
	return a.changeUser(ctx, user, func(_ *store.Tx, u *store.UserDocument) bool {
		fields.Email = u.Fields.Email
		before := u.Fields
		u.Fields = fields
		return u.Fields != before
	})
}

// FreeAddress removes the e-mail address of an account that has ended, and then its claim, so that another account can
// have the address.
func (a Accounts) FreeAddress(ctx context.Context, user string) error {
	return a.changeUser(ctx, user, func(tx *store.Tx, u *store.UserDocument) bool {
		email := u.Fields.Email
		if email == "" {
			return false
		}
		u.Fields.Email = ""
		tx.ReleaseEmail(user, email)
		return true
	})
}

// changeUser applies change to the account of a user and stores it if change returns true.
func (a Accounts) changeUser(ctx context.Context, user string, change func(*store.Tx, *store.UserDocument) bool) error {
	return a.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		u, err := tx.User(user)
		if err != nil || u.Version == 0 {
			return rest.NotFoundIfNil(err)
		}
		if change(tx, &u) {
			_, err = tx.PutUser(u)
		}
		return err
	})
}

// EndMemberships ends all memberships of a user, whose texts are then shown with fields. Open invites and invite links that
// the user made are deleted. With anonymize the name is also replaced where the user was a member before.
func (a Accounts) EndMemberships(ctx context.Context, user string, fields api.UserFields, anonymize bool) error {
	organizations, err := (&Service{Store: a.Store}).LoadUserOrganizations(ctx, user)
	if err != nil {
		return err
	}
	var failures []error
	for _, org := range organizations {
		if err := a.endMembership(ctx, org, user, fields, anonymize); err != nil {
			failures = append(failures, fmt.Errorf("membership in %s: %w", org, err))
		}
	}
	return errors.Join(failures...)
}

func (a Accounts) endMembership(ctx context.Context, org, user string, fields api.UserFields, anonymize bool) error {
	_, err := rest.RetryPlan(func() (none rest.Result[api.None], err error) {
		invites, err := loadAuthoredInvites(ctx, a.Store, org, user)
		if err != nil {
			return none, err
		}
		return none, a.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, user)
			if err != nil {
				return err
			}
			if m.Version == 0 {
				return renameFormerMember(tx, org, user, fields, anonymize)
			}
			if err := checkOtherAdmin(tx, org, m.Private); err != nil {
				return err
			}
			if anonymize {
				m.Private.User = fields
			}
			tx.Event(operatorEvent(tx.Now(), eventUserEnded, user))
			return endMembership(tx, org, m, invites)
		})
	})
	return err
}

// checkOtherAdmin returns an error if a membership is that of the only admin of the organization. Other admins count if
// their accounts are not disabled.
func checkOtherAdmin(tx *store.Tx, org string, m store.MemberPrivate) error {
	if m.Role != api.RoleAdmin || m.IsService() {
		return nil
	}
	others, err := tx.Cardinality(store.AdminsKey(org))
	if m.IsActiveAdmin() {
		others--
	}
	if err != nil || others > 0 {
		return err
	}
	return lastAdminError()
}

// renameFormerMember replaces the name of a former member, if the organization has an entry of the user.
func renameFormerMember(tx *store.Tx, org, user string, fields api.UserFields, anonymize bool) error {
	if !anonymize {
		return nil
	}
	text, there, err := tx.Field(txn.EntriesKey(org), user)
	if err != nil || !there {
		return err
	}
	var p store.Person
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return fmt.Errorf("%w: access entry of %s: %w", redis.ErrCorrupt, user, err)
	}
	if p.User == fields {
		return nil
	}
	p.User = fields
	return tx.PutPerson(p)
}
