package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// checkTransferQuota returns an error if a transfer would exceed the quota of the receiving organization.
func (s *Service) checkTransferQuota(ctx context.Context, c *rest.Call, p *transferPlan) error {
	spaces := slices.DeleteFunc(slices.Clone(p.entries), func(id string) bool { return !access.IsSpace(id) })
	from, err := s.loadUsage(ctx, c.Org)
	if err != nil {
		return err
	}
	if !from.Complete { // the content is not counted either; the receiving organization will count it
		for _, space := range spaces {
			if _, err := s.Store.Measure(ctx, space); err != nil {
				return fmt.Errorf("size of %s: %w", space, err)
			}
		}
	}
	keys, _, err := s.transferKeys(ctx, c.Org, p.entries)
	if err != nil {
		return err
	}
	bytes, records, err := store.MeasureUsage(ctx, s.Store, keys, spaces)
	if err != nil {
		return fmt.Errorf("size of the transfer: %w", err)
	}
	to, err := s.loadUsage(ctx, p.target.Org)
	if err != nil {
		return err
	}
	err = to.CheckQuota(bytes, records)
	if full, over := errors.AsType[*txn.QuotaError](err); over {
		return rest.Exceeded("The other organization", full.Resource, full.Limit, full.Usage).
			WithHint("The transfer would bring %d bytes in %d records.", bytes, records)
	}
	return err
}

// JobLease returns the time after which another node may take over a job. The lease is renewed while the job runs.
func (s *Service) JobLease() time.Duration { return time.Duration(s.Budgets.JobLease) }

// loadUsage reads the storage use of an organization.
func (s *Service) loadUsage(ctx context.Context, org string) (txn.Usage, error) {
	b := s.Store.NewBatch()
	reply := b.Usage(org)
	if err := b.Do(ctx); err != nil {
		return txn.Usage{}, fmt.Errorf("use of %s: %w", org, err)
	}
	return reply.Value(), nil
}
