package orgs

import (
	"context"
	"errors"
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
		a.noteCommand(ctx, user, f.organization)
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

// noteCommand adds the event of the command that opened the store to the organization that a token of a user opens, or to all of the
// user if it is "". A failure is only logged, because it must not prevent a revocation.
func (a Accounts) noteCommand(ctx context.Context, user, organization string) {
	if !a.Store.HasCommand() {
		return
	}
	s := &Service{Store: a.Store, Log: a.Store.Logger}
	_, err := s.followTokens(ctx, user, organization)
	s.warnMissingEvents(ctx, user, err)
}

// RevokeAllTokens deletes all tokens of a user and returns their number. Tokens that are created meanwhile with one that
// is not deleted yet are deleted, too.
func (a Accounts) RevokeAllTokens(ctx context.Context, user string) (count int, err error) {
	a.noteCommand(ctx, user, "")
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
