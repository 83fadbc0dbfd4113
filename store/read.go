package store

import (
	"context"
	"errors"
	"fmt"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// read reads keys in one trip. A key without a name reads as absent.
func (s *Base) read(ctx context.Context, keys []redis.Key) ([]reading, error) {
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
	values := make([]reading, len(keys))
	for i, command := range commands {
		value, err := interpret(keys[i], command)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	return values, nil
}

// queue puts the read of one key into a pipeline.
func (s *Base) queue(ctx context.Context, pipe goredis.Pipeliner, key redis.Key) goredis.Cmder {
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

// interpret reads the reply to one key.
func interpret(key redis.Key, command goredis.Cmder) (reading, error) {
	if command == nil || errors.Is(command.Err(), goredis.Nil) {
		return reading{}, nil
	}
	switch reply := command.(type) {
	case *goredis.IntCmd:
		return reading{present: reply.Val() > 0, count: reply.Val()}, nil
	case *goredis.StringCmd:
		if key.Kind() != redis.RecordKind {
			return reading{present: true, text: reply.Val()}, nil
		}
		record, err := DecodeRecord([]byte(reply.Val()))
		if err != nil {
			return reading{}, fmt.Errorf("%s: %w", key, err)
		}
		return reading{present: true, record: record, size: len(reply.Val())}, nil
	}
	return reading{}, redis.Corrupt("unexpected reply for %s", key)
}
