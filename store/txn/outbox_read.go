package txn

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// findElsewhere looks up objects that a space lacks: in the outbox of the organization in which the space was created, in
// that of its current organization, and again in the space, because an outbox may have been emptied in the meantime.
// It returns the objects it finds.
func (s *Store) findElsewhere(ctx context.Context, space string, hashes []string) (map[string]objects.Object, error) {
	home, ok := HomeOrganization(space)
	if !ok || len(hashes) == 0 {
		return nil, nil
	}
	found := map[string]objects.Object{}
	pipe := s.Client.Pipeline()
	moved := pipe.Get(ctx, s.Name(s.locator.LocationKey(home, space)))
	take, err := s.readOutbox(ctx, pipe, home, space, hashes)
	if err != nil {
		return nil, err
	}
	take(found)
	if record, err := s.Decode([]byte(moved.Val())); err == nil {
		owner, err := s.locator.Owner(record)
		if err != nil {
			return nil, err
		}
		if take, err = s.readOutbox(ctx, s.Client.Pipeline(), owner, space, hashes); err != nil {
			return nil, err
		}
		take(found)
	}
	return found, s.rereadMissing(ctx, space, hashes, found)
}

// readOutbox sends the pipeline with a read of an outbox. take adds the objects that match their hash to found.
func (s *Store) readOutbox(ctx context.Context, pipe goredis.Pipeliner, org, space string, hashes []string) (take func(
	found map[string]objects.Object,
), err error,
) {
	fields := make([]string, len(hashes))
	for i, hash := range hashes {
		fields[i] = outboxField(space, hash)
	}
	var reply *goredis.SliceCmd
	if key := OutboxKey(org); key.Valid() {
		reply = pipe.HMGet(ctx, s.Name(key), fields...)
	}
	if err := redis.Execute(ctx, "outbox.read", pipe); err != nil {
		return nil, err
	}
	return func(found map[string]objects.Object) {
		for i, value := range valuesOf(reply) {
			text, ok := value.(string)
			if !ok {
				continue
			}
			if p, err := ParseOutboxField(fields[i], text); err == nil {
				if object, err := s.Codec.Unpack(space, p.Hash, p.Bytes); err == nil {
					found[object.Hash] = object
				}
			}
		}
	}, nil
}

func valuesOf(reply *goredis.SliceCmd) []any {
	if reply == nil {
		return nil
	}
	return reply.Val()
}

// rereadMissing reads from the space the objects that are not in found, and adds the readable ones to found.
func (s *Store) rereadMissing(ctx context.Context, space string, hashes []string, found map[string]objects.Object) error {
	pipe, replies := s.Client.Pipeline(), map[string]*goredis.StringCmd{}
	for _, hash := range hashes {
		if _, have := found[hash]; have {
			continue
		}
		if reply, err := s.queueObject(ctx, pipe, space, hash); err == nil {
			replies[hash] = reply
		}
	}
	if err := redis.Execute(ctx, "objects.again", pipe); err != nil {
		return err
	}
	for hash, reply := range replies {
		if object, err := s.verifyObject(space, hash, reply); err == nil {
			found[hash] = object
		}
	}
	return nil
}

// missingHashes returns the hashes whose replies are nil.
func missingHashes(replies map[string]*goredis.StringCmd) (hashes []string) {
	for hash, reply := range replies {
		if errors.Is(reply.Err(), goredis.Nil) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}
