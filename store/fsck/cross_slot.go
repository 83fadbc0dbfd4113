package fsck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// crossSlot checks what records imply on other slots: places in superset indexes,
// and claims of hostnames. Without the first somebody does not find what is theirs,
// without the second a hostname could be given away twice.
func (in *inspection) crossSlot(ctx context.Context, want *expectation) error {
	for page := range slices.Chunk(want.supersets, txn.ChunkFields) {
		if err := in.supersets(ctx, page); err != nil {
			return err
		}
	}
	for _, claim := range want.claims {
		held, ok, err := in.store.Claim(ctx, claim.Key)
		switch {
		case err != nil:
			return err
		case !ok:
			in.add(claim.Key.Name(), "", fmt.Sprintf("the hostname of %s is not claimed", claim.Member), func(ctx context.Context) error { return in.claim(ctx, claim) })
		case held.Owner != claim.Member:
			in.add(claim.Key.Name(), "", fmt.Sprintf("the hostname of %s is claimed by %s", claim.Member, held.Owner), nil)
		}
	}
	return nil
}

// supersets checks places in superset indexes.
func (in *inspection) supersets(ctx context.Context, places []txn.SupersetMember) error {
	pipe, found := in.store.Client.Pipeline(), make([]*goredis.FloatCmd, len(places))
	for i, place := range places {
		found[i] = pipe.ZScore(ctx, in.store.Name(place.Index), place.Member)
	}
	if err := redis.Execute(ctx, "fsck.places", pipe); err != nil {
		return err
	}
	for i, place := range places {
		if errors.Is(found[i].Err(), goredis.Nil) {
			in.add(place.Index.Name(), place.Member, "is not in the index", func(ctx context.Context) error { return in.store.Register(ctx, place) })
		}
	}
	return nil
}

// claim claims a name that nobody has.
func (in *inspection) claim(ctx context.Context, claim txn.KeyMember) error {
	value := claim.Member + " " + strconv.FormatInt(in.store.Now().UnixMilli(), 10)
	redis.FailBefore("fsck.claim")
	taken, err := in.store.Client.SetNX(ctx, in.store.Name(claim.Key), value, 0).Result()
	redis.FailAfter("fsck.claim")
	if err == nil && !taken {
		err = txn.ErrExists
	}
	return redis.Wrap(ctx, err)
}

// noteCrossSlot remembers what a record implies on other slots.
func (w *expectation) noteCrossSlot(kind, id string, found txn.Record) error {
	switch kind {
	case "mem":
		w.supersets = append(w.supersets, txn.SupersetMember{Index: store.UserOrganizationsKey(id), Member: w.org})
	case "org":
		var d store.OrganizationDocument
		if err := d.Decode(found); err != nil {
			return err
		}
		w.domains = d.Fields.EmailDomains
		for _, domain := range w.domains {
			w.supersets = append(w.supersets, txn.SupersetMember{Index: store.DomainKey(domain), Member: w.org})
		}
		w.noteHostname(d.Fields.Hostname, w.org)
	case "site":
		var d store.SiteDocument
		if err := d.Decode(found); err != nil {
			return err
		}
		w.noteHostname(d.Fields.Hostname, w.org+"-"+id)
	}
	return nil
}

func (w *expectation) noteHostname(hostname, owner string) {
	if hostname != "" {
		w.claims = append(w.claims, txn.KeyMember{Key: store.HostnameKey(hostname), Member: owner})
	}
}
