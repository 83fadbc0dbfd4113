package txn

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
)

// deliverPageSize is the number of objects delivered at once; each may be a megabyte.
const deliverPageSize = objects.FollowPage

// DeliverOutbox empties the outbox of an organization, or only the entries of the given spaces. It writes the objects
// again, waits until every connected replica of their master contains them, and removes the entries in a transaction
// that authorize permits. It returns an ErrLagging if the replicas do not catch up in time.
func (s *Store) DeliverOutbox(ctx context.Context, org string, authorize func(tx *Tx) error, spaces ...string) error {
	redis.FailBefore("outbox.list")
	fields, err := s.Client.HKeys(ctx, s.Name(OutboxKey(org))).Result()
	redis.FailAfter("outbox.list")
	if err != nil {
		return redis.Wrap(ctx, err)
	}
	bySpace := map[string][]string{}
	for _, field := range fields {
		if space, _, ok := strings.Cut(field, "/"); ok && (len(spaces) == 0 || slices.Contains(spaces, space)) {
			bySpace[space] = append(bySpace[space], field)
		}
	}
	var failures []error
	for space, fields := range bySpace {
		for page := range slices.Chunk(fields, deliverPageSize) {
			if err := s.deliverPage(ctx, org, space, page, authorize); err != nil {
				failures = append(failures, fmt.Errorf("deliver content of %s: %w", space, err))
				break
			}
		}
	}
	return errors.Join(failures...)
}

// deliverPage delivers some objects of one space. The GC epoch must not change: otherwise a sweep between the write
// and the removal could delete an object that a concurrent commit posts again.
func (s *Store) deliverPage(ctx context.Context, org, space string, fields []string, authorize func(tx *Tx) error) error {
	gcEpoch := GCEpochsKey(org).Field(space)
	before, err := s.GCEpoch(ctx, org, space)
	if err != nil {
		return err
	}
	all, err := s.readPosted(ctx, org, fields)
	if err != nil {
		return err
	}
	var written redis.WriteGeneration
	if err := s.writePacked(ctx, redis.NewShard("", space), space, all, &preparation{}, &written); err != nil {
		return err
	}
	if written.Mixed {
		return fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, space)
	}
	if err := s.WaitForKeyReplicas(ctx, ObjectKey(space, 0), written.Generation); err != nil {
		return err
	}
	return s.Update(ctx, organizationShard(org), UpdateOptions{}, func(tx *Tx) error {
		now, err := tx.readValue(gcEpoch)
		if err != nil {
			return err
		}
		if now.Text != before {
			return fmt.Errorf("%w: space %s was swept concurrently", ErrBusy, space)
		}
		for _, field := range fields {
			tx.removePosted(org, field)
		}
		if authorize == nil {
			return nil
		}
		return authorize(tx)
	})
}

// readPosted reads fields of an outbox and omits those that no longer exist.
func (s *Store) readPosted(ctx context.Context, org string, fields []string) ([]packedObject, error) {
	redis.FailBefore("outbox.read")
	values, err := s.Client.HMGet(ctx, s.Name(OutboxKey(org)), fields...).Result()
	redis.FailAfter("outbox.read")
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var all []packedObject
	for i, value := range values {
		if text, ok := value.(string); ok {
			p, err := ParseOutboxField(fields[i], text)
			if err != nil {
				return nil, err
			}
			all = append(all, p.packedObject)
		}
	}
	return all, nil
}

// DiscardOutbox removes the entries of a space from the outbox without delivery.
func (s *Store) DiscardOutbox(ctx context.Context, org, space string) error {
	redis.FailBefore("outbox.list")
	fields, err := s.Client.HKeys(ctx, s.Name(OutboxKey(org))).Result()
	redis.FailAfter("outbox.list")
	if err != nil {
		return redis.Wrap(ctx, err)
	}
	fields = slices.DeleteFunc(fields, func(field string) bool { return !strings.HasPrefix(field, space+"/") })
	for page := range slices.Chunk(fields, ChunkFields) {
		err := s.Update(ctx, organizationShard(org), UpdateOptions{}, func(tx *Tx) error {
			for _, field := range page {
				tx.removePosted(org, field)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
