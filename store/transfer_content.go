package store

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// copyPage is the number of objects that CopyContent reads and then writes at once. Reads of pages by others wait for such a step,
// so it is smaller than objects.FollowPage.
const copyPage = 16

// CopyContent copies everything reachable from a head to another space, a few objects at a time, and waits for the
// replicas of a Cluster. It returns ErrMissing if an object is missing. References to the copy must depend on the
// returned generations.
func CopyContent(ctx context.Context, s *Store, from, to string, head Head) (redis.Generations, error) {
	var written redis.WriteGeneration
	lost := map[string]objects.Placeholder{}
	_, err := objects.Follow(ctx, s, from, HeadRoots(head.String()), copyPage, func(_ []string, fetched []objects.FetchResult) error {
		copied := make([]objects.FetchResult, 0, len(fetched))
		for _, found := range fetched {
			if u, unreadable := objects.AsUnreadable(found.Err); unreadable && u.Lost != nil {
				lost[u.Hash] = *u.Lost
				continue
			}
			if found.Err != nil {
				return found.Err
			}
			copied = append(copied, found)
		}
		return s.CopyObjects(ctx, to, copied, &written)
	})
	if err == nil {
		err = s.ReplaceLost(ctx, to, lost)
	}
	if err != nil {
		return redis.Generations{}, err
	}
	if written.Mixed {
		return redis.Generations{}, fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, to)
	}
	return s.GenerationsOf(txn.ObjectKey(to, 0), written.Generation), s.WaitForKeyReplicas(ctx, txn.ObjectKey(to, 0), written.Generation)
}
