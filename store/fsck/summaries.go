package fsck

import (
	"context"
	"strings"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// checkSummaries finds summaries, and pending computations of them, whose resource no longer exists. Summaries are derived
// data, so the repair removes them.
func (in *pass) checkSummaries(ctx context.Context, want *expectation) error {
	heads, err := in.readHash(ctx, store.HeadsKey(want.org))
	if err != nil {
		return err
	}
	key := store.SummariesKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil {
		return err
	}
	for id, text := range have {
		remove := in.rewriteRepair(want.org, func(tx *store.Tx) { tx.DeleteField(key, id) })
		if _, there := heads[id]; !there {
			in.add(key.Name(), id, "of nothing that has a head", remove)
		} else if _, err := store.ParseSummary(text); err != nil {
			in.add(key.Name(), id, err.Error(), remove)
		}
	}
	for _, name := range in.knownKeys(want.org, redis.OrderKind) {
		index := redis.NamedKey(redis.OrderKind, name)
		if !strings.Contains(name, "}:ix:"+store.IndexPendingSummaries+":") {
			continue
		}
		redis.FailBefore("fsck.index")
		members, err := in.store.Client.ZRange(ctx, in.store.Prefix+name, 0, -1).Result()
		redis.FailAfter("fsck.index")
		if err := in.addUnreadable(ctx, name, err); err != nil {
			return err
		}
		for _, member := range members {
			if _, id := store.SplitPendingSummary(member); heads[id] == "" {
				in.add(name, member, "of nothing that has a head", in.rewriteRepair(want.org, func(tx *store.Tx) {
					tx.Remove(index, member)
				}))
			}
		}
	}
	return nil
}
