package specs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/core/budgets"
	"docspace.dev/wsd/server/core/revision"
	"docspace.dev/wsd/server/web/rest"
	"docspace.dev/wsd/server/web/view"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/txn"
)

// RefreshSpaces runs the job that adds the newest version of a specification to the spaces of its organization. Each
// space with its pages gets a computed revision. Unreadable content is logged and skipped. Spaces beyond their quota
// are reported with the specification and retried, as are spaces in transfer to another organization.
func (s *Service) RefreshSpaces(ctx context.Context, lease store.Lease) error {
	d, err := s.Pages.SpecBySlug(ctx, lease.Organization, lease.Arg)
	if err != nil && !rest.IsNotFound(err) {
		return err
	}
	waiting := 0
	if err == nil {
		if waiting, err = s.refreshAll(ctx, lease, d); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(lease.Organization), txn.UpdateOptions{}, func(tx *store.Tx) error {
		if err := setWaitingSpaces(tx, lease, waiting); err != nil {
			return err
		}
		if waiting == 0 {
			return lease.Finish(tx.Tx)
		}
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		tx.Schedule(lease.Organization, lease.Job(), quotaRetry)
		return nil
	})
}

// quotaRetry is the interval at which spaces beyond their quota are retried.
const quotaRetry = time.Hour

// setWaitingSpaces stores the number of spaces whose quota does not allow the last version.
func setWaitingSpaces(tx *store.Tx, lease store.Lease, waiting int) error {
	d, err := tx.OpenAPISpec(lease.Organization, lease.Arg)
	if err != nil || d.Version == 0 || d.Private.WaitingSpaces == waiting {
		return err
	}
	if d.Private.WaitingSpaces > 0 && d.Private.Failures == 0 {
		d.Fields.LastProcessErrorCode, d.Fields.LastProcessError = "", ""
	}
	d.Private.WaitingSpaces = waiting
	describeWaitingSpaces(&d)
	_, err = tx.PutOpenAPISpec(lease.Organization, d)
	return err
}

// describeWaitingSpaces sets the message about spaces without the last version. An error of the source takes precedence.
func describeWaitingSpaces(d *store.OpenAPISpecDocument) {
	if d.Private.WaitingSpaces > 0 && d.Fields.LastProcessErrorCode == "" {
		d.Fields.LastProcessErrorCode = api.ProcessFetchError
		d.Fields.LastProcessError = fmt.Sprintf("The quota of the organization has no room for revisions with the last version in some "+
			"spaces (%d). They keep the version that they have, and are tried again every hour.", d.Private.WaitingSpaces)
	}
}

func (s *Service) refreshAll(ctx context.Context, lease store.Lease, d store.OpenAPISpecDocument) (waiting int, err error) {
	b := s.Store.NewBatch()
	heads := b.HashAll(store.HeadsKey(lease.Organization))
	if err := b.Do(ctx); err != nil {
		return 0, fmt.Errorf("spaces of %s: %w", lease.Organization, err)
	}
	var busy error
	for _, space := range slices.Sorted(maps.Keys(heads.Value())) {
		if store.HeadSpace(space) != space {
			continue
		}
		err := s.refreshSpace(ctx, lease, d, space)
		_, unreadable := objects.AsUnreadable(err)
		_, full := errors.AsType[*txn.QuotaError](err)
		if full {
			waiting++
		}
		switch {
		case unreadable || full || errors.Is(err, objects.ErrMissing):
			s.Log.WarnContext(ctx, "a space keeps the version of a specification that it has",
				slog.String("space", space), slog.String("specification", d.Fields.Slug), slog.Any("error", err))
		case errors.Is(err, txn.ErrBusy):
			busy = err
		case err != nil:
			return 0, err
		}
	}
	return waiting, busy
}

// refreshSpace creates a computed revision of a space if it has pages of an older version of the specification. It
// starts again if the head moves.
func (s *Service) refreshSpace(ctx context.Context, lease store.Lease, d store.OpenAPISpecDocument, space string) error {
	for range rest.MaxPlans {
		b := s.Store.NewBatch()
		text := b.Field(store.HeadsKey(lease.Organization), space)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("head of %s: %w", space, err)
		}
		if text.Value() == "" {
			return nil // deleted
		}
		head, err := store.ParseHead(text.Value())
		if err != nil {
			return err
		}
		w, err := s.Revisions.OpenWorktree(ctx, space, head)
		if err != nil {
			return err
		}
		if len(staleNames(w, d)) == 0 {
			return nil
		}
		if err := s.commitComputedPages(ctx, lease, d, w); !errors.Is(err, store.ErrHeadMoved) {
			return err
		}
	}
	return fmt.Errorf("%w: the head of %s moves all the time", txn.ErrBusy, space)
}

// staleNames returns the names under which a worktree has pages of an older version of a specification.
func staleNames(w *revision.Worktree, d store.OpenAPISpecDocument) []string {
	return slices.DeleteFunc(revision.SpecNames(w.Tree), func(name string) bool {
		return name != d.Fields.Slug && name != d.Fields.ID || w.BaseRevision.Specs[name].Version == d.Fields.LastVersion
	})
}

// commitComputedPages commits the revision. The lock of a space does not prevent that, because no text of users changes.
func (s *Service) commitComputedPages(ctx context.Context, lease store.Lease, d store.OpenAPISpecDocument, w *revision.Worktree) error {
	org, at := lease.Organization, revision.Target{Space: w.Content.Space()}
	work, err := s.Slow.Begin(budgets.WithTenant(ctx, &org), budgets.SpecStart)
	if err != nil {
		return err
	}
	defer work.End()
	return s.Store.Update(ctx, store.Organization(org), txn.UpdateOptions{EnforceQuota: true}, func(tx *store.Tx) error {
		if err := lease.Require(tx.Tx); err != nil {
			return err
		}
		open, err := s.canRefresh(tx, org, at.Space)
		if err != nil || !open {
			return err
		}
		if err := revision.CheckHead(tx, org, at, w.BaseHead); err != nil {
			return err
		}
		if named, err := s.pinAll(ctx, tx, org, w, staleNames(w, d)); err != nil || !named {
			return err
		}
		head, err := s.Revisions.CommitWorktreeAs(ctx, tx, org, at, w, revision.Revision{
			Type: api.RevisionComputed, Parents: []string{w.BaseHead.Revision}, Author: view.SystemUser, CreatedAt: tx.Now(),
		})
		tx.Event(map[string]string{
			"type": "spaces.compute", "at": strconv.FormatInt(tx.Now().UnixMilli(), 10), "actor": view.SystemUser,
			"id": at.Space, "space": at.Space, "spec": d.Fields.Slug, "revision": head.Revision,
		})
		return err
	})
}

// canRefresh reports whether a space may get a revision. It may not if it is deleted or in transfer to another
// organization.
func (s *Service) canRefresh(tx *store.Tx, org, space string) (bool, error) {
	record, err := tx.Space(org, space)
	if err != nil {
		return false, err
	}
	switch record.Private.State {
	case store.EntryMoving, store.EntryArriving:
		return false, fmt.Errorf("%w: %s is on its way", txn.ErrBusy, space)
	case store.EntryLeaving:
		return false, nil
	}
	return record.Version > 0, nil
}

// pinAll pins the newest versions of the named specifications in a worktree. It reports whether any of them could be pinned.
func (s *Service) pinAll(ctx context.Context, tx *store.Tx, org string, w *revision.Worktree, names []string) (named bool, err error) {
	for _, name := range names {
		found, err := s.Revisions.PinSpec(ctx, tx, org, w, name)
		if err != nil {
			return false, err
		}
		named = named || found
	}
	return named, nil
}
