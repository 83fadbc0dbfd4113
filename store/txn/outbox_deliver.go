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

// deliverPage is how many objects are delivered at once: each may be a megabyte.
const deliverPage = objects.WalkPage

// Deliver empties the outbox of an organization, or only the part of some
// spaces: it writes the objects again, waits until every replica that their
// master has connected holds them, and takes them out if may has nothing against
// it. It is ErrLagging where the replicas do not follow in time.
func (s *Store) Deliver(ctx context.Context, org string, may func(tx *Tx) error, spaces ...string) error {
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
		for page := range slices.Chunk(fields, deliverPage) {
			if err := s.deliverPage(ctx, org, space, page, may); err != nil {
				failures = append(failures, fmt.Errorf("deliver content of %s: %w", space, err))
				break
			}
		}
	}
	return errors.Join(failures...)
}

// deliverPage delivers some objects of one space. A sweep between the write and
// the end could take one that a commit posts again meanwhile, so the GC epoch
// has to stay what it is.
func (s *Store) deliverPage(ctx context.Context, org, space string, fields []string, may func(tx *Tx) error) error {
	gcEpoch := GCEpochsKey(org).Field(space)
	before, err := s.GCEpoch(ctx, org, space)
	if err != nil {
		return err
	}
	all, err := s.posted(ctx, org, fields)
	if err != nil {
		return err
	}
	var at redis.Written
	if err := s.writePacked(ctx, redis.NewShard("", space), space, all, &preparation{}, &at); err != nil {
		return err
	}
	if at.Torn {
		return fmt.Errorf("%w: the master of %s has changed", redis.ErrStale, space)
	}
	if err := s.ConfirmKey(ctx, ObjectKey(space, 0), at.Generation); err != nil {
		return err
	}
	return s.Update(ctx, organization(org), UpdateOptions{}, func(tx *Tx) error {
		now, err := tx.value(gcEpoch)
		if err != nil {
			return err
		}
		if now.Text != before {
			return fmt.Errorf("%w: space %s was swept meanwhile", ErrBusy, space)
		}
		for _, field := range fields {
			tx.unpost(org, field)
		}
		if may == nil {
			return nil
		}
		return may(tx)
	})
}

// posted reads fields of an outbox. What was taken out meanwhile is left out.
func (s *Store) posted(ctx context.Context, org string, fields []string) ([]packed, error) {
	redis.FailBefore("outbox.read")
	values, err := s.Client.HMGet(ctx, s.Name(OutboxKey(org)), fields...).Result()
	redis.FailAfter("outbox.read")
	if err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var all []packed
	for i, value := range values {
		if text, ok := value.(string); ok {
			p, err := ParsePosted(fields[i], text)
			if err != nil {
				return nil, err
			}
			all = append(all, p.packed)
		}
	}
	return all, nil
}

// DiscardPosted takes the part of a space out of the outbox, undelivered.
func (s *Store) DiscardPosted(ctx context.Context, org, space string) error {
	redis.FailBefore("outbox.list")
	fields, err := s.Client.HKeys(ctx, s.Name(OutboxKey(org))).Result()
	redis.FailAfter("outbox.list")
	if err != nil {
		return redis.Wrap(ctx, err)
	}
	fields = slices.DeleteFunc(fields, func(field string) bool { return !strings.HasPrefix(field, space+"/") })
	for page := range slices.Chunk(fields, ChunkFields) {
		err := s.Update(ctx, organization(org), UpdateOptions{}, func(tx *Tx) error {
			for _, field := range page {
				tx.unpost(org, field)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
