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

// Names of the quotas of a user: tokens that have not expired, and organizations that the user created. A limit is
// the default of package budgets or set for the user by `wsd quota`. Objects created by Accounts are not limited.
const (
	quotaTokens        = "tokens"
	quotaOrganizations = "organizations"
)

// userQuota holds a user's number of objects of one kind and the limit of that number. Expired objects may be counted.
type userQuota struct {
	size, limit int64
	overridden  bool // the limit was set for this user
}

// queueUserQuota adds the reads of a quota to a pipeline. The returned function decodes them.
func queueUserQuota(b *txn.Batch, numbers *budgets.Budgets, user, name string) func() userQuota {
	index, limit := store.TokensKey(user), numbers.UserTokens
	if name == quotaOrganizations {
		index, limit = store.OwnOrganizationsKey(user), numbers.UserOrganizations
	}
	size, own := b.Cardinality(index), b.Field(store.UserQuotaKey(user), name)
	return func() userQuota {
		c := userQuota{limit: limit}
		c.size = size.Value()
		if text, ok := own.Get(); ok {
			c.limit, _ = strconv.ParseInt(text, 10, 64)
			c.overridden = true
		}
		return c
	}
}

// reached reports whether a number of objects reaches the limit; a limit of 0 means no limit.
func (u userQuota) reached(has int64) bool { return u.limit > 0 && has >= u.limit }

// checkUnchanged adds the count to the read set and returns store.ErrHeadMoved if it has changed.
func (u userQuota) checkUnchanged(tx *store.Tx, index redis.Key) error {
	size, err := tx.Cardinality(index)
	if err == nil && size != u.size {
		err = store.ErrHeadMoved
	}
	return err
}

// checkTokenQuota returns an error if the user has the maximum number of tokens. Expired tokens do not count.
func (s *Service) checkTokenQuota(ctx context.Context, f tokenFamily) error {
	if !f.userTokens.reached(f.userTokens.size) {
		return nil
	}
	live := int64(0)
	for after := ""; ; {
		b := s.Store.NewBatch()
		index := b.Range(store.TokensKey(f.user), after, tokenBatch, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read tokens: %w", err)
		}
		ids := index.Value()
		tokens, err := s.LoadTokens(ctx, f.user, ids)
		if err != nil {
			return err
		}
		ends, err := s.loadEnds(ctx, f.user, tokens)
		if err != nil {
			return err
		}
		live += int64(len(tokens) - len(tokenFamily{members: tokens, ends: ends}.expiredTokens(s.now())))
		if f.userTokens.reached(live) {
			who, list := "You", "wsctl tokens list"
			if f.isService {
				who, list = "A service account", "wsctl member-tokens list "+f.user
			}
			return rest.Exceeded(who, quotaTokens, f.userTokens.limit, live).WithHint("Revoke those that are not used any more (%s).", list)
		}
		if len(ids) < tokenBatch {
			return nil
		}
		after = ids[len(ids)-1]
	}
}

// tokenBatch is the number of tokens read in one trip.
const tokenBatch = 500

// now returns the current time of the store's clock, as used by transactions.
func (s *Service) now() time.Time { return s.Store.Now() }

// reserveOrganization adds the id of a new organization to the index of those that the user created. It returns an
// error if the quota is reached. The index is a superset: reserved ids whose organization was never created are
// removed when it is full.
func (s *Service) reserveOrganization(ctx context.Context, c *rest.Call, id string) error {
	user, index := c.Caller.User, store.OwnOrganizationsKey(c.Caller.User)
	for range rest.MaxPlans {
		b := s.Store.NewBatch()
		count, list := queueUserQuota(b, s.Budgets, user, quotaOrganizations), b.Range(index, "", ownOrganizationBatch, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("read organizations: %w", err)
		}
		own, has := count(), []string(nil)
		has = list.Value()
		if slices.Contains(has, id) { // repeated request
			return nil
		}
		if own.reached(own.size) {
			freed, err := s.dropMissing(ctx, index, has)
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
			if err := own.checkUnchanged(tx, index); err != nil {
				return err
			}
			tx.Add(index, id)
			return nil
		})
		if !errors.Is(err, store.ErrHeadMoved) {
			return err
		}
	}
	return txn.ErrBusy
}

// ownOrganizationBatch is the number of entries of the index of created organizations read in one trip.
const ownOrganizationBatch = 1000

// dropMissing removes ids of organizations that do not exist from the index and reports whether there were any.
func (s *Service) dropMissing(ctx context.Context, index redis.Key, ids []string) (freed bool, err error) {
	made, err := rest.ReadRecords(ctx, s.Store, ids, store.OrganizationKey)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		if _, there := made[id]; there {
			continue
		}
		if err := s.Store.RemoveFromSuperset(ctx, index, id); err != nil {
			return freed, fmt.Errorf("forget %s: %w", id, err)
		}
		freed = true
	}
	return freed, nil
}
