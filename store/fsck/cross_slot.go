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

// checkCrossSlot checks the entries that records imply in other slots: superset index members and hostname claims. Without
// the former a user misses resources; without the latter a hostname could be assigned twice.
func (in *pass) checkCrossSlot(ctx context.Context, want *expectation) error {
	for page := range slices.Chunk(want.supersets, txn.ChunkFields) {
		if err := in.checkSupersets(ctx, page); err != nil {
			return err
		}
	}
	for _, claim := range want.claims {
		existing, ok, err := in.store.Claim(ctx, claim.Key)
		switch {
		case err != nil:
			return err
		case !ok:
			in.add(claim.Key.Name(), "", fmt.Sprintf("the hostname of %s is not claimed", claim.Member), func(ctx context.Context) error {
				return in.addClaim(ctx, claim)
			})
		case existing.Owner != claim.Member:
			in.add(claim.Key.Name(), "", fmt.Sprintf("the hostname of %s is claimed by %s", claim.Member, existing.Owner), nil)
		}
	}
	return nil
}

// checkSupersets checks members of superset indexes.
func (in *pass) checkSupersets(ctx context.Context, members []txn.SupersetMember) error {
	pipe, scores := in.store.Client.Pipeline(), make([]*goredis.FloatCmd, len(members))
	for i, member := range members {
		scores[i] = pipe.ZScore(ctx, in.store.Name(member.Index), member.Member)
	}
	if err := redis.Execute(ctx, "fsck.places", pipe); err != nil {
		return err
	}
	for i, member := range members {
		if errors.Is(scores[i].Err(), goredis.Nil) {
			in.add(member.Index.Name(), member.Member, "is not in the index", func(ctx context.Context) error {
				return in.store.AddToSuperset(ctx, member)
			})
		}
	}
	return nil
}

// addClaim writes a missing claim. It returns ErrExists if the name has been claimed in the meantime.
func (in *pass) addClaim(ctx context.Context, claim txn.KeyMember) error {
	value := claim.Member + " " + strconv.FormatInt(in.store.Now().UnixMilli(), 10)
	redis.FailBefore("fsck.claim")
	taken, err := in.store.Client.SetNX(ctx, in.store.Name(claim.Key), value, 0).Result()
	redis.FailAfter("fsck.claim")
	if err == nil && !taken {
		err = txn.ErrExists
	}
	return redis.Wrap(ctx, err)
}

// noteCrossSlot collects the entries that a record implies in other slots.
func (w *expectation) noteCrossSlot(kind, id string, record txn.Record) error {
	switch kind {
	case "mem":
		w.supersets = append(w.supersets, txn.SupersetMember{Index: store.UserOrganizationsKey(id), Member: w.org})
	case "org":
		var d store.OrganizationDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		w.domains = d.Fields.EmailDomains
		for _, domain := range w.domains {
			w.supersets = append(w.supersets, txn.SupersetMember{Index: store.DomainKey(domain), Member: w.org})
		}
		w.noteHostname(d.Fields.Hostname, w.org)
	case "site":
		var d store.SiteDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		w.noteHostname(d.Fields.Hostname, store.HostnameOwner(w.org, id))
	}
	return nil
}

func (w *expectation) noteHostname(hostname, owner string) {
	if hostname != "" {
		w.claims = append(w.claims, txn.KeyMember{Key: store.HostnameKey(hostname), Member: owner})
	}
}
