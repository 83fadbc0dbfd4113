package fsck

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// errClaimInUse is returned instead of replacing a claim that may belong to a commit in progress.
var errClaimInUse = errors.New("the claim is too new; repeat the repair in 10 minutes")

// giveName returns a repair that takes a name from all of its holders except the keeper and then claims it for the keeper. The
// claim is read before: a transaction of one of the others that confirms its claim later makes the last step fail, and one that
// confirmed its claim earlier is repeated, because its record has changed.
func (in *pass) giveName(key redis.Key, keeper holder, holders []holder) func(ctx context.Context) error {
	return func(ctx context.Context) error {
		claim, claimed, err := in.store.Claim(ctx, key)
		if err != nil {
			return err
		}
		held := slices.ContainsFunc(holders, func(h holder) bool { return h.owner == claim.Owner })
		if claimed && !held {
			if expired, err := in.store.ClaimExpired(ctx, key, claim); err != nil || !expired {
				return errors.Join(err, errClaimInUse)
			}
		}
		for _, h := range holders {
			if h.owner == keeper.owner {
				continue
			}
			if err := in.takeName(ctx, h); err != nil {
				return err
			}
		}
		return in.store.ReplaceClaim(ctx, key, claim, keeper.owner)
	}
}

// takeName takes a name from a record, with an event in each organization that shows it.
func (in *pass) takeName(ctx context.Context, h holder) error {
	if h.email {
		return in.takeEmail(ctx, h.owner, h.name)
	}
	org, site, ofSite := strings.Cut(h.owner, "-")
	return in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if ofSite {
			return takeSiteHostname(tx, org, site, h.name)
		}
		return takeOrganizationHostname(tx, org, h.name)
	})
}

func takeOrganizationHostname(tx *store.Tx, org, hostname string) error {
	o, err := tx.Organization(org)
	if err != nil || o.Version == 0 || o.Fields.Hostname != hostname {
		return err
	}
	o.Fields.Hostname = ""
	tx.Event(repairEvent(tx, "organizations.repair", org))
	_, err = tx.PutOrganization(o)
	return err
}

func takeSiteHostname(tx *store.Tx, org, site, hostname string) error {
	d, err := tx.Site(org, site)
	if err != nil || d.Version == 0 || d.Fields.Hostname != hostname {
		return err
	}
	d.Fields.Hostname = ""
	fields := repairEvent(tx, "sites.repair", site)
	fields["site"] = site
	tx.Event(fields)
	if _, err := tx.PutSite(org, d); err != nil {
		return err
	}
	return tx.UpdateIfDefaultSite(org, site, func(o *api.OrganizationFields) { o.CustomHostname = "" })
}

// takeEmail takes an address from an account. The account keeps its memberships and its tokens. Jobs, which are scheduled before,
// copy the change to the organizations of the account.
func (in *pass) takeEmail(ctx context.Context, user, email string) error {
	b := in.store.NewBatch()
	organizations := b.Range(store.UserOrganizationsKey(user), "", -1, false)
	if err := b.Do(ctx); err != nil {
		return err
	}
	for _, org := range organizations.Value() {
		err := in.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			m, err := tx.Member(org, user)
			if err != nil || m.Version == 0 {
				return err
			}
			tx.Event(repairEvent(tx, "users.repair", user))
			tx.Schedule(org, store.UserJob(user), store.UserJobTime)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return in.store.Update(ctx, store.User(user), txn.UpdateOptions{}, func(tx *store.Tx) error {
		u, err := tx.User(user)
		if err != nil || !store.HasEmail(u, email) {
			return err
		}
		u.Fields.Email = ""
		_, err = tx.PutUser(u)
		return err
	})
}

// repairEvent returns the fields of the event of a repair.
func repairEvent(tx *store.Tx, kind, id string) map[string]string {
	return map[string]string{
		"type": kind, "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "id": id,
	}
}

// streamTime returns the time in the id of an entry of a stream.
func streamTime(id string) time.Time {
	millis, _, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(millis, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n)
}
