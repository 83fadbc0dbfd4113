package txn

import (
	"context"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// replaceLostSource stores a placeholder if the object is still stored in the same form, or still missing.
const replaceLostSource = `if (redis.call('HGET', KEYS[1], ARGV[1]) or '') == ARGV[2] then
  return redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
return 0`

// ReplaceLost stores placeholders for objects that cannot be read, so that they are no longer looked up. No head may refer
// to them: the caller moves the heads first. Objects that are readable by now, or stored concurrently, stay unchanged.
// Unless lost is empty, it measures the whole space: collect all lost objects before a call.
func (s *Store) ReplaceLost(ctx context.Context, space string, lost map[string]objects.Placeholder) error {
	if len(lost) == 0 {
		return nil
	}
	for hash, l := range lost {
		first, _ := objects.FirstByte(hash)
		key := s.Name(ObjectKey(space, first))
		pipe := s.Client.Pipeline()
		stored := pipe.HGet(ctx, key, hash)
		if err := redis.Execute(ctx, "objects.lose", pipe); err != nil {
			return err
		}
		found, err := s.FetchObjects(ctx, space, []string{hash})
		if err != nil {
			return err
		}
		u, unreadable := objects.AsUnreadable(found[0].Err)
		if !unreadable || u.Lost != nil {
			continue
		}
		pipe = s.Client.Pipeline()
		pipe.Eval(ctx, replaceLostSource, []string{key}, hash, stored.Val(), l.Bytes())
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
