package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/jobs"
	"docspace.dev/wsd/store/txn"
	"docspace.dev/wsd/store/usage"
)

// A job is what happens without a request: see store/jobs. Its handler may run more than once, on any node; the
// transaction that has its effect calls tx.Finish, or tx.Schedule to go on later. Work that takes many transactions
// calls tx.Hold in each.
type jobHandler func(ctx context.Context, lease jobs.Lease) error

// jobHandlers are the kinds of jobs.
func (s *Server) jobHandlers() map[string]jobHandler {
	return map[string]jobHandler{
		store.PurgeKind:         s.lifecycle.PurgeSpace,
		store.OpenAPIReadKind:   s.specs.ReadSpec,
		store.OpenAPISpacesKind: s.specs.RefreshSpaces,
		store.OpenAPIRemoveKind: s.specs.RemoveSpec,
		store.TransferKind:      s.lifecycle.ResumeTransfer,
		store.ArrivalKind:       s.lifecycle.LookAtArrival,
		store.UserKind:          s.orgs.FollowUser,
		store.SearchKind:        s.indexing.IndexForAll,
		txn.OutboxKind:          s.deliverContent,
		usage.Kind:              s.countUse,
	}
}

const (
	postponeTimeout = time.Second      // for giving a job back that failed or was stopped
	jobWorkers      = 4                // jobs that one node does at the same time
	jobInterval     = time.Second      // between two looks for due jobs
	jobRegistry     = 10 * time.Minute // between two looks for jobs that a failover has made unknown

	// A job that failed is tried again after a time that doubles from the first to the last of these.
	jobRetryFirst = time.Second
	jobRetryLast  = time.Hour
)

// RunJobs does due jobs until the context ends, and returns when none runs any more.
func (s *Server) RunJobs(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, jobWorkers)
	if err := s.planCounts(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("quotas do not hold for organizations that are not counted", "error", err)
	}
	if err := s.specs.PlanReads(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("sources of specifications may not be asked", "error", err)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		err := s.leaseJobs(ctx, func() int { return cap(slots) - len(slots) }, func(lease jobs.Lease) {
			slots <- struct{}{}
			running.Go(func() {
				defer func() { <-slots }()
				_ = s.runJob(ctx, lease) // has said what is wrong
			})
		})
		if err != nil && ctx.Err() == nil {
			s.log.Warn("look for due jobs", "error", err)
		}
		timer.Reset(jobInterval)
	}
}

// registerJobs finds jobs again that a failover has made unknown: when the node starts, and from time to time.
func (s *Server) registerJobs(ctx context.Context) {
	if last := s.registered.Load(); last != nil && s.store.Since(*last) < jobRegistry {
		return
	}
	now := s.store.Moment()
	s.registered.Store(&now)
	lost, err := s.store.RegisterJobs(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("look for lost jobs", "error", err)
	case lost > 0:
		s.log.Warn("a failover lost that organizations have jobs; they go on now", "organizations", lost)
	}
}

// RunDueJobs does what is due now, one job after the other, and returns what failed. For tests.
func (s *Server) RunDueJobs(ctx context.Context) error {
	var failures []error
	for {
		done := 0
		err := s.leaseJobs(ctx, func() int { return 1 }, func(lease jobs.Lease) {
			done++
			if err := s.runJob(ctx, lease); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", lease.Job(), err))
			}
		})
		if err != nil || done == 0 {
			return errors.Join(append(failures, err)...)
		}
	}
}

// leaseJobs leases due jobs, as many as there is room for, and starts them.
func (s *Server) leaseJobs(ctx context.Context, room func() int, start func(jobs.Lease)) error {
	s.registerJobs(ctx)
	if room() == 0 {
		return nil
	}
	organizations, err := s.store.Jobs.DueOrganizations(ctx)
	if err != nil {
		return err
	}
	for _, org := range organizations {
		limit := room()
		if limit == 0 {
			return nil
		}
		due, err := s.store.Jobs.Lease(ctx, org.ID, limit, s.lifecycle.JobLease())
		if err != nil {
			return err
		}
		for _, lease := range due.Leases {
			start(lease)
		}
		if len(due.Leases) < limit {
			if err := s.store.Jobs.Settle(ctx, org, due.Next); err != nil {
				return err
			}
		}
	}
	return nil
}

// runJob does one job. One that fails is put off; one that was stopped is given back at once.
func (s *Server) runJob(ctx context.Context, lease jobs.Lease) error {
	err := s.tryJob(ctx, lease)
	if err == nil || errors.Is(err, txn.ErrLeaseLost) { // or another node has it now
		return nil
	}
	delay := min(jobRetryFirst<<min(lease.Attempt-1, 30), jobRetryLast)
	if ctx.Err() != nil {
		delay = 0
	} else {
		s.log.Error("job failed", "job", lease.Job(), "organization", lease.Organization, "attempt", lease.Attempt, "again", delay, "error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postponeTimeout)
	defer cancel()
	if later := s.store.Jobs.Postpone(ctx, lease, delay); later != nil && !errors.Is(later, txn.ErrLeaseLost) {
		s.log.Warn("job not put off", "job", lease.Job(), "organization", lease.Organization, "error", later)
	}
	return err
}

// tryJob runs the handler of a job, and renews its lease as long as it runs.
func (s *Server) tryJob(ctx context.Context, lease jobs.Lease) (err error) {
	handle, known := s.jobHandlers()[lease.Kind]
	if !known {
		return fmt.Errorf("there is no job of the kind %q: a newer node made it", lease.Kind)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renewLease(ctx, cancel, lease) })
	defer renewing.Wait()
	defer cancel(nil)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
		if lost := context.Cause(ctx); errors.Is(lost, txn.ErrLeaseLost) {
			err = lost
		}
	}()
	return handle(ctx, lease)
}

// renewLease keeps a lease until the context ends. When it is lost, it ends the job.
func (s *Server) renewLease(ctx context.Context, cancel context.CancelCauseFunc, lease jobs.Lease) {
	ticker := time.NewTicker(max(s.lifecycle.JobLease()/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := s.store.Jobs.Renew(ctx, lease, s.lifecycle.JobLease()); errors.Is(err, txn.ErrLeaseLost) {
			cancel(err)
			return
		}
	}
}
