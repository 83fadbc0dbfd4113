package server

import (
	"context"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// deliverOutbox is the job that delivers the outbox of an organization, see store/txn/outbox.go.
func (s *Server) deliverOutbox(ctx context.Context, lease store.Lease) error {
	may := func(tx *store.Tx) error { return lease.Require(tx.Tx) }
	if err := s.store.Deliver(ctx, lease.Organization, may); err != nil {
		return err
	}
	return s.store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		return lease.Delivered(tx.Tx)
	})
}
