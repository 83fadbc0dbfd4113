package txn

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// GiveUp lets something stand in the place of objects that cannot be read, so
// that nobody looks for them any more. No head may need them: the caller moves
// the heads first. What can be read by now stays as it is.
func (s *Store) GiveUp(ctx context.Context, space string, lost map[string]objects.Lost) error {
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

// ObjectsIn visits all objects of a space that can be read, in no order. It is
// for repairs: it reads everything.
func (s *Store) ObjectsIn(ctx context.Context, space string, visit func(objects.Object) error) error {
	for first := range 256 {
		key := s.Name(ObjectKey(space, byte(first)))
		for cursor := uint64(0); ; {
			redis.FailBefore("objects.scan")
			page, next, err := s.Client.HScan(ctx, key, cursor, "", objects.WalkPage).Result()
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
