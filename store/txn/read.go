package txn

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// Read reads keys in one trip. A key without a name reads as absent.
func (s *Store) Read(ctx context.Context, keys []redis.Key) ([]Reading, error) {
	pipe := s.Client.Pipeline()
	commands := make([]goredis.Cmder, len(keys))
	for i, key := range keys {
		if key.Valid() {
			commands[i] = s.queue(ctx, pipe, key)
		}
	}
	if err := redis.Execute(ctx, "read", pipe); err != nil {
		return nil, err
	}
	values := make([]Reading, len(keys))
	for i, command := range commands {
		value, err := s.interpret(keys[i], command)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// queue adds the read of one key to a pipeline.
func (s *Store) queue(ctx context.Context, pipe goredis.Pipeliner, key redis.Key) goredis.Cmder {
	switch key.Kind() {
	case redis.HashKind:
		return pipe.HGet(ctx, s.Name(key), key.FieldName())
	case redis.OrderKind:
		return pipe.ZCard(ctx, s.Name(key))
	case redis.SetKind:
		return pipe.SCard(ctx, s.Name(key))
	case redis.RecordKind, redis.StringKind, redis.StreamKind:
	}
	return pipe.Get(ctx, s.Name(key))
}

// interpret decodes the reply to one key.
func (s *Store) interpret(key redis.Key, command goredis.Cmder) (Reading, error) {
	if command == nil || errors.Is(command.Err(), goredis.Nil) {
		return Reading{}, nil
	}
	switch reply := command.(type) {
	case *goredis.IntCmd:
		return Reading{Present: reply.Val() > 0, count: reply.Val()}, nil
	case *goredis.StringCmd:
		if key.Kind() != redis.RecordKind {
			return Reading{Present: true, Text: reply.Val()}, nil
		}
		record, err := s.Decode([]byte(reply.Val()))
		if err != nil {
			return Reading{}, fmt.Errorf("%s: %w", key, err)
		}
		return Reading{Present: true, Record: record, size: len(reply.Val())}, nil
	}
	return Reading{}, redis.Corrupt("unexpected reply for %s", key)
}
