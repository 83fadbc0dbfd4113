package fsck

import (
	"context"
	"fmt"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// use compares the use of an organization with what is there. Before it is
// counted for the first time, nothing is said.
func (in *inspection) use(ctx context.Context, want *expectation) error {
	key := txn.UseKey(want.org)
	have, err := in.hash(ctx, key)
	if err != nil || have[txn.FieldCounted] == "" {
		return err
	}
	kept, err := in.hash(ctx, txn.AnswersKey(store.Organization(want.org)))
	if err != nil {
		return err
	}
	bytes := want.bytes
	for _, size := range kept {
		bytes += txn.Number(size)
	}
	for field, size := range have {
		if !strings.Contains(field, "_") {
			continue
		}
		used := txn.ParseSize(size)
		bytes += used.Bytes
		if err := in.size(ctx, want, field, used); err != nil {
			return err
		}
	}
	recount := func(ctx context.Context) error {
		return store.Recount(ctx, in.store, want.org, func(*store.Tx) error { return nil })
	}
	if said := txn.Number(have[txn.FieldBytes]); said != bytes {
		in.add(key.Name(), txn.FieldBytes, fmt.Sprintf("says %d, there are %d", said, bytes), recount)
	}
	if said := txn.Number(have[txn.FieldRecords]); said != want.records {
		in.add(key.Name(), txn.FieldRecords, fmt.Sprintf("says %d, there are %d", said, want.records), recount)
	}
	return nil
}

// size compares the size of a space with its objects. The use may be of another
// change: what was stored in vain or removed and cut off before it could say so, or
// lost with a master, is said by the next commit that stores something there.
func (in *inspection) size(ctx context.Context, want *expectation, space string, used txn.Size) error {
	parts, err := in.parts(ctx, space)
	if err != nil {
		return err
	}
	said, err := in.hash(ctx, txn.SizeKey(space))
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
		if txn.Number(said[part]) != bytes {
			in.add(txn.SizeKey(space).Name(), part, fmt.Sprintf("says %d, there are %d", txn.Number(said[part]), bytes), measure)
		}
	}
	if all := txn.Number(said["all"]); all != total {
		in.add(txn.SizeKey(space).Name(), "all", fmt.Sprintf("says %d, there are %d", all, total), measure)
	}
	now := txn.Size{Bytes: total, Changed: txn.Number(said["changed"])}
	if _, alive := want.access[space]; (alive || len(said) > 0) && used != now && used.Changed == now.Changed { // else it is being removed
		in.add(txn.UseKey(want.org).Name(), space, fmt.Sprintf("says %d, there are %d", used.Bytes, now.Bytes), func(ctx context.Context) error {
			return store.Recount(ctx, in.store, want.org, func(*store.Tx) error { return nil })
		})
	}
	return nil
}

// parts counts the bytes of the objects of a space, by part.
func (in *inspection) parts(ctx context.Context, space string) (map[string]int64, error) {
	s, parts := in.store, map[string]int64{}
	pipe, keys := s.Client.Pipeline(), [256]*goredis.StringSliceCmd{}
	for first := range keys {
		keys[first] = pipe.HKeys(ctx, s.Name(txn.ObjectKey(space, byte(first))))
	}
	if err := redis.Execute(ctx, "fsck.sizes", pipe); err != nil {
		return nil, err
	}
	pipe, lengths := s.Client.Pipeline(), [256][]*goredis.IntCmd{}
	for first, hashes := range keys {
		for _, hash := range hashes.Val() {
			lengths[first] = append(lengths[first], pipe.HStrLen(ctx, s.Name(txn.ObjectKey(space, byte(first))), hash))
		}
		parts[txn.SizeParts[first>>4:first>>4+1]] += 0
	}
	err := redis.Execute(ctx, "fsck.sizes", pipe)
	for first, replies := range lengths {
		for _, reply := range replies {
			parts[txn.SizeParts[first>>4:first>>4+1]] += reply.Val()
		}
	}
	return parts, err
}
