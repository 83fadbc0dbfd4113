package server

import (
	"context"
	"fmt"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// countUsage is the job that counts data stored before quotas were counted.
func (s *Server) countUsage(ctx context.Context, lease store.Lease) error {
	return store.Recount(ctx, s.store, lease.Organization, func(tx *store.Tx) error { return lease.Finish(tx.Tx) })
}

// scheduleCounts schedules countUsage for the organizations that need it. It runs when a node starts.
func (s *Server) scheduleCounts(ctx context.Context) error {
	uncounted, err := store.UncountedOrganizations(ctx, s.store)
	if err != nil {
		return fmt.Errorf("look for organizations to count: %w", err)
	}
	for _, org := range uncounted {
		err := s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(org)
			if err == nil && o.Version > 0 {
				tx.ScheduleOnce(org, txn.JobName(store.UsageKind, org), 0)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
