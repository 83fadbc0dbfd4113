package store

import (
	"context"
	"errors"
	"fmt"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// RebalanceOrder replaces the order keys of an order with short, evenly spaced ones. move writes a new key to other
// locations, such as the item's record. It returns ErrTooLarge for orders of more than about 900 items with records.
func (s *Store) RebalanceOrder(ctx context.Context, shard redis.Shard, children redis.Key, move func(
	tx *Tx, id, order string,
) error,
) error {
	return s.Update(ctx, shard, txn.UpdateOptions{}, func(tx *Tx) error {
		members, err := tx.ReadOrder(children)
		if err != nil {
			return err
		}
		for i, order := range txn.SpreadKeys(len(members)) {
			_, id, ok := txn.SplitOrderMember(members[i])
			if !ok {
				return redis.Corrupt("%s has member %q", children, members[i])
			}
			if members[i] == txn.OrderMember(order, id) {
				continue
			}
			tx.Remove(children, members[i])
			tx.Add(children, txn.OrderMember(order, id))
			if err := move(tx, id, order); err != nil {
				return fmt.Errorf("move %s: %w", id, err)
			}
		}
		return nil
	})
}

// MoveChild returns a function that writes the order key of a space or collection to its record.
func MoveChild(org string) func(tx *Tx, id, order string) error {
	return func(tx *Tx, id, order string) error {
		space, err := tx.Space(org, id)
		if err == nil && space.Version > 0 {
			space.Private.Order = order
			_, err = tx.PutSpace(space)
			return err
		}
		collection, otherErr := tx.Collection(org, id)
		if err = errors.Join(err, otherErr); err != nil || collection.Version == 0 {
			return errors.Join(err, txn.ErrNoSibling)
		}
		collection.Private.Order = order
		_, err = tx.PutCollection(collection)
		return err
	}
}
