package lifecycle

import (
	"context"
	"errors"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// CheckArrival is the job that removes data written by a node that continued a transfer after its end.
func (s *Service) CheckArrival(ctx context.Context, lease store.Lease) error {
	to, entry := lease.Organization, lease.Arg
	arrival, orphan, err := s.classifyArrival(ctx, lease)
	if err != nil || !orphan {
		return err
	}
	guard := func(tx *store.Tx) error { return errors.Join(lease.Require(tx.Tx), store.RequireOrphan(tx, to, entry)) }
	for _, id := range arrival.Fields.Entries {
		if err := s.removeArrived(ctx, to, id, guard); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := guard(tx); err != nil {
			return err
		}
		store.EndArrival(tx, to, entry)
		return nil
	})
}

// classifyArrival reports whether an arrival is an orphan. It reschedules the job of an arrival whose transfer is in
// progress, and prevents further writes to an orphan.
func (s *Service) classifyArrival(ctx context.Context, lease store.Lease) (arrival store.ArrivalDocument, orphan bool, err error) {
	to, entry := lease.Organization, lease.Arg
	read := func(tx *store.Tx) error {
		if arrival, err = tx.Arrival(to, entry); err != nil || arrival.Version > 0 {
			return errors.Join(err, lease.Require(tx.Tx))
		}
		return lease.Finish(tx.Tx)
	}
	err = s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{}, read)
	if err != nil || arrival.Version == 0 {
		return arrival, false, err
	}
	d, err := s.readTransfer(ctx, arrival.Fields.From, entry)
	if err != nil {
		return arrival, false, err
	}
	orphan = d.Version == 0 || d.Private.Epoch != arrival.Fields.Epoch
	err = s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := read(tx); err != nil || arrival.Version == 0 {
			return err
		}
		if !orphan {
			return tx.PutArrival(to, arrival, s.JobLease())
		}
		return store.MarkOrphan(tx, to, arrival)
	})
	return arrival, orphan && arrival.Version > 0, err
}

// removeArrived removes the data of a space or collection unless another transfer has brought it since.
func (s *Service) removeArrived(ctx context.Context, to, id string, guard func(tx *store.Tx) error) error {
	hidden := false
	err := s.Store.Update(ctx, store.Organization(to), txn.UpdateOptions{}, func(tx *store.Tx) (err error) {
		hidden, err = store.Arriving(tx, to, id)
		return errors.Join(err, guard(tx))
	})
	if err != nil || !hidden {
		return err
	}
	return s.clearEntry(ctx, to, id, guard)
}
