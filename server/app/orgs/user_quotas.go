package orgs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// What a user may have of their own: tokens that have not expired, and organizations that they made. The numbers are
// budgets, or the user's own (wsd quota). What is made on the machine of the server is not held to them.
const (
	quotaTokens        = "tokens"
	quotaOrganizations = "organizations"
)

// userCount is how many of something a user has at most, and how many there may be.
type userCount struct {
	size, limit int64
	own         bool // the limit is the user's own
}

// queueCount reads the count of something with a pipeline.
func queueCount(b *txn.Batch, numbers *budgets.Budgets, user, what string) func() userCount {
	index, limit := store.TokensKey(user), numbers.UserTokens
	if what == quotaOrganizations {
		index, limit = store.OwnOrganizationsKey(user), numbers.UserOrganizations
	}
	size, own := b.Card(index), b.Field(store.UserQuotaKey(user), what)
	return func() userCount {
		c := userCount{limit: limit}
		c.size = size.Value()
		if text, ok := own.Get(); ok {
			c.limit, _ = strconv.ParseInt(text, 10, 64)
			c.own = true
		}
		return c
	}
}

// full reports whether there may be no more than so many; 0 is no limit.
func (u userCount) full(has int64) bool { return u.limit > 0 && has >= u.limit }

// hold makes the count part of a transaction: nobody has made another since.
func (u userCount) hold(tx *store.Tx, index redis.Key) error {
	size, err := tx.Card(index)
	if err == nil && size != u.size {
		err = rest.ErrHeadMoved
	}
	return err
}

// roomForToken refuses a token too many. Those that have expired are there, but do not count.
func (s *Service) roomForToken(ctx context.Context, f family) error {
	if !f.all.full(f.all.size) {
		return nil
	}
	live := int64(0)
	for after := ""; ; {
		b := s.Store.Pipeline()
		index := b.Range(store.TokensKey(f.user), after, tokenPage, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read tokens: %w", err)
		}
		ids := index.Value()
		tokens, err := s.TokenDocuments(ctx, f.user, ids)
		if err != nil {
			return err
		}
		live += int64(len(tokens) - len(family{members: tokens}.expired(s.now())))
		if f.all.full(live) {
			return rest.Exceeded("You", quotaTokens, f.all.limit, live).WithHint("Revoke those that are not used any more (wsctl tokens list).")
		}
		if len(ids) < tokenPage {
			return nil
		}
		after = ids[len(ids)-1]
	}
}

// tokenPage is how many tokens are read at once.
const tokenPage = 500

// now is the time as a transaction has it.
func (s *Service) now() time.Time { return s.Store.Now() }

// reserveOrganization adds an organization that is about to be made to those that the user made, if there may be one
// more. The index is a superset: what was reserved and never made is taken out when there is no room.
func (s *Service) reserveOrganization(ctx context.Context, c *rest.Call, id string) error {
	user, index := c.Caller.User, store.OwnOrganizationsKey(c.Caller.User)
	for range rest.MaxPlans {
		b := s.Store.Pipeline()
		count, list := queueCount(b, s.Budgets, user, quotaOrganizations), b.Range(index, "", ownPage, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read organizations: %w", err)
		}
		own, has := count(), []string(nil)
		has = list.Value()
		if slices.Contains(has, id) { // a repeat
			return nil
		}
		if own.full(own.size) {
			freed, err := s.forgetUnmade(ctx, index, has)
			if err != nil {
				return err
			}
			if !freed {
				return rest.Exceeded("You", quotaOrganizations, own.limit, own.size).
					WithHint("Ask who runs the server for more (wsd quota), or to be invited into an organization that is there.")
			}
			continue
		}
		err := s.Store.Update(ctx, store.User(user), txn.UpdateOptions{DryRun: c.DryRun}, func(tx *store.Tx) error {
			if err := own.hold(tx, index); err != nil {
				return err
			}
			tx.Add(index, id)
			return nil
		})
		if !errors.Is(err, rest.ErrHeadMoved) {
			return err
		}
	}
	return txn.ErrBusy
}

// ownPage is how many of the organizations that a user made are read at once.
const ownPage = 1000

// forgetUnmade takes organizations out of the index that do not exist, and reports whether there were some.
func (s *Service) forgetUnmade(ctx context.Context, index redis.Key, ids []string) (freed bool, err error) {
	made, err := rest.ReadRecords(ctx, s.Store, ids, store.OrganizationKey)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if _, there := made[id]; there {
			continue
		}
		if err := s.Store.Forget(ctx, index, id); err != nil {
			return freed, fmt.Errorf("forget %s: %w", id, err)
		}
		freed = true
	}
	return freed, nil
}
