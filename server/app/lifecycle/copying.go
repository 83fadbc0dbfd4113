package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"docspace.dev/wsd/server/core/access"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// copying is a copy that this request makes; store/copies.go describes its record.
type copying struct {
	service *Service
	org     string
	fields  store.CopyFields
	stop    func() // stops postponing the job; must be called before the commit, which removes the job
	cancel  context.CancelCauseFunc
}

// removeCopyTimeout is the time in which a request removes the copy that it did not complete. Otherwise a job removes it.
const removeCopyTimeout = 10 * time.Second

// beginCopy stores the record of a copy of spaces and collections, which counts the content in the usage of the organization:
// it returns a *txn.QuotaError if it does not fit. newIDs holds the ids of the copies by those of the originals. The
// returned context is cancelled when another node has taken the copy for interrupted. The caller must call end. A dry run
// only checks.
func (s *Service) beginCopy(ctx context.Context, c *rest.Call, newIDs map[string]string) (*copying, context.Context, error) {
	sizes := map[string]int64{}
	for from, to := range newIDs {
		if !access.IsSpace(from) {
			continue
		}
		size, err := s.Store.Size(ctx, from)
		if err != nil {
			return nil, nil, fmt.Errorf("size of %s: %w", from, err)
		}
		sizes[to] = size.Bytes
	}
	entries := slices.Sorted(maps.Values(newIDs))
	d := store.CopyDocument{
		Fields: store.CopyFields{ID: entries[0], Entries: entries}, Private: store.CopyPrivate{User: c.Caller.User},
	}
	options := txn.UpdateOptions{DryRun: c.DryRun, Guards: c.Guards, EnforceQuota: true}
	err := s.Store.Update(txn.WithoutTrace(ctx), c.Shard(), options, func(tx *store.Tx) error {
		if err := c.Match(tx); err != nil {
			return err
		}
		return tx.BeginCopy(c.Org, d, sizes, s.JobLease())
	})
	p := &copying{service: s, org: c.Org, fields: d.Fields, stop: func() {}}
	if err != nil || c.DryRun {
		return p, ctx, err
	}
	ctx, p.cancel = context.WithCancelCause(ctx)
	renewal, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { p.renew(renewal) })
	p.stop = func() { stop(); renewing.Wait() }
	return p, ctx, nil
}

// renew postpones the job of the copy until ctx is done. It cancels the copy if another node has taken it for interrupted, or
// if the job could not be postponed for the length of a lease.
func (p *copying) renew(ctx context.Context) {
	length := p.service.JobLease()
	ticker := time.NewTicker(max(length/3, time.Millisecond))
	defer ticker.Stop()
	for failures := 0; failures < 3; {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		failures++
		err := p.service.Store.Update(txn.WithoutTrace(ctx), store.Organization(p.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return tx.PostponeCopyRemoval(p.org, p.fields.ID, length)
		})
		if errors.Is(err, txn.ErrLeaseLost) {
			break
		}
		if err == nil {
			failures = 0
		}
	}
	if ctx.Err() == nil {
		p.cancel(txn.ErrLeaseLost)
	}
}

// complete removes the record of the copy in the transaction that stores the records of its spaces. It returns ErrBusy if
// another node has taken the copy for interrupted.
func (p *copying) complete(tx *store.Tx) error {
	err := tx.RequireCopy(p.org, p.fields.ID)
	if errors.Is(err, txn.ErrLeaseLost) {
		return fmt.Errorf("%w: %w", txn.ErrBusy, err)
	}
	if err == nil {
		tx.EndCopy(p.org, p.fields.ID)
	}
	return err
}

// end removes what was copied unless the copy was completed. err is the result of the copy; end returns it, or ErrBusy instead
// if another node has taken the copy for interrupted.
func (p *copying) end(ctx context.Context, err error) error {
	p.stop()
	defer p.cancel(nil)
	if err == nil {
		return nil
	}
	if errors.Is(context.Cause(ctx), txn.ErrLeaseLost) {
		err = fmt.Errorf("%w: %w", txn.ErrBusy, err)
	}
	ctx, cancel := context.WithTimeout(redis.WithFreeingSpace(txn.WithoutTrace(context.WithoutCancel(ctx))), removeCopyTimeout)
	defer cancel()
	interrupted, removal := p.service.interruptCopy(ctx, p.org, p.fields.ID, func(*store.Tx) error { return nil })
	switch {
	case removal != nil:
	case interrupted.Version == 0:
		removal = p.removeUnreferenced(ctx)
	default:
		removal = p.service.removeCopy(ctx, p.org, interrupted.Fields, func(*store.Tx) error { return nil })
	}
	if removal != nil {
		p.service.Log.Warn("an interrupted copy is removed later", "organization", p.org, "copy", p.fields.ID, "error", removal)
	}
	return err
}

// removeUnreferenced removes content that was written after another node had removed the copy. It removes nothing if the copy
// was completed although its result was not known.
func (p *copying) removeUnreferenced(ctx context.Context) error {
	completed := false
	err := p.service.Store.Update(ctx, store.Organization(p.org), txn.UpdateOptions{DryRun: true}, func(tx *store.Tx) error {
		for _, id := range p.fields.Entries {
			for _, key := range []redis.Key{store.EntryKey(p.org, id), store.MovedKey(p.org, id)} {
				_, there, err := tx.Record(key)
				if err != nil {
					return err
				}
				completed = completed || there
			}
		}
		return nil
	})
	if err != nil || completed {
		return err
	}
	return p.service.dropCopiedContent(ctx, p.org, p.fields)
}

// RemoveCopy is the job that removes an interrupted copy.
func (s *Service) RemoveCopy(ctx context.Context, lease store.Lease) error {
	guard := func(tx *store.Tx) error { return lease.Require(tx.Tx) }
	d, err := s.interruptCopy(ctx, lease.Organization, lease.Arg, guard)
	if err != nil {
		return err
	}
	if d.Version == 0 {
		return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
			return lease.Finish(tx.Tx)
		})
	}
	return s.removeCopy(ctx, lease.Organization, d.Fields, guard)
}

// interruptCopy prevents the completion of a copy and returns its document, which has Version 0 if the copy has ended.
func (s *Service) interruptCopy(ctx context.Context, org, id string, guard func(tx *store.Tx) error) (d store.CopyDocument, err error) {
	err = s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) (err error) {
		d, err = tx.Copy(org, id)
		if err == nil && d.Version > 0 && !d.Fields.Interrupted {
			err = tx.InterruptCopy(org, d)
		}
		return errors.Join(err, guard(tx))
	})
	return d, err
}

// removeCopy removes the content, the grants and the record of an interrupted copy.
func (s *Service) removeCopy(ctx context.Context, org string, f store.CopyFields, guard func(tx *store.Tx) error) error {
	if err := s.dropCopiedContent(ctx, org, f); err != nil {
		return err
	}
	model, err := s.reloadModel(ctx, org)
	if err != nil {
		return err
	}
	for _, id := range f.Entries {
		var members []string
		access.ViewIncludingTrash(model, func(model *access.Model) { members = model.GrantedMembers(id) })
		if err := store.RemoveGrants(ctx, s.Store, org, id, members, guard); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{}, func(tx *store.Tx) error {
		d, err := tx.Copy(org, f.ID)
		err = errors.Join(err, guard(tx)) // before the lease of the job is removed
		if err != nil || d.Version == 0 {
			return err
		}
		for _, id := range f.Entries {
			if access.IsSpace(id) {
				if err := store.DropSpace(tx, org, id); err != nil {
					return err
				}
			}
		}
		tx.EndCopy(org, f.ID)
		return nil
	})
}

// dropCopiedContent removes the content of the new spaces of a copy.
func (s *Service) dropCopiedContent(ctx context.Context, org string, f store.CopyFields) error {
	for _, id := range f.Entries {
		if access.IsSpace(id) {
			if err := store.DropContent(ctx, s.Store, org, id); err != nil {
				return err
			}
		}
	}
	return nil
}
