package txn

import (
	"strconv"
	"sync"
	"time"

	"docspace.dev/wsd/store/redis"
)

// JobName returns the name of a job: its kind and its argument.
func JobName(kind, arg string) string { return kind + ":" + arg }

// Schedule makes a job due after a delay. If the job exists, its due time is replaced and a worker that is running it
// will not complete it.
func (tx *Tx) Schedule(org, job string, after time.Duration) {
	if tx.setDue("J", org, job, after) {
		tx.DeleteField(LeasesKey(org), job)
		tx.preparation.supersets = append(tx.preparation.supersets, DueRegistration(org))
	}
}

// ScheduleAt makes a job due at a time of Redis, which may have passed, like Schedule.
func (tx *Tx) ScheduleAt(org, job string, at time.Time) {
	due := DueKey(org)
	if tx.Owns(due, redis.OrderKind) && tx.requireMember(job) {
		tx.write("J", due, job, strconv.FormatInt(at.UnixMilli(), 10), "0", job)
		tx.DeleteField(LeasesKey(org), job)
		tx.preparation.supersets = append(tx.preparation.supersets, DueRegistration(org))
	}
}

// ScheduleOnce makes a job due after a delay unless it exists, leased or not. A worker that is running the job does
// not complete it before it has handled this transaction, because the job's inputs are in its read set. It costs a
// trip only if this process has not registered the organization recently.
func (tx *Tx) ScheduleOnce(org, job string, after time.Duration) {
	// otherwise the last registration is valid for at least another DueGrace/2
	if tx.setDue("K", org, job, after) && tx.store.Since(tx.store.registrations.last(org)) >= DueGrace/2 {
		tx.preparation.supersets = append(tx.preparation.supersets, DueRegistration(org))
	}
}

// setDue queues the write of a due time. ok is false if the transaction may not schedule jobs of the organization.
func (tx *Tx) setDue(opcode, org, job string, after time.Duration) (ok bool) {
	due := DueKey(org)
	ok = tx.Owns(due, redis.OrderKind) && tx.requireMember(job)
	if ok {
		tx.write(opcode, due, job, tx.store.FixedTime(), strconv.FormatInt(max(after, 0).Milliseconds(), 10), job)
	}
	return ok
}

// Unschedule removes a job. A worker that is running it will not complete it.
func (tx *Tx) Unschedule(org, job string) {
	tx.Remove(DueKey(org), job)
	tx.DeleteField(LeasesKey(org), job)
}

// DueGrace exceeds the duration of a commit from its first write to its last.
const DueGrace = time.Minute

// registrationTimes records when this process last registered organizations with jobs.
type registrationTimes struct {
	mu    sync.Mutex
	times map[string]redis.Moment
}

// maxRegistrations is the maximum number of organizations in registrationTimes.
const maxRegistrations = 10_000

func (r *registrationTimes) last(org string) redis.Moment {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.times[org]
}

// record records the registrations of jobs among members.
func (r *registrationTimes) record(members []SupersetMember, now redis.Moment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range members {
		if !m.scoreIsTime {
			continue
		}
		if r.times == nil || len(r.times) >= maxRegistrations {
			r.times = map[string]redis.Moment{}
		}
		r.times[m.Member] = now
	}
}

// DueRegistration returns the registration of an organization with jobs, scored with the current time.
func DueRegistration(org string) SupersetMember {
	return SupersetMember{Index: DueRegistryKey(org), Member: org, scoreIsTime: true}
}
