package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"docspace.dev/wsd/server/app/orgs"
	"docspace.dev/wsd/server/app/specs"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// jobHandler runs a job, which is work outside of requests (see store). It may run more than once, on any node. The
// transaction that has its effect calls tx.Finish, or tx.Schedule to continue later. Work that takes many
// transactions calls tx.Hold in each.
type jobHandler func(ctx context.Context, lease store.Lease) error

// jobKind describes how jobs of a kind are run. Each kind has slots of its own, so that kinds do not delay each
// other.
type jobKind struct {
	handle    jobHandler
	slots     int           // maximum number of concurrent jobs of the kind on one node
	admission admissionFunc // set for jobs that wait for other servers, see jobs_fair.go

	longest time.Duration // longest delay with which jobs of the kind are scheduled; 0 = due times are not checked
}

// jobSlots is the default number of slots of a kind.
const jobSlots = 4

// jobKinds returns all kinds of jobs by name.
func (s *Server) jobKinds() map[string]jobKind {
	return map[string]jobKind{
		store.PurgeKind:            {withFreeingSpace(s.lifecycle.Purge), jobSlots, nil, 0},
		store.OpenAPIReadKind:      {s.specs.ReadSpec, s.maxSpecReads, s.specs.Asked, specs.MaxReadInterval},
		store.ImportKind:           {s.imports.Run, jobSlots, s.imports.Asked, maxJobDelay},
		store.OpenAPISpacesKind:    {s.specs.RefreshSpaces, jobSlots, nil, maxJobDelay},
		store.OpenAPIRemoveKind:    {s.specs.RemoveSpec, jobSlots, nil, maxJobDelay},
		store.TransferKind:         {s.lifecycle.ResumeTransfer, jobSlots, nil, maxJobDelay},
		store.ArrivalKind:          {s.lifecycle.CheckArrival, jobSlots, nil, maxJobDelay},
		store.CopyKind:             {withFreeingSpace(s.lifecycle.RemoveCopy), jobSlots, nil, maxJobDelay},
		store.UserKind:             {s.orgs.RunUserCopy, jobSlots, nil, maxJobDelay},
		store.EndTokenKind:         {s.orgs.RunTokenEnd, jobSlots, nil, maxJobDelay},
		store.ServiceAccountKind:   {s.orgs.RunServiceAccount, jobSlots, nil, maxJobDelay},
		store.TokenEventsKind:      {s.orgs.RunTokenEvents, jobSlots, nil, maxJobDelay},
		store.EmailDomainKind:      {s.domains.Check, jobSlots, s.domains.DomainSetters, orgs.MaxCheckDelay},
		store.SearchKind:           {s.search.RunIndexJob, jobSlots, nil, maxJobDelay},
		store.SummaryKind:          {s.inbox.Summarize, jobSlots, nil, maxJobDelay},
		store.InvitesKind:          {s.invites.RemoveOfFormerMember, jobSlots, nil, maxJobDelay},
		store.ForgetKind:           {s.readMarks.Forget, jobSlots, nil, maxJobDelay},
		store.ForgetIdentitiesKind: {s.orgs.ForgetIdentities, jobSlots, nil, maxJobDelay},
		txn.OutboxKind:             {s.deliverOutbox, jobSlots, nil, maxJobDelay},
		store.UsageKind:            {s.countUsage, jobSlots, nil, maxJobDelay},
		store.EventsKind:           {withFreeingSpace(s.removeEvents), jobSlots, nil, maxJobDelay},

		store.OrganizationPurgeKind: {s.lifecycle.PurgeOrganization, jobSlots, nil, 0},
	}
}

// withFreeingSpace returns a handler of a job that frees memory: it may write when the store is full.
func withFreeingSpace(handle jobHandler) jobHandler {
	return func(ctx context.Context, lease store.Lease) error { return handle(redis.WithFreeingSpace(ctx), lease) }
}

const (
	postponeTimeout     = time.Second      // for postponing a job that failed or was stopped
	jobPollInterval     = time.Second      // between two searches for due jobs
	jobRegisterInterval = 10 * time.Minute // between two searches for jobs that a failover has lost

	// A failed job is retried with a delay that doubles from minJobRetry to maxJobRetry.
	minJobRetry = time.Second
	maxJobRetry = time.Hour

	maxJobDelay = 2 * maxJobRetry // exceeds all delays of jobs that are not repeated at intervals, and the length of a lease
)

// RunJobs runs due jobs until ctx is done, and returns when all have ended.
func (s *Server) RunJobs(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	s.scheduleJobs(ctx)
	ended := make(chan struct{}, 1) // wakes the loop, since a waiting job may start now
	scan := newJobScan(s.jobKinds())
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-timer.C:
		}
		_, err := s.leaseJobs(ctx, scan, func(job leasedJob) {
			running.Go(func() {
				_ = s.runJob(ctx, job) // logged by runJob
				scan.slots.release(job)
				select {
				case ended <- struct{}{}:
				default:
				}
			})
		})
		if err != nil && ctx.Err() == nil {
			s.log.Warn("look for due jobs", "error", err)
		}
		timer.Reset(jobPollInterval)
	}
}

// scheduleJobs schedules the jobs that a starting node is responsible for.
func (s *Server) scheduleJobs(ctx context.Context) {
	if err := s.scheduleCounts(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("quotas do not hold for organizations that are not counted", "error", err)
	}
	if err := s.specs.PlanReads(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("sources of specifications may not be asked", "error", err)
	}
	if err := s.domains.ScheduleChecks(ctx); err != nil && ctx.Err() == nil {
		s.log.Warn("e-mail domains may not be proven", "error", err)
	}
}

// registerJobs restores the index of organizations with jobs after a failover, and makes jobs due that have too late a due time
// because the clock of Redis was set back: at the start of the node and at intervals.
func (s *Server) registerJobs(ctx context.Context) {
	if last := s.lastRegistered.Load(); last != nil && s.store.Since(*last) < jobRegisterInterval {
		return
	}
	now := s.store.Moment()
	s.lastRegistered.Store(&now)
	organizations, err := s.store.Organizations(ctx)
	if err != nil {
		if ctx.Err() == nil {
			s.log.Warn("look for lost jobs", "error", err)
		}
		return
	}
	if err := s.scheduleEventRemovals(ctx, organizations); err != nil && ctx.Err() == nil {
		s.log.Warn("old events are not removed yet", "error", err)
	}
	longest := map[string]time.Duration{}
	for name, kind := range s.jobKinds() {
		longest[name] = kind.longest
	}
	late, err := s.store.Jobs.AdvanceJobs(ctx, organizations, longest, s.lifecycle.JobLease())
	if err != nil && ctx.Err() == nil {
		s.log.Warn("look for jobs that are due too late", "error", err)
	}
	if late > 0 {
		s.log.Warn("jobs were due too late because the clock of Redis was set back; they go on now", "jobs", late)
	}
	lost, err := s.store.Jobs.RestoreRegistrations(ctx, organizations)
	switch {
	case err != nil && ctx.Err() == nil:
		s.log.Warn("look for lost jobs", "error", err)
	case lost > 0:
		s.log.Warn("organizations with jobs were not in the index in time, after a failover or because the clock of Redis was set back; "+
			"they go on now", "organizations", lost)
	}
}

// RunDueJobs runs all due jobs one after the other and returns their errors. It is for tests.
func (s *Server) RunDueJobs(ctx context.Context) error {
	var failures []error
	scan := newJobScan(s.jobKinds())
	for {
		done, err := s.leaseJobs(ctx, scan, func(job leasedJob) {
			if err := s.runJob(ctx, job); err != nil {
				failures = append(failures, fmt.Errorf("%s: %w", job.Job(), err))
			}
			scan.slots.release(job)
		})
		if err != nil || done == 0 {
			return errors.Join(append(failures, err)...)
		}
	}
}

// runJob runs one job. A failed job is postponed; one that was stopped is released at once.
func (s *Server) runJob(ctx context.Context, job leasedJob) error {
	defer s.releasePermits(context.WithoutCancel(ctx), job)
	lease := job.Lease
	end := s.countJob(lease.Kind)
	err := s.tryJob(ctx, job)
	end(ctx, err)
	if err == nil || errors.Is(err, txn.ErrLeaseLost) { // if lost, another node has the job now
		return nil
	}
	delay := min(minJobRetry<<min(lease.Attempt-1, 30), maxJobRetry)
	if ctx.Err() != nil {
		delay = 0
	} else {
		s.log.Error("job failed", "job", lease.Job(), "organization", lease.Organization, "attempt", lease.Attempt, "again", delay,
			"error", err)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), postponeTimeout)
	defer cancel()
	if later := s.store.Jobs.Postpone(ctx, lease, delay); later != nil && !errors.Is(later, txn.ErrLeaseLost) {
		s.log.Warn("job not put off", "job", lease.Job(), "organization", lease.Organization, "error", later)
	}
	return err
}

// tryJob runs the handler of a job and renews its lease and permits while it runs.
func (s *Server) tryJob(ctx context.Context, job leasedJob) (err error) {
	if resting, err := s.postponeTrashed(ctx, job.Lease); err != nil || resting {
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

// trashedJobDelay is the delay for jobs of an organization in the trash.
const trashedJobDelay = 10 * time.Minute

// postponeTrashed postpones a job if its organization is in the trash. Purging it and delivering its outbox continue.
func (s *Server) postponeTrashed(ctx context.Context, lease store.Lease) (bool, error) {
	if lease.Kind == store.OrganizationPurgeKind || lease.Kind == txn.OutboxKind {
		return false, nil
	}
	b := s.store.NewBatch()
	deleted := b.Field(txn.EntriesKey(lease.Organization), lease.Organization)
	if err := b.Do(ctx); err != nil || deleted.Value() == "" {
		return false, err
	}
	return true, s.store.Jobs.Postpone(ctx, lease, trashedJobDelay)
}

// renewLease renews the lease of a job until ctx is done. It cancels the job if the lease is lost.
func (s *Server) renewLease(ctx context.Context, cancel context.CancelCauseFunc, job leasedJob) {
	ticker := time.NewTicker(max(s.lifecycle.JobLease()/3, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		for _, permit := range job.permits {
			_ = s.store.Jobs.RenewPermit(ctx, permit, s.lifecycle.JobLease()) // a job may continue without its permit
		}
		if err := s.store.Jobs.Renew(ctx, job.Lease, s.lifecycle.JobLease()); errors.Is(err, txn.ErrLeaseLost) {
			cancel(err)
			return
		}
	}
}
