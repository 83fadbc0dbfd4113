package store

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// ownedIndex is an index of records that belong to another record and are copied and removed with it.
type ownedIndex struct {
	index redis.Key
	key   func(member string) redis.Key
}

// ownedIndexes returns the indexes of the records that belong to a record.
func ownedIndexes(org, name string) []ownedIndex {
	comments := func(target string) ownedIndex {
		return ownedIndex{CommentsKey(org, target), func(member string) redis.Key { return CommentKey(org, member) }}
	}
	switch kind, id := RecordName(name); kind {
	case "sp":
		return []ownedIndex{comments(id), {RequestsKey(org, id), func(member string) redis.Key {
			number, _ := strconv.Atoi(member)
			return ChangeRequestKey(org, RequestID(id, number))
		}}}
	case "cr":
		reviews := ownedIndex{ReviewsKey(org, id), func(member string) redis.Key { return ReviewKey(org, member) }}
		readings := ownedIndex{ReadingsKey(org, id), func(member string) redis.Key { return ReadingKey(org, id, member) }}
		submissions := ownedIndex{SubmissionsKey(org, id), func(member string) redis.Key {
			user, submission := SplitSubmission(member)
			return SubmissionKey(org, id, user, submission)
		}}
		return []ownedIndex{comments(id), reviews, readings, submissions}
	case "cm":
		return []ownedIndex{{RepliesKey(org, id), func(member string) redis.Key { return ReplyKey(org, member) }}}
	}
	return nil
}

// HeadField returns the key of the head of a space or change request, given the name of its record. ok is false for other kinds
// of records.
func HeadField(org, name string) (head redis.Key, ok bool) {
	kind, id := RecordName(name)
	return HeadsKey(org).Field(id), kind == "sp" || kind == "cr"
}

// Records returns the keys of the records that belong to a space, owners before their parts. The space must not be written
// concurrently.
func Records(ctx context.Context, s *Store, org, space string) ([]redis.Key, error) {
	var records []redis.Key
	level := []redis.Key{SpaceKey(org, space)}
	for len(level) > 0 {
		var next []redis.Key
		for chunk := range slices.Chunk(level, txn.ChunkFields) {
			keys, err := ownedRecords(ctx, s, org, chunk)
			if err != nil {
				return nil, err
			}
			next = append(next, keys...)
		}
		records = append(records, next...)
		level = next
	}
	return records, nil
}

// ownedRecords returns the keys of the records that belong directly to the owners, in one trip.
func ownedRecords(ctx context.Context, s *Store, org string, owners []redis.Key) ([]redis.Key, error) {
	var indexes []ownedIndex
	for _, owner := range owners {
		indexes = append(indexes, ownedIndexes(org, owner.Name())...)
	}
	batch, members := s.NewBatch(), make([][]string, len(indexes))
	for i, part := range indexes {
		batch.Range(part.index, "", -1, false).Into(&members[i])
	}
	if err := batch.Do(ctx); err != nil {
		return nil, err
	}
	var keys []redis.Key
	for i, part := range indexes {
		for _, member := range members[i] {
			keys = append(keys, part.key(member))
		}
	}
	return keys, nil
}

// DiscardRecord removes a record with its derived data and its head. Its parts must be removed before, or in the same
// transaction. A missing record is ignored.
func DiscardRecord(tx *Tx, org string, key redis.Key) error {
	r, ok, err := tx.Record(key)
	if err != nil || !ok {
		return err
	}
	heads := map[string]string{}
	kind, id := RecordName(key.Name())
	head, has := HeadField(org, key.Name())
	if has {
		if text, ok, err := tx.Field(HeadsKey(org), id); err != nil {
			return err
		} else if ok {
			heads[id] = text
		}
	}
	implied, err := tx.DerivedData(org, key.Name(), r, heads)
	if err != nil {
		return err
	}
	for _, member := range implied.Members {
		tx.Remove(member.Key, member.Member)
	}
	for id := range implied.Access {
		tx.SetAccess(id, nil)
	}
	for _, count := range implied.Counts {
		tx.Counts(count.ID, count.Keys...)
	}
	tx.DropCounts(org, id)
	if kind == "cr" {
		if err := tx.RemoveReviewed(org, r); err != nil {
			return err
		}
	}
	if has {
		tx.DropHead(org, head.FieldName())
	}
	tx.Delete(key)
	return nil
}

// WithHeads returns the keys of records, followed by the keys of the heads of those records that have one.
func WithHeads(org string, keys []redis.Key) []redis.Key {
	all := slices.Clone(keys)
	for _, key := range keys {
		if head, ok := HeadField(org, key.Name()); ok {
			all = append(all, head)
		}
	}
	return all
}

// InChunks calls fn for chunks of keys, and retries with smaller chunks if they exceed the limits of a transaction.
func InChunks(keys []redis.Key, fn func(chunk []redis.Key) error) error {
	for size := chunkRecords; len(keys) > 0; {
		chunk := keys[:min(size, len(keys))]
		err := fn(chunk)
		if errors.Is(err, txn.ErrTooLarge) && len(chunk) > 1 {
			size = len(chunk) / 2
			continue
		}
		if err != nil {
			return err
		}
		keys = keys[len(chunk):]
	}
	return nil
}

// chunkRecords is the number of records that one transaction copies or removes.
const chunkRecords = 100

// RemoveSpaceRecords removes everything that belongs to a space in several transactions. authorize is called in each of them to
// check that the caller may continue. An interrupted call is continued by the next one.
func RemoveSpaceRecords(ctx context.Context, s *Store, org, space string, authorize func(tx *Tx) error) error {
	keys, err := Records(ctx, s, org, space)
	if err != nil {
		return err
	}
	slices.Reverse(keys)
	return InChunks(keys, func(chunk []redis.Key) error {
		return s.Update(ctx, Organization(org), txn.UpdateOptions{Prefetch: WithHeads(org, chunk)}, func(tx *Tx) error {
			for _, key := range chunk {
				if err := DiscardRecord(tx, org, key); err != nil {
					return err
				}
			}
			return authorize(tx)
		})
	})
}

// RemoveGrants removes the members' grants on a space or collection in several transactions. authorize is called in each of
// them to check that the caller may continue.
func RemoveGrants(ctx context.Context, s *Store, org, content string, members []string, authorize func(tx *Tx) error) error {
	for chunk := range slices.Chunk(members, chunkRecords) {
		err := s.Update(ctx, Organization(org), txn.UpdateOptions{}, func(tx *Tx) error {
			for _, user := range chunk {
				member, err := tx.Member(org, user)
				if err != nil {
					return err
				}
				if _, granted := member.Private.Grants[content]; member.Version == 0 || !granted {
					continue
				}
				delete(member.Private.Grants, content)
				if _, err := tx.PutMember(org, member); err != nil {
					return err
				}
			}
			return authorize(tx)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// DropContent removes all objects of a space of an organization. No head may refer to them.
func DropContent(ctx context.Context, s *Store, org, space string) error {
	if err := s.DiscardOutbox(ctx, org, space); err != nil {
		return err
	}
	pipe := s.Client.Pipeline()
	for first := range 256 {
		pipe.Unlink(ctx, s.Name(txn.ObjectKey(space, byte(first))))
	}
	pipe.Unlink(ctx, s.Name(txn.SizeKey(space)))
	err := redis.Execute(ctx, "sweep.remove", pipe)
	s.Cache.ForgetSpace(space)
	return err
}

// DropSpace completes the removal of a space whose records were removed: it removes the GC epoch, the usage and the record of
// the space.
func DropSpace(tx *Tx, org, space string) error {
	tx.DeleteField(txn.GCEpochsKey(org), space)
	tx.RemoveContentUsage(space)
	return DiscardRecord(tx, org, SpaceKey(org, space))
}
