package txn

import (
	"strconv"
	"sync"
	"time"

	"docspace.dev/wsd/store/redis"
)

// JobName joins a kind of jobs and what it is to be done to.
func JobName(kind, arg string) string { return kind + ":" + arg }

// Schedule makes a job due after a time. A job that is there already gets the new
// time, and whoever is at it will not finish it.
func (tx *Tx) Schedule(org, job string, after time.Duration) {
	if tx.due("J", org, job, after) {
		tx.DeleteField(LeasesKey(org), job)
		tx.before.supersets = append(tx.before.supersets, DueRegistration(org))
	}
}

// ScheduleOnce makes a job due after a time unless it is there already, begun or not:
// who is at it does not end before it has done what this transaction makes
// necessary, because it has that in its read set. This is cheap: there is a trip
// more only when this process has not registered the organization for a while.
func (tx *Tx) ScheduleOnce(org, job string, after time.Duration) {
	if tx.due("K", org, job, after) && tx.store.Since(tx.store.registered.at(org)) >= DueGrace/2 { // else it is there for as long again
		tx.before.supersets = append(tx.before.supersets, DueRegistration(org))
	}
}

// due writes when a job is due. ok is false if that is not for this transaction.
func (tx *Tx) due(opcode, org, job string, after time.Duration) (ok bool) {
	due := DueKey(org)
	ok = tx.Owns(due, redis.OrderKind) && tx.named(job)
	if ok {
		tx.write(opcode, due, job, tx.store.GivenTime(), strconv.FormatInt(max(after, 0).Milliseconds(), 10), job)
	}
	return ok
}

// Unschedule takes a job back. Whoever is at it will not finish it.
func (tx *Tx) Unschedule(org, job string) {
	tx.Remove(DueKey(org), job)
	tx.DeleteField(LeasesKey(org), job)
}

// DueGrace is longer than a commit takes from its first write to its last.
const DueGrace = time.Minute

// registered is when this process has last registered organizations with jobs.
type registered struct {
	mu    sync.Mutex
	times map[string]redis.Moment
}

// maxRegistered bounds it.
const maxRegistered = 10_000

func (r *registered) at(org string) redis.Moment {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.times[org]
}

// note remembers the registrations of jobs among others.
func (r *registered) note(members []Registration, now redis.Moment) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range members {
		if !m.now {
			continue
		}
		if r.times == nil || len(r.times) >= maxRegistered {
			r.times = map[string]redis.Moment{}
		}
		r.times[m.Member] = now
	}
}

// DueRegistration registers an organization with jobs, as from now.
func DueRegistration(org string) Registration {
	return Registration{Index: DueRegistryKey(org), Member: org, now: true}
}
