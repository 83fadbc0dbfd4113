package servertest

import (
	"context"
	"fmt"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// BulkSpaces adds n spaces after the first one by writing to the store, many per transaction: through the API, an
// organization of 100,000 would take minutes.
func BulkSpaces(ctx context.Context, s *store.Store, creator string, first api.Space, n int) error {
	const atOnce = 400
	orders := txn.SpreadKeys(n + 1)[1:] // after the order key of the first
	for start := 0; start < n; start += atOnce {
		err := s.Update(ctx, store.Organization(first.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return addSpaces(tx, creator, first, start, orders[start:min(start+atOnce, n)])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// addSpaces adds one space per order key.
func addSpaces(tx *store.Tx, creator string, first api.Space, start int, orders []string) error {
	org, inherit := first.Organization, api.LevelInherit
	ids, keys := make([]string, len(orders)), make([]redis.Key, len(orders))
	for i := range orders {
		ids[i] = tx.NewID(txn.HomePrefix(txn.SpacePrefix, org))
		keys[i] = store.SpaceKey(org, ids[i])
	}
	if err := tx.Prefetch(keys...); err != nil {
		return err
	}
	for i, id := range ids {
		d, err := tx.Space(org, id)
		if err != nil {
			return err
		}
		d.Fields = first.SpaceFields
		d.Fields.ID, d.Fields.Title, d.Fields.DefaultLevel = id, fmt.Sprintf("Space %d", start+i), &inherit
		d.Private.Creator, d.Private.Order = creator, orders[i]
		tx.Add(store.ChildrenKey(org, store.Root), txn.OrderMember(d.Private.Order, id))
		tx.SetHead(org, id, store.Head{Revision: first.Revision, MovedAt: tx.Now()})
		tx.SetField(txn.CountsKey(org), id, "0 0 0 0")
		if _, err := tx.PutSpace(d); err != nil {
			return err
		}
	}
	return nil
}
