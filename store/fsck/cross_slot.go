package fsck

import (
	"context"
	"errors"
	"slices"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// checkCrossSlot checks the superset index members that records imply in other slots, without which a user misses resources, and
// collects the hostnames.
func (in *pass) checkCrossSlot(ctx context.Context, want *expectation) error {
	for page := range slices.Chunk(want.supersets, txn.ChunkFields) {
		if err := in.checkSupersets(ctx, page); err != nil {
			return err
		}
	}
	for _, h := range want.hostnames {
		in.noteHolder(h)
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
		w.hostnames = append(w.hostnames, holder{name: d.Fields.Hostname, owner: w.org})
	case "site":
		var d store.SiteDocument
		if err := d.Decode(record); err != nil {
			return err
		}
		w.hostnames = append(w.hostnames, holder{name: d.Fields.Hostname, owner: store.HostnameOwner(w.org, id)})
	}
	return nil
}
