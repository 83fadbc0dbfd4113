package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
)

// Jobs that wait for others than wsd, as for an answer of the web, could keep everybody waiting who has some, too. Of
// such a kind one job at a time is done for an organization, and one for a person, on all nodes together; and at most
// half of a node's slots are for what was slow the last time. A job that may not begin gives its turn away to the next.

// jobAdmission tells of jobs of an organization for whom they are done, and whether they were slow the last time.
type jobAdmission func(ctx context.Context, org string, args []string) ([]store.Asked, error)

// askedPage is how many jobs that wait are looked at together.
const askedPage = 100

// heldJob is a job that this node is at.
type heldJob struct {
	store.Lease

	kind  jobKind
	turns []store.Turn
	slow  bool
}

// jobLook is what a node knows when it looks for jobs.
type jobLook struct {
	kinds map[string]jobKind
	names []string // of the kinds, in order
	slots jobSlotsInUse
}

func newJobLook(kinds map[string]jobKind) *jobLook {
	look := &jobLook{kinds: kinds, slots: jobSlotsInUse{kinds: kinds, used: map[string]int{}}}
	for name := range kinds {
		look.names = append(look.names, name)
	}
	slices.Sort(look.names)
	return look
}

// asks are the jobs of an organization that there is room for.
func (l *jobLook) asks(org string) (asks []store.Ask) {
	for _, name := range l.names {
		if room := l.slots.room(name, org); room > 0 {
			asks = append(asks, store.Ask{Kind: name, Room: room, Alone: l.kinds[name].asked != nil})
		}
	}
	return asks
}

// leaseJobs leases due jobs, as many as there is room for, and starts them. It returns how many.
func (s *Server) leaseJobs(ctx context.Context, look *jobLook, start func(heldJob)) (started int, err error) {
	s.registerJobs(ctx)
	organizations, err := s.store.Jobs.DueOrganizations(ctx)
	if err != nil {
		return 0, err
	}
	begin := func(job heldJob) {
		started++
		start(job)
	}
	busy := map[string]bool{} // those whose turn somebody has, by kind and id
	for _, org := range organizations {
		asks := look.asks(org.ID)
		if len(asks) == 0 {
			continue
		}
		due, err := s.store.Jobs.Lease(ctx, org.ID, asks, s.lifecycle.JobLease())
		if err != nil {
			return started, err
		}
		for _, lease := range due.Leases {
			job := heldJob{Lease: lease, kind: look.kinds[lease.Kind]}
			look.slots.take(job)
			begin(job)
		}
		for _, kind := range look.names {
			err := s.leaseWaiting(ctx, look, busy, waiting{org.ID, kind, due.Waiting[kind]}, begin)
			if err != nil && !errors.Is(err, redis.ErrFull) { // where there is no room for a turn, what makes room goes on
				return started, err
			}
		}
		if err := s.store.Jobs.Settle(ctx, org, due.Next); err != nil {
			return started, err
		}
	}
	return started, nil
}

// waiting are jobs of a kind of which an organization does one at a time.
type waiting struct {
	org, kind string
	args      []string
}

// leaseWaiting starts the first of some jobs that may begin.
func (s *Server) leaseWaiting(ctx context.Context, look *jobLook, busy map[string]bool, w waiting, start func(heldJob)) error {
	kind := look.kinds[w.kind]
	for page := range slices.Chunk(w.args, askedPage) {
		all, err := kind.asked(ctx, w.org, page)
		if err != nil {
			return err
		}
		for _, asked := range all {
			job := heldJob{Lease: store.Lease{Organization: w.org, Kind: w.kind, Arg: asked.Arg}, kind: kind, slow: asked.Slow}
			if busy[w.kind+" "+asked.By] || !look.slots.take(job) {
				continue
			}
			outcome, err := s.takeTurns(ctx, &job, asked.By)
			if outcome == begins {
				start(job)
				return nil
			}
			look.slots.release(job)
			if err != nil || outcome == organizationBusy {
				return err
			}
			busy[w.kind+" "+asked.By] = outcome == personBusy
		}
	}
	return nil
}

// outcome is what came of an attempt to begin a job.
type outcome int

const (
	gone             outcome = iota // it is not due any more
	personBusy                      // whoever asked for it waits for another one
	organizationBusy                // so does the organization
	begins
)

// takeTurns takes the turns of a job and its lease: all of them, or none.
func (s *Server) takeTurns(ctx context.Context, job *heldJob, person string) (came outcome, err error) {
	queue, length := s.store.Jobs, s.lifecycle.JobLease()
	defer func() {
		if came != begins {
			s.endTurns(context.WithoutCancel(ctx), *job)
		}
	}()
	take := func(turn store.Turn, ok bool, err error) bool {
		if ok && err == nil {
			job.turns = append(job.turns, turn)
		}
		return ok && err == nil
	}
	if person != "" {
		turn, ok, err := queue.TakeFor(ctx, person, job.Kind, length)
		if !take(turn, ok, err) {
			return personBusy, err
		}
	}
	turn, ok, err := queue.TakeOf(ctx, job.Organization, job.Kind, length)
	if !take(turn, ok, err) {
		return organizationBusy, err
	}
	lease, ok, err := queue.LeaseOne(ctx, job.Organization, job.Kind, job.Arg, length)
	if err != nil || !ok {
		return gone, err
	}
	job.Lease = lease
	return begins, nil
}

// endTurns gives the turns of a job back. Those that this fails for end by themselves.
func (s *Server) endTurns(ctx context.Context, job heldJob) {
	ctx, cancel := context.WithTimeout(ctx, postponeTimeout)
	defer cancel()
	for _, turn := range job.turns {
		if err := s.store.Jobs.EndTurn(ctx, turn); err != nil {
			s.log.Warn("a turn ends later", "job", job.Job(), "organization", job.Organization, "error", err)
		}
	}
}

// jobSlotsInUse counts the jobs that a node is at.
type jobSlotsInUse struct {
	kinds map[string]jobKind

	mu   sync.Mutex
	used map[string]int // by kind; of each organization; and what was slow the last time
}

// half of some slots is what one organization may have, and what was slow the last time.
func half(slots int) int { return max(slots/2, 1) }

// room is how many jobs of a kind may begin for an organization.
func (u *jobSlotsInUse) room(kind, org string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	slots := u.kinds[kind].slots
	return min(slots-u.used[kind], half(slots)-u.used[kind+" "+org])
}

// take counts a job that begins, if there is a slot for it.
func (u *jobSlotsInUse) take(job heldJob) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	slots := job.kind.slots
	if u.used[job.Kind] >= slots || job.slow && u.used[job.Kind+" slow"] >= half(slots) {
		return false
	}
	u.count(job, 1)
	return true
}

// release counts a job that has ended.
func (u *jobSlotsInUse) release(job heldJob) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.count(job, -1)
}

func (u *jobSlotsInUse) count(job heldJob, by int) {
	names := []string{job.Kind, job.Kind + " " + job.Organization}
	if job.slow {
		names = append(names, job.Kind+" slow")
	}
	for _, name := range names {
		if u.used[name] += by; u.used[name] == 0 {
			delete(u.used, name)
		}
	}
}
