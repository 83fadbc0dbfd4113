package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// A job is what happens without a request: see store. Its handler may run more than once, on any node; the
// transaction that has its effect calls tx.Finish, or tx.Schedule to go on later. Work that takes many transactions
// calls tx.Hold in each.
type jobHandler func(ctx context.Context, lease store.Lease) error

// jobKind is how the jobs of a kind are done. Each kind has slots of its own, so that none keeps the others waiting.
type jobKind struct {
	handle jobHandler
	slots  int          // jobs of the kind that one node does at the same time
	asked  jobAdmission // where jobs wait for others than wsd: see jobs_fair.go; nil elsewhere
}

// jobSlots is the number of slots of a kind that does not say otherwise.
const jobSlots = 4

// jobKinds are the kinds of jobs.
func (s *Server) jobKinds() map[string]jobKind {
	return map[string]jobKind{
		store.PurgeKind:         {freeing(s.lifecycle.Purge), jobSlots, nil},
		store.OpenAPIReadKind:   {s.specs.ReadSpec, s.fetches, s.specs.Asked},
		store.ImportKind:        {s.imports.Run, jobSlots, s.imports.Asked},
		store.OpenAPISpacesKind: {s.specs.RefreshSpaces, jobSlots, nil},
		store.OpenAPIRemoveKind: {s.specs.RemoveSpec, jobSlots, nil},
		store.TransferKind:      {s.lifecycle.ResumeTransfer, jobSlots, nil},
		store.ArrivalKind:       {s.lifecycle.LookAtArrival, jobSlots, nil},
		store.UserKind:          {s.orgs.FollowUser, jobSlots, nil},
		store.EmailDomainKind:   {s.domains.Check, jobSlots, s.domains.Asked},
		store.SearchKind:        {s.indexing.IndexForAll, jobSlots, nil},
		store.SummaryKind:       {s.inbox.Summarize, jobSlots, nil},
		store.ForgetKind:        {s.progress.Forget, jobSlots, nil},
		txn.OutboxKind:          {s.deliverContent, jobSlots, nil},
		store.Kind:              {s.countUse, jobSlots, nil},

		store.OrganizationPurgeKind: {s.lifecycle.PurgeOrganization, jobSlots, nil},
	}
}

// freeing is a job that makes room: it goes on when the store is full.
func freeing(handle jobHandler) jobHandler {
	return func(ctx context.Context, lease store.Lease) error { return handle(redis.Freeing(ctx), lease) }
}

const (
	postponeTimeout = time.Second      // for giving a job back that failed or was stopped
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
	s.planJobs(ctx)
	ended := make(chan struct{}, 1) // what waited for a job that has ended can begin
	look := newJobLook(s.jobKinds())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-timer.C:
		}
		_, err := s.leaseJobs(ctx, look, func(job heldJob) {
			running.Go(func() {
				_ = s.runJob(ctx, job) // has said what is wrong
				look.slots.release(job)
				select {
				case ended <- struct{}{}:
				default:
				}
			})
		})
		if err != nil && ctx.Err() == nil {
			s.log.Warn("look for due jobs", "error", err)
		}
		timer.Reset(jobInterval)
	}
}

// planJobs plans what a node sees to when it begins.
func (s *Server) planJobs(ctx context.Context) {
	if err := s.planCounts(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("quotas do not hold for organizations that are not counted", "error", err)
	}
	if err := s.specs.PlanReads(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("sources of specifications may not be asked", "error", err)
	}
	if err := s.domains.Plan(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("e-mail domains may not be proven", "error", err)
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
	look := newJobLook(s.jobKinds())
	for {
		done, err := s.leaseJobs(ctx, look, func(job heldJob) {
			if err := s.runJob(ctx, job); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", job.Job(), err))
			}
			look.slots.release(job)
		})
		if err != nil || done == 0 {
			return errors.Join(append(failures, err)...)
		}
	}
}

// runJob does one job. One that fails is put off; one that was stopped is given back at once.
func (s *Server) runJob(ctx context.Context, job heldJob) error {
	defer s.endTurns(context.WithoutCancel(ctx), job)
	lease := job.Lease
	err := s.tryJob(ctx, job)
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

// tryJob runs the handler of a job, and renews its lease and its turns as long as it runs.
func (s *Server) tryJob(ctx context.Context, job heldJob) (err error) {
	if resting, err := s.rests(ctx, job.Lease); err != nil || resting {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() { s.renewLease(ctx, cancel, job) })
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
	return job.kind.handle(ctx, job.Lease)
}

// jobRest is how long a job of an organization in the trash rests before it is looked at again.
const jobRest = 10 * time.Minute

// rests puts a job off whose organization is in the trash. What ends that, and what keeps content from being lost, goes on.
func (s *Server) rests(ctx context.Context, lease store.Lease) (bool, error) {
	if lease.Kind == store.OrganizationPurgeKind || lease.Kind == txn.OutboxKind {
		return false, nil
	}
	b := s.store.Pipeline()
	deleted := b.Field(txn.EntriesKey(lease.Organization), lease.Organization)
	if err := b.Do(ctx); err != nil || deleted.Value() == "" {
		return false, err
	}
	return true, s.store.Jobs.Postpone(ctx, lease, jobRest)
}

// renewLease keeps a lease until the context ends. When it is lost, it ends the job.
func (s *Server) renewLease(ctx context.Context, cancel context.CancelCauseFunc, job heldJob) {
	ticker := time.NewTicker(max(s.lifecycle.JobLease()/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, turn := range job.turns {
			_ = s.store.Jobs.RenewTurn(ctx, turn, s.lifecycle.JobLease()) // who loses it goes on
		}
		if err := s.store.Jobs.Renew(ctx, job.Lease, s.lifecycle.JobLease()); errors.Is(err, txn.ErrLeaseLost) {
			cancel(err)
			return
		}
	}
}
