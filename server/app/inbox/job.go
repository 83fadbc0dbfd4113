package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/app/review"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// summaryBatch is the number of summaries that the job computes before it yields, so that a space with many change
// requests does not delay others. scanBatch is the number of change requests read at a time to find outdated
// summaries.
const (
	summaryBatch = 8
	scanBatch    = 64
)

// Summarize is the job that computes the summaries of a space: first those that lists requested, then those whose
// change request has changed and, if the space has changed, all others, oldest first. lease must be held by the
// caller.
func (s *Service) Summarize(ctx context.Context, lease store.Lease) error {
	t, err := s.startRun(ctx, lease)
	if err != nil {
		return err
	}
	if t.spaceDeleted {
		return s.Store.Update(ctx, store.Organization(t.org), txn.UpdateOptions{}, func(tx *store.Tx) error {
			if _, exists, err := tx.Head(t.org, t.space); err != nil || exists {
				return errors.Join(err, lease.Require(tx.Tx))
			}
			return lease.Finish(tx.Tx)
		})
	}
	if err := t.scan(ctx); err != nil {
		return err
	}
	for _, id := range t.ids {
		if err := t.compute(ctx, id); err != nil {
			return err
		}
	}
	return s.Store.Update(ctx, store.Organization(t.org), txn.UpdateOptions{}, t.commit)
}

// jobRun is one run of the job, which computes one batch.
type jobRun struct {
	service      *Service
	lease        store.Lease
	org, space   string
	head         store.Head
	spaceDeleted bool // the space no longer exists
	pending      []string
	ids          []string // to compute
	scanAll      bool     // scan the whole space
	progress     store.SummaryMark
	scanned      bool // the scan is complete
	summaries    map[string]store.Summary
	failed       map[string]bool // summaries that cannot be computed
}

// startRun reads the pending work of a space.
func (s *Service) startRun(ctx context.Context, lease store.Lease) (*jobRun, error) {
	t := &jobRun{
		service: s, lease: lease, org: lease.Organization, space: lease.Arg, summaries: map[string]store.Summary{},
		failed: map[string]bool{},
	}
	b := s.Store.NewBatch()
	wanted := b.Range(store.PendingSummariesKey(t.org, t.space), "", summaryBatch, false)
	head, mark := b.Field(store.HeadsKey(t.org), t.space), b.Field(store.SummariesKey(t.org), t.space)
	if err := b.Do(ctx); err != nil {
		return nil, fmt.Errorf("read which summaries are wanted: %w", err)
	}
	text, exists := head.Get()
	if t.spaceDeleted = !exists; t.spaceDeleted {
		return t, nil
	}
	var err error
	if t.head, err = store.ParseHead(text); err != nil {
		return nil, err
	}
	if t.progress, err = store.ParseSummaryMark(mark.Value()); err != nil {
		return nil, err
	}
	t.pending = wanted.Value()
	for _, member := range t.pending {
		by, id := store.SplitPendingSummary(member)
		if by == store.SummarySpaceMoved {
			t.scanAll = true
		} else if !slices.Contains(t.ids, id) {
			t.ids = append(t.ids, id)
		}
	}
	return t, nil
}

// scannedStatuses lists the statuses of change requests that have summaries, in scan order.
var scannedStatuses = [...]api.ChangeRequestStatus{api.StatusOpen, api.StatusDraft}

// scan adds change requests whose summary does not match the head of the space, oldest first, until the batch is
// full.
func (r *jobRun) scan(ctx context.Context) error {
	if !r.scanAll {
		return nil
	}
	if r.progress.Space == "" {
		r.progress = store.SummaryMark{Space: r.head.Revision, Status: scannedStatuses[0]}
	}
	for len(r.ids) < summaryBatch && !r.scanned {
		b := r.service.Store.NewBatch()
		members := b.Range(store.RequestsByCreationKey(r.org, r.space, r.progress.Status), r.progress.After, scanBatch, false)
		if err := b.Do(ctx); err != nil {
			return fmt.Errorf("walk through change requests: %w", err)
		}
		if err := r.addOutdated(ctx, members.Value()); err != nil {
			return err
		}
		if len(members.Value()) < scanBatch && len(r.ids) < summaryBatch {
			r.nextStatus()
		}
	}
	return nil
}

// nextStatus continues the scan with the next status, or ends it.
func (r *jobRun) nextStatus() {
	index := slices.Index(scannedStatuses[:], r.progress.Status) + 1
	if r.scanned = index == len(scannedStatuses); !r.scanned {
		r.progress.Status, r.progress.After = scannedStatuses[index], ""
	}
}

// addOutdated adds the members with an outdated summary until the batch is full.
func (r *jobRun) addOutdated(ctx context.Context, members []string) error {
	ids := make([]string, len(members))
	for i, member := range members {
		ids[i] = store.RequestID(store.SplitRequestMember(member))
	}
	b := r.service.Store.NewBatch()
	heads, summaries := b.Fields(store.HeadsKey(r.org), ids...), b.Fields(store.SummariesKey(r.org), ids...)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read summaries: %w", err)
	}
	for i, id := range ids {
		if len(r.ids) == summaryBatch {
			return nil
		}
		r.progress.After = members[i]
		text, exists := heads.Value()[id]
		if !exists {
			continue
		}
		head, err := store.ParseHead(text)
		if err != nil {
			return err
		}
		sum, err := store.ParseSummary(summaries.Value()[id])
		if err != nil {
			return err
		}
		if (sum.Revision != head.Revision || sum.Space != r.head.Revision) && !slices.Contains(r.ids, id) {
			r.ids = append(r.ids, id)
		}
	}
	return nil
}

// compute computes the summary of one change request. A deleted change request has none.
func (r *jobRun) compute(ctx context.Context, id string) error {
	b := r.service.Store.NewBatch()
	text := b.Field(store.SummariesKey(r.org), id)
	if err := b.Do(ctx); err != nil {
		return fmt.Errorf("read summary: %w", err)
	}
	previous, err := store.ParseSummary(text.Value())
	if err != nil {
		return err
	}
	sum, err := r.service.Reviews.Summarize(ctx, r.org, id, previous)
	switch {
	case err == nil:
		r.summaries[id] = sum
	case review.IsPermanent(err):
		r.service.Log.Warn("no summary of a change request", "organization", r.org, "change-request", id, "error", err)
		r.failed[id] = true
	case !errors.Is(err, redis.ErrStale):
		return fmt.Errorf("summary of %s: %w", id, err)
	}
	return nil
}

// commit stores the computed summaries and reschedules the job if work remains. A change request that has changed in
// the meantime remains pending.
func (r *jobRun) commit(tx *store.Tx) error {
	if err := r.lease.Require(tx.Tx); err != nil {
		return err
	}
	left, err := tx.Cardinality(store.PendingSummariesKey(r.org, r.space))
	if err != nil {
		return err
	}
	settled := map[string]bool{}
	for _, id := range r.ids {
		if settled[id], err = r.putSummary(tx, id); err != nil {
			return err
		}
	}
	for _, member := range r.pending {
		by, id := store.SplitPendingSummary(member)
		done := settled[id]
		if by == store.SummarySpaceMoved {
			if done, err = r.putProgress(tx); err != nil {
				return err
			}
		}
		if done {
			tx.Remove(store.PendingSummariesKey(r.org, r.space), member)
			left--
		}
	}
	if left == 0 {
		return r.lease.Finish(tx.Tx)
	}
	tx.Schedule(r.org, r.lease.Job(), 0)
	return nil
}

// putSummary stores a summary. done is false if the change request has changed since.
func (r *jobRun) putSummary(tx *store.Tx, id string) (done bool, err error) {
	head, exists, err := tx.Head(r.org, id)
	if err != nil || !exists {
		return !exists, err
	}
	request, err := tx.ChangeRequest(r.org, id)
	if err != nil {
		return false, err
	}
	tx.UpdateReviewed(r.org, request)
	sum, computed := r.summaries[id]
	if !computed {
		return r.failed[id], nil
	}
	return head.Revision == sum.Revision, tx.PutSummary(r.org, id, sum)
}

// putProgress stores the progress of the scan. done is true if the scan is complete and the space has not changed
// since it began.
func (r *jobRun) putProgress(tx *store.Tx) (done bool, err error) {
	now, _, err := tx.Head(r.org, r.space)
	if err != nil {
		return false, err
	}
	if !r.scanned {
		return false, tx.PutSummary(r.org, r.space, r.progress)
	}
	tx.DeleteField(store.SummariesKey(r.org), r.space)
	return now.Revision == r.progress.Space, nil
}
