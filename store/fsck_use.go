package store

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
)

// use compares the use of an organization with what is there. Before it is
// counted for the first time, nothing is said.
func (in *inspection) use(ctx context.Context, want *expectation) error {
	key := UseKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil || have[fieldCounted] == "" {
		return err
	}
	kept, err := in.hash(ctx, keptKey(Organization(want.org)))
	if err != nil {
		return err
	}
	bytes := want.bytes
	for _, size := range kept {
		bytes += number(size)
	}
	for field, size := range have {
		if !strings.Contains(field, "_") {
			continue
		}
		used := parseSize(size)
		bytes += used.Bytes
		if err := in.size(ctx, want, field, used); err != nil {
			return err
		}
	}
	recount := func(ctx context.Context) error {
		return in.store.Recount(ctx, want.org, func(*Tx) error { return nil })
	}
	if said := number(have[fieldBytes]); said != bytes {
		in.add(key.Name(), fieldBytes, fmt.Sprintf("says %d, there are %d", said, bytes), recount)
	}
	if said := number(have[fieldRecords]); said != want.records {
		in.add(key.Name(), fieldRecords, fmt.Sprintf("says %d, there are %d", said, want.records), recount)
	}
	return nil
}

// size compares the size of a space with its objects. The use may be of another
// change: what was stored in vain or removed and cut off before it could say so, or
// lost with a master, is said by the next commit that stores something there.
func (in *inspection) size(ctx context.Context, want *expectation, space string, used Size) error {
	parts, err := in.parts(ctx, space)
	if err != nil {
		return err
	}
	said, err := in.hash(ctx, sizeKey(space))
	if err != nil {
		return err
	}
	measure := func(ctx context.Context) error {
		_, err := in.store.Measure(ctx, space)
		return err
	}
	total := int64(0)
	for part, bytes := range parts {
		total += bytes
		if number(said[part]) != bytes {
			in.add(sizeKey(space).Name(), part, fmt.Sprintf("says %d, there are %d", number(said[part]), bytes), measure)
		}
	}
	if all := number(said["all"]); all != total {
		in.add(sizeKey(space).Name(), "all", fmt.Sprintf("says %d, there are %d", all, total), measure)
	}
	now := Size{total, number(said["changed"])}
	if _, alive := want.shape[space]; (alive || len(said) > 0) && used != now && used.changed == now.changed { // else it is being removed
		in.add(UseKey(want.org).Name(), space, fmt.Sprintf("says %d, there are %d", used.Bytes, now.Bytes), func(ctx context.Context) error {
			return in.store.Recount(ctx, want.org, func(*Tx) error { return nil })
		})
	}
	return nil
}

// parts counts the bytes of the objects of a space, by part.
func (in *inspection) parts(ctx context.Context, space string) (map[string]int64, error) {
	s, parts := in.store, map[string]int64{}
	pipe, keys := s.Client.Pipeline(), [256]*goredis.StringSliceCmd{}
	for first := range keys {
		keys[first] = pipe.HKeys(ctx, s.Name(objectKey(space, byte(first))))
	}
	if err := redis.Execute(ctx, "fsck.sizes", pipe); err != nil {
		return nil, err
	}
	pipe, lengths := s.Client.Pipeline(), [256][]*goredis.IntCmd{}
	for first, hashes := range keys {
		for _, hash := range hashes.Val() {
			lengths[first] = append(lengths[first], pipe.HStrLen(ctx, s.Name(objectKey(space, byte(first))), hash))
		}
		parts[sizeParts[first>>4:first>>4+1]] += 0
	}
	err := redis.Execute(ctx, "fsck.sizes", pipe)
	for first, replies := range lengths {
		for _, reply := range replies {
			parts[sizeParts[first>>4:first>>4+1]] += reply.Val()
		}
	}
	return parts, err
}
