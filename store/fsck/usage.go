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

// checkUsage compares the usage of an organization with the stored data. It reports nothing before the usage was counted for
// the first time.
func (in *pass) checkUsage(ctx context.Context, want *expectation) error {
	key := txn.UsageKey(want.org)
	have, err := in.readHash(ctx, key)
	if err != nil || have[txn.FieldCounted] == "" {
		return err
	}
	answers, err := in.readHash(ctx, txn.AnswersKey(store.Organization(want.org)))
	if err != nil {
		return err
	}
	bytes := want.bytes
	for _, size := range answers {
		bytes += txn.ParseCount(size)
	}
	for field, size := range have {
		if !strings.Contains(field, "_") {
			continue
		}
		used := txn.ParseSize(size)
		bytes += used.Bytes
		if err := in.checkSize(ctx, want, field, used); err != nil {
			return err
		}
	}
	recount := func(ctx context.Context) error {
		return store.Recount(ctx, in.store, want.org, func(*store.Tx) error { return nil })
	}
	if stored := txn.ParseCount(have[txn.FieldBytes]); stored != bytes {
		in.add(key.Name(), txn.FieldBytes, fmt.Sprintf("says %d, there are %d", stored, bytes), recount)
	}
	if stored := txn.ParseCount(have[txn.FieldRecords]); stored != want.records {
		in.add(key.Name(), txn.FieldRecords, fmt.Sprintf("says %d, there are %d", stored, want.records), recount)
	}
	return nil
}

// checkSize compares the size of a space with its objects. The usage may lag: objects stored or removed by an interrupted
// operation, or lost with a master, are counted by the next commit that stores objects in the space.
func (in *pass) checkSize(ctx context.Context, want *expectation, space string, used txn.Size) error {
	parts, err := in.measureParts(ctx, space)
	if err != nil {
		return err
	}
	sizes, err := in.readHash(ctx, txn.SizeKey(space))
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
		if txn.ParseCount(sizes[part]) != bytes {
			in.add(txn.SizeKey(space).Name(), part, fmt.Sprintf("says %d, there are %d", txn.ParseCount(sizes[part]), bytes), measure)
		}
	}
	if all := txn.ParseCount(sizes["all"]); all != total {
		in.add(txn.SizeKey(space).Name(), "all", fmt.Sprintf("says %d, there are %d", all, total), measure)
	}
	now := txn.Size{Bytes: total, ChangedAt: txn.ParseCount(sizes["changed"])}
	// A space with neither an access entry nor sizes is being removed and is not compared.
	if _, alive := want.access[space]; (alive || len(sizes) > 0) && used != now && used.ChangedAt == now.ChangedAt {
		in.add(txn.UsageKey(want.org).Name(), space, fmt.Sprintf("says %d, there are %d", used.Bytes, now.Bytes), func(
			ctx context.Context,
		) error {
			return store.Recount(ctx, in.store, want.org, func(*store.Tx) error { return nil })
		})
	}
	return nil
}

// measureParts counts the bytes of the objects of a space by part.
func (in *pass) measureParts(ctx context.Context, space string) (map[string]int64, error) {
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
