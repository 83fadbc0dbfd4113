package fsck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// holder is a record that has a unique name: an account its e-mail address, or a site or organization its hostname.
type holder struct {
	name  string
	owner string // of the claim that the record needs
	email bool   // the name is an e-mail address
}

// key returns the key of the claim.
func (h holder) key() redis.Key {
	if h.email {
		return store.EmailKey(h.name)
	}
	return store.HostnameKey(h.name)
}

// what describes the name.
func (h holder) what() string {
	if h.email {
		return "e-mail address " + h.name
	}
	return "hostname " + h.name
}

// noteHolder collects a record that has a unique name.
func (in *pass) noteHolder(h holder) {
	if h.name != "" {
		in.holders[h.key()] = append(in.holders[h.key()], h)
	}
}

// noteAccounts reads all accounts and collects those with a verified e-mail address. Unverified addresses are not unique.
func (in *pass) noteAccounts(ctx context.Context) error {
	var names []string
	for _, name := range in.names {
		if kind, _ := store.RecordName(name); strings.HasPrefix(name, "{u:") && kind == "user" {
			names = append(names, name)
		}
	}
	for chunk := range slices.Chunk(names, txn.ChunkFields) {
		values, err := in.readStrings(ctx, "fsck.accounts", chunk)
		if err != nil {
			return err
		}
		for i, name := range chunk {
			if err := in.noteAccount(name, values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// noteAccount collects the address of one account, given the name and the value of its record.
func (in *pass) noteAccount(name string, value *goredis.StringCmd) error {
	if errors.Is(value.Err(), goredis.Nil) {
		return nil // deleted since the scan
	}
	in.report.Records++
	record, err := in.store.Decode([]byte(value.Val()))
	if errors.Is(err, redis.ErrNewerFormat) {
		return fmt.Errorf("%s: %w", name, err)
	}
	var u store.UserDocument
	if err = errors.Join(value.Err(), err); err == nil {
		err = u.Decode(record)
	}
	if err != nil {
		in.add(name, "", "cannot be read: "+err.Error(), nil)
		return nil
	}
	if u.Private.HasVerifiedEmail() {
		in.noteHolder(holder{name: u.Fields.Email, owner: u.Fields.ID, email: true})
	}
	return nil
}

// readStrings reads strings in one trip. Each reply has its own error; only an unavailable store is returned.
func (in *pass) readStrings(ctx context.Context, failpoint string, names []string) ([]*goredis.StringCmd, error) {
	pipe, values := in.store.Client.Pipeline(), make([]*goredis.StringCmd, len(names))
	for i, name := range names {
		values[i] = pipe.Get(ctx, in.store.Prefix+name)
	}
	redis.FailBefore(failpoint)
	_, err := pipe.Exec(ctx)
	redis.FailAfter(failpoint)
	if err != nil && redis.IsUnavailable(err) {
		return nil, redis.Wrap(ctx, err)
	}
	return values, nil
}

// checkClaims checks that each unique name belongs to one record and that its claim names that record. Without a claim, or with
// that of another owner, a name could be given to a second one.
func (in *pass) checkClaims(ctx context.Context) error {
	keys := slices.SortedFunc(maps.Keys(in.holders), func(a, b redis.Key) int { return strings.Compare(a.Name(), b.Name()) })
	for chunk := range slices.Chunk(keys, txn.ChunkFields) {
		names := make([]string, len(chunk))
		for i, key := range chunk {
			names[i] = key.Name()
		}
		values, err := in.readStrings(ctx, "fsck.claims", names)
		if err != nil {
			return err
		}
		for i, key := range chunk {
			if err := in.checkClaim(ctx, key, values[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkClaim checks one claim against the records that have its name.
func (in *pass) checkClaim(ctx context.Context, key redis.Key, value *goredis.StringCmd) error {
	var claim txn.Claim
	if err := value.Err(); err == nil {
		if claim, err = txn.ParseClaim(key, value.Val()); err != nil {
			in.add(key.Name(), "", "cannot be read: "+err.Error(), nil)
			return nil
		}
	} else if !errors.Is(err, goredis.Nil) {
		return in.addUnreadable(ctx, key.Name(), err)
	}
	holders := in.holders[key]
	keeper := holders[0]
	switch {
	case len(holders) > 1:
		var err error
		if keeper, err = in.oldestHolder(ctx, holders, claim.Owner); err != nil {
			return err
		}
		owners := make([]string, len(holders))
		for i, h := range holders {
			owners[i] = h.owner
		}
		in.add(key.Name(), "", fmt.Sprintf("the %s belongs to %s; the repair leaves it to %s", keeper.what(),
			strings.Join(owners, " and "), keeper.owner), in.giveName(key, keeper, holders))
	case claim.Owner == "":
		in.add(key.Name(), "", fmt.Sprintf("the %s of %s is not claimed", keeper.what(), keeper.owner), in.giveName(key, keeper, holders))
	case claim.Owner != keeper.owner:
		in.add(key.Name(), "", fmt.Sprintf("the %s of %s is claimed by %s, which does not have it", keeper.what(), keeper.owner,
			claim.Owner), in.giveName(key, keeper, holders))
	}
	return nil
}

// oldestHolder returns the holder that has had the name longest: of accounts the oldest; of sites and organizations the one whose
// settings were changed last the longest ago, or else the owner of the claim.
func (in *pass) oldestHolder(ctx context.Context, holders []holder, claimOwner string) (holder, error) {
	if holders[0].email {
		return slices.MinFunc(holders, func(a, b holder) int { return strings.Compare(a.owner, b.owner) }), nil // ids begin with the time
	}
	changed := map[string]time.Time{}
	for _, h := range holders {
		var err error
		if changed[h.owner], err = in.settingsChangedAt(ctx, h.owner); err != nil {
			return holder{}, err
		}
	}
	return slices.MinFunc(holders, func(a, b holder) int {
		if order := changed[a.owner].Compare(changed[b.owner]); order != 0 {
			return order
		}
		switch claimOwner {
		case a.owner:
			return -1
		case b.owner:
			return 1
		}
		return strings.Compare(a.owner, b.owner)
	}), nil
}

// eventPage is the number of events that are read in one trip.
const eventPage = 1000

// settingsChangedAt returns the time of the newest event that changed the settings of a site or organization, by the clock of Redis.
// It is zero if there is none any more.
func (in *pass) settingsChangedAt(ctx context.Context, owner string) (changed time.Time, err error) {
	org, id, ofSite := strings.Cut(owner, "-")
	kind := api.UpdateSite.Name
	if !ofSite {
		id, kind = org, api.UpdateOrganization.Name
	}
	name := in.store.Name(txn.EventsKey(store.Organization(org)))
	for before := "+"; ; {
		redis.FailBefore("fsck.events")
		events, err := in.store.Client.XRevRangeN(ctx, name, before, "-", eventPage).Result()
		redis.FailAfter("fsck.events")
		if err != nil {
			return changed, redis.Wrap(ctx, err)
		}
		for _, event := range events {
			if event.Values["type"] == kind && event.Values["id"] == id {
				return streamTime(event.ID), nil
			}
		}
		if len(events) < eventPage {
			return changed, nil
		}
		before = "(" + events[len(events)-1].ID
	}
}
