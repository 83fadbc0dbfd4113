package fsck

import (
	"context"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// summaries finds what was computed, or is to be, of what is not there any more. All of it is derived: it is removed.
func (in *inspection) summaries(ctx context.Context, want *expectation) error {
	heads, err := in.hash(ctx, store.HeadsKey(want.org))
	if err != nil {
		return err
	}
	key := store.SummariesKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil {
		return err
	}
	for id, text := range have {
		remove := in.rewrite(want.org, func(tx *store.Tx) { tx.DeleteField(key, id) })
		if _, there := heads[id]; !there {
			in.add(key.Name(), id, "of nothing that has a head", remove)
		} else if _, err := store.ParseSummary(text); err != nil {
			in.add(key.Name(), id, err.Error(), remove)
		}
	}
	for _, name := range in.known(want.org, redis.OrderKind) {
		index := redis.Named(redis.OrderKind, name)
		if !strings.Contains(name, "}:ix:"+store.IndexWanted+":") {
			continue
		}
		redis.FailBefore("fsck.index")
		members, err := in.store.Client.ZRange(ctx, in.store.Prefix+name, 0, -1).Result()
		redis.FailAfter("fsck.index")
		if err := in.unreadable(ctx, name, err); err != nil {
			return err
		}
		for _, member := range members {
			if _, id := store.SplitWanted(member); heads[id] == "" {
				in.add(name, member, "of nothing that has a head", in.rewrite(want.org, func(tx *store.Tx) { tx.Remove(index, member) }))
			}
		}
	}
	return nil
}
