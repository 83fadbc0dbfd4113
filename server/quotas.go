package server

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/server/access"
	"docspace.dev/wsd/server/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/txn"
)

// rewriteText replaces a text. However little longer it gets, it adds.
func rewriteText(tx *store.Tx, text *string, by string) {
	if len(by) > len(*text) {
		tx.Adds()
	}
	*text = by
}

// use reads how much an organization stores.
func (s *Server) use(ctx context.Context, org string) (txn.Use, error) {
	b := s.store.Pipeline()
	future := b.Use(org)
	if err := b.Do(ctx); err != nil {
		return txn.Use{}, fmt.Errorf("use of %s: %w", org, err)
	}
	use, _, err := future.Get()
	return use, err
}

// roomFor is a refusal unless the organization has room for a copy of a space's content.
func (s *Server) roomFor(ctx context.Context, org, space string) error {
	size, err := s.store.Size(ctx, space)
	if err != nil {
		return fmt.Errorf("size of %s: %w", space, err)
	}
	use, err := s.use(ctx, org)
	if err != nil {
		return err
	}
	return use.Admits(size.Bytes, 1)
}

// roomForTransfer is a refusal unless the other organization has room for what a transfer brings.
func (s *Server) roomForTransfer(ctx context.Context, c *rest.Call, p *transferPlan) error {
	spaces := slices.DeleteFunc(slices.Clone(p.nodes), func(id string) bool { return !access.IsSpace(id) })
	from, err := s.use(ctx, c.Org)
	if err != nil {
		return err
	}
	if !from.Counted { // nor is the content, which the other organization is going to count
		for _, space := range spaces {
			if _, err := s.store.Measure(ctx, space); err != nil {
				return fmt.Errorf("size of %s: %w", space, err)
			}
		}
	}
	keys, _, err := s.transferKeys(ctx, c.Org, p.nodes)
	if err != nil {
		return err
	}
	bytes, records, err := s.store.Weigh(ctx, keys, spaces)
	if err != nil {
		return fmt.Errorf("size of the transfer: %w", err)
	}
	to, err := s.use(ctx, p.to.Org)
	if err != nil {
		return err
	}
	err = to.Admits(bytes, records)
	if full, over := errors.AsType[*txn.Exceeded](err); over {
		return rest.Exceeded("The other organization", full.What, full.Limit, full.Use).
			WithHint("The transfer would bring %d bytes in %d records.", bytes, records)
	}
	return err
}

// countUse is the job that counts what was stored before there was a count.
func (s *Server) countUse(ctx context.Context, lease store.Lease) error {
	return s.store.Recount(ctx, lease.Organization, func(tx *store.Tx) error { return tx.Finish(lease) })
}

// planCounts plans that job where it is needed: once, when a node begins.
func (s *Server) planCounts(ctx context.Context) error {
	uncounted, err := s.store.Uncounted(ctx)
	if err != nil {
		return fmt.Errorf("look for organizations to count: %w", err)
	}
	for _, org := range uncounted {
		err := s.store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			o, err := tx.Organization(org)
			if err == nil && o.Version > 0 {
				tx.ScheduleOnce(org, txn.JobName(store.UseKind, org), 0)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
