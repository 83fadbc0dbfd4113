package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// countUse is the job that counts what was stored before there was a count.
func (s *Server) countUse(ctx context.Context, lease store.Lease) error {
	return store.Recount(ctx, s.store, lease.Organization, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}

// planCounts plans that job where it is needed: once, when a node begins.
func (s *Server) planCounts(ctx context.Context) error {
	uncounted, err := store.Uncounted(ctx, s.store)
	if err != nil {
		return fmt.Errorf("look for organizations to count: %w", err)
	}
	for _, org := range uncounted {
		err := s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(org)
			if err == nil && o.Version > 0 {
				tx.ScheduleOnce(org, txn.JobName(store.Kind, org), 0)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
