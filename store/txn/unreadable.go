package txn

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// ReplaceLost stores placeholders for objects that cannot be read, so that they are no longer looked up. No head may refer
// to them: the caller moves the heads first. Objects that are readable by now stay unchanged.
func (s *Store) ReplaceLost(ctx context.Context, space string, lost map[string]objects.Placeholder) error {
	for hash, l := range lost {
		found, err := s.FetchObjects(ctx, space, []string{hash})
		if err != nil {
			return err
		}
		u, unreadable := objects.AsUnreadable(found[0].Err)
		if !unreadable || u.Lost != nil {
			continue
		}
		first, _ := objects.FirstByte(hash)
		key, stored := s.Name(ObjectKey(space, first)), l.Bytes()
		pipe := s.Client.Pipeline()
		if errors.Is(u, redis.ErrCorrupt) {
			pipe.HSet(ctx, key, hash, stored)
		} else {
			pipe.HSetNX(ctx, key, hash, stored)
		}
		if err := redis.Execute(ctx, "objects.lose", pipe); err != nil {
			return err
		}
	}
	_, err := s.Measure(ctx, space)
	return err
}

// VisitObjects calls visit for all readable objects of a space, in no particular order. It is intended for repairs
// because it reads everything.
func (s *Store) VisitObjects(ctx context.Context, space string, visit func(objects.Object) error) error {
	for first := range 256 {
		key := s.Name(ObjectKey(space, byte(first)))
		for cursor := uint64(0); ; {
			redis.FailBefore("objects.scan")
			page, next, err := s.Client.HScan(ctx, key, cursor, "", objects.FollowPage).Result()
			redis.FailAfter("objects.scan")
			if err != nil {
				return redis.Wrap(ctx, err)
			}
			for i := 0; i+1 < len(page); i += 2 {
				reply := goredis.NewStringCmd(ctx)
				reply.SetVal(page[i+1])
				object, err := s.verifyObject(space, page[i], reply)
				if err != nil {
					continue
				}
				if err := visit(object); err != nil {
					return err
				}
			}
			if cursor = next; cursor == 0 {
				break
			}
		}
	}
	return nil
}
