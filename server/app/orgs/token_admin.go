package orgs

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// revokeBatch is the number of tokens that RevokeAllTokens deletes in one transaction.
const revokeBatch = 200

// RevokeToken deletes a token of a user and the tokens that descend from it, in one transaction. It returns them, the given
// one first, or a not_found error.
func (a Accounts) RevokeToken(ctx context.Context, user, token string) (revoked []api.TokenFields, err error) {
	s := &Service{Store: a.Store, Budgets: budgets.Defaults()} // the quota of tokens is read, but does not matter here
	for range rest.MaxPlans {
		f, err := s.loadTokenFamily(ctx, user, token)
		if err != nil {
			return nil, err
		}
		if len(f.members) == 0 {
			return nil, api.NotFound()
		}
		a.warnOfCommand(ctx, user, a.addCommandEvents(ctx, user, f.organization))
		err = a.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			revoked, err = f.revokeWithDescendants(tx, token)
			return err
		})
		if !errors.Is(err, store.ErrHeadMoved) {
			return revoked, err
		}
	}
	return nil, txn.ErrBusy
}

// revokeWithDescendants deletes a token and its descendants and returns them.
func (f tokenFamily) revokeWithDescendants(tx *store.Tx, id string) ([]api.TokenFields, error) {
	token, err := tx.Token(f.user, id)
	if err != nil || token.Version == 0 {
		return nil, rest.NotFoundIfNil(err)
	}
	if err := f.checkUnchanged(tx); err != nil {
		return nil, err
	}
	descendants := f.descendants(id)
	revoked := []api.TokenFields{token.Fields}
	for _, m := range f.members {
		for _, descendant := range descendants {
			if m.Fields.ID == descendant {
				revoked = append(revoked, m.Fields)
			}
		}
	}
	tx.DeleteToken(f.user, token)
	tx.Event(operatorEvent(tx.Now(), api.DeleteToken.Name, id))
	return revoked, f.revoke(tx, descendants)
}

// addCommandEvents adds the event of the command that opened the store to the organization in which a token of a user works, or to all
// of the user if it is "". Without a command it does nothing.
func (a Accounts) addCommandEvents(ctx context.Context, user, organization string) error {
	if !a.Store.HasCommand() {
		return nil
	}
	s := &Service{Store: a.Store}
	organizations, err := s.organizationsOf(ctx, user, tokenChange{organization: organization})
	failures := []error{err}
	for _, org := range organizations {
		err := a.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, user)
			if err == nil && m.Version > 0 {
				tx.Event(operatorEvent(tx.Now(), txn.EventCommand, org))
			}
			return err
		})
		if err != nil {
			failures = append(failures, fmt.Errorf("organization %s: %w", org, err))
		}
	}
	return errors.Join(failures...)
}

// warnOfCommand logs that organizations have no event of a revocation, which is made in any case.
func (a Accounts) warnOfCommand(ctx context.Context, user string, err error) {
	if err != nil {
		a.Store.Logger.WarnContext(ctx, "organizations have no event of the command that revoked tokens", "user", user, "error", err)
	}
}

// RevokeAllTokens deletes all tokens of a user and returns their number. Tokens that are created meanwhile with one that
// is not deleted yet are deleted, too.
func (a Accounts) RevokeAllTokens(ctx context.Context, user string) (count int, err error) {
	a.warnOfCommand(ctx, user, a.addCommandEvents(ctx, user, ""))
	for {
		b := a.Store.NewBatch()
		index := b.Range(store.TokensKey(user), "", revokeBatch, false)
		if err := b.Do(ctx); err != nil {
			return count, err
		}
		ids := index.Value()
		if len(ids) == 0 {
			return count, nil
		}
		err := a.Store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
			for _, id := range ids {
				tx.Remove(store.TokensKey(user), id) // also of a token whose record is missing
			}
			tx.Event(operatorEvent(tx.Now(), api.DeleteToken.Name, user))
			return tokenFamily{user: user}.revoke(tx, ids)
		})
		if err != nil {
			return count, err
		}
		count += len(ids)
	}
}

// operatorEvent returns the event of a change by a command of the operator, which has no actor.
func operatorEvent(now time.Time, kind, id string) map[string]string {
	return map[string]string{
		"type": kind, "at": strconv.FormatInt(now.UnixMilli(), 10), "id": id,
	}
}
