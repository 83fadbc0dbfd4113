package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Jobs that wait for other servers, such as web sites, could delay everybody else's. For such a kind, all nodes
// together run one job at a time per organization and one per person, and at most half of a node's slots run jobs
// that were slow the last time. A job that may not start yields to the next.

// admissionFunc returns, for jobs of an organization, the person on whose behalf each is run, and whether it was slow the last
// time.
type admissionFunc func(ctx context.Context, org string, args []string) ([]store.Requester, error)

// admissionBatch is the number of waiting jobs that are looked up together.
const admissionBatch = 100

// leasedJob is a job that this node has leased.
type leasedJob struct {
	store.Lease

	kind    jobKind
	permits []store.Permit
	slow    bool
}

// jobScan holds the state of a node's search for due jobs.
type jobScan struct {
	kinds map[string]jobKind
	names []string // names of the kinds, sorted
	slots slotCounter
}

func newJobScan(kinds map[string]jobKind) *jobScan {
	scan := &jobScan{kinds: kinds, slots: slotCounter{kinds: kinds, running: map[string]int{}}}
	for name := range kinds {
		scan.names = append(scan.names, name)
	}
	slices.Sort(scan.names)
	return scan
}

// requests returns the kinds of jobs that have free slots for an organization, without those that remove by age if held
// is set.
func (s *jobScan) requests(org string, held bool) (requests []store.LeaseRequest) {
	for _, name := range s.names {
		if held && store.RemovesByAge(name) {
			continue
		}
		if free := s.slots.available(name, org); free > 0 {
			requests = append(requests, store.LeaseRequest{Kind: name, Limit: free, Exclusive: s.kinds[name].admission != nil})
		}
	}
	return requests
}

// leaseJobs leases due jobs for all free slots and calls start for each. It returns their number.
func (s *Server) leaseJobs(ctx context.Context, scan *jobScan, start func(leasedJob)) (started int, err error) {
	s.registerJobs(ctx)
	s.countDueJobs(ctx)
	organizations, err := s.store.Jobs.DueOrganizations(ctx)
	if err != nil {
		return 0, err
	}
	begin := func(job leasedJob) {
		started++
		start(job)
	}
	busy := map[string]bool{} // persons whose permit is taken, by kind and id
	for _, org := range organizations {
		requests := scan.requests(org.ID, s.store.IsRemovalHeld())
		if len(requests) == 0 {
			continue
		}
		due, err := s.store.Jobs.Lease(ctx, org.ID, requests, s.lifecycle.JobLease())
		if err != nil {
			return started, err
		}
		for _, lease := range due.Leases {
			job := leasedJob{Lease: lease, kind: scan.kinds[lease.Kind]}
			scan.slots.acquire(job)
			begin(job)
		}
		for _, kind := range scan.names {
			err := s.leaseWaitingJobs(ctx, scan, busy, waitingJobs{org.ID, kind, due.WaitingJobs[kind]}, begin)
			if err != nil && !errors.Is(err, redis.ErrFull) { // if the store is too full for a permit, jobs that free memory continue
				return started, err
			}
		}
		if err := s.store.Jobs.SetNextDue(ctx, org, due.Next); err != nil {
			return started, err
		}
	}
	return started, nil
}

// waitingJobs holds the due jobs of a kind that runs once at a time in each organization.
type waitingJobs struct {
	org, kind string
	args      []string
}

// leaseWaitingJobs starts the first of the waiting jobs that may start.
func (s *Server) leaseWaitingJobs(ctx context.Context, scan *jobScan, busy map[string]bool, w waitingJobs, start func(leasedJob)) error {
	kind := scan.kinds[w.kind]
	for page := range slices.Chunk(w.args, admissionBatch) {
		all, err := kind.admission(ctx, w.org, page)
		if err != nil {
			return err
		}
		for _, asked := range all {
			job := leasedJob{Lease: store.Lease{Organization: w.org, Kind: w.kind, Arg: asked.Arg}, kind: kind, slow: asked.SlowRun}
			if busy[w.kind+" "+asked.By] || !scan.slots.acquire(job) {
				continue
			}
			outcome, err := s.acquirePermits(ctx, &job, asked.By)
			if outcome == started {
				start(job)
				return nil
			}
			scan.slots.release(job)
			if err != nil || outcome == organizationBusy {
				return err
			}
			busy[w.kind+" "+asked.By] = outcome == personBusy
		}
	}
	return nil
}

// startResult is the result of an attempt to start a job.
type startResult int

const (
	notDue           startResult = iota // no longer due
	personBusy                          // another job of the person is running
	organizationBusy                    // another job of the organization is running
	started
)

// acquirePermits takes the permits of a job and its lease, or none of them.
func (s *Server) acquirePermits(ctx context.Context, job *leasedJob, person string) (result startResult, err error) {
	queue, length := s.store.Jobs, s.lifecycle.JobLease()
	defer func() {
		if result != started {
			s.releasePermits(context.WithoutCancel(ctx), *job)
		}
	}()
	take := func(turn store.Permit, ok bool, err error) bool {
		if ok && err == nil {
			job.permits = append(job.permits, turn)
		}
		return ok && err == nil
	}
	if person != "" {
		permit, ok, err := queue.AcquireUserPermit(ctx, person, job.Kind, length)
		if !take(permit, ok, err) {
			return personBusy, err
		}
	}
	permit, ok, err := queue.AcquireOrganizationPermit(ctx, job.Organization, job.Kind, length)
	if !take(permit, ok, err) {
		return organizationBusy, err
	}
	lease, ok, err := queue.LeaseOne(ctx, job.Organization, job.Kind, job.Arg, length)
	if err != nil || !ok {
		return notDue, err
	}
	job.Lease = lease
	return started, nil
}

// releasePermits releases the permits of a job. A permit that cannot be released expires.
func (s *Server) releasePermits(ctx context.Context, job leasedJob) {
	ctx, cancel := context.WithTimeout(ctx, postponeTimeout)
	defer cancel()
	for _, permit := range job.permits {
		if err := s.store.Jobs.ReleasePermit(ctx, permit); err != nil {
			s.log.Warn("a turn ends later", "job", job.Job(), "organization", job.Organization, "error", err)
		}
	}
}

// slotCounter counts the running jobs of a node.
type slotCounter struct {
	kinds map[string]jobKind

	mu      sync.Mutex
	running map[string]int // running jobs by kind, by kind and organization, and by kind if slow
}

// halfOf returns the share of slots that one organization, or all slow jobs, may use.
func halfOf(slots int) int { return max(slots/2, 1) }

// available returns the number of jobs of a kind that may start for an organization.
func (c *slotCounter) available(kind, org string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	slots := c.kinds[kind].slots
	return min(slots-c.running[kind], halfOf(slots)-c.running[kind+" "+org])
}

// acquire takes a slot for a job. It returns false if none is free.
func (c *slotCounter) acquire(job leasedJob) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	slots := job.kind.slots
	if c.running[job.Kind] >= slots || job.slow && c.running[job.Kind+" slow"] >= halfOf(slots) {
		return false
	}
	c.count(job, 1)
	return true
}

// release frees the slot of a job.
func (c *slotCounter) release(job leasedJob) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(job, -1)
}

func (c *slotCounter) count(job leasedJob, by int) {
	names := []string{job.Kind, job.Kind + " " + job.Organization}
	if job.slow {
		names = append(names, job.Kind+" slow")
	}
	for _, name := range names {
		if c.running[name] += by; c.running[name] == 0 {
			delete(c.running, name)
		}
	}
}
