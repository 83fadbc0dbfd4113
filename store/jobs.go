package store

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

//go:embed lease.lua
var leaseSource string

//go:embed one.lua
var leaseOneSource string

//go:embed extend.lua
var extendSource string

// A job is `<kind>:<argument>` in an organization's order of due times. Any node leases due jobs: the due time is
// postponed by the length of the lease, so the job of a failed node becomes due again. The lease is a value in a
// HASH. The transaction with the effect of the job has the lease in its read set and removes the job, so the effect
// is applied once even if the job was started several times.
//
// Due times and leases use the time of Redis, independent of process clocks: a transaction passes a delay, and the
// commit adds it to the time.

// Queue leases the jobs of organizations to this process. It is safe for
// concurrent use.
type Queue struct {
	store                                                                                *txn.Store
	leaseScript, leaseOneScript, extendScript, permitScript, setDueScript, advanceScript *goredis.Script
	pages                                                                                pageStarts
}

// NewQueue returns a queue, which must be bound to a store before use.
func NewQueue() *Queue {
	return &Queue{
		leaseScript: goredis.NewScript(leaseSource), leaseOneScript: goredis.NewScript(leaseOneSource),
		extendScript: goredis.NewScript(extendSource),
		permitScript: goredis.NewScript(permitSource), setDueScript: goredis.NewScript(setDueSource),
		advanceScript: goredis.NewScript(advanceSource),
	}
}

// Scripts returns the scripts of the queue, to be loaded when the store is opened.
func (q *Queue) Scripts() []*goredis.Script {
	return []*goredis.Script{q.leaseScript, q.leaseOneScript, q.extendScript, q.permitScript, q.setDueScript, q.advanceScript}
}

// Bind sets the store of the queue.
func (q *Queue) Bind(s *txn.Store) { q.store = s }

// Lease is a job leased to this process.
type Lease struct {
	Organization string
	Kind, Arg    string
	Attempt      int // from 1
	Lost         int // earlier leases that ended because their node did not renew them

	value string
}

// Job returns the job's name.
func (l Lease) Job() string { return txn.JobName(l.Kind, l.Arg) }

// Require adds the lease to the read set. It returns ErrLeaseLost if the job was completed or leased again.
func (l Lease) Require(tx *txn.Tx) error {
	value, _, err := tx.Field(txn.LeasesKey(l.Organization), l.Job())
	if err == nil && value != l.value {
		err = fmt.Errorf("%w: %s of %s", txn.ErrLeaseLost, l.Job(), l.Organization)
	}
	return err
}

// Finish removes the job in the transaction with its effect.
func (l Lease) Finish(tx *txn.Tx) error {
	err := l.Require(tx)
	if err == nil {
		tx.Unschedule(l.Organization, l.Job())
	}
	return err
}

// Delivered completes the job that empties the outbox, or postpones it if the outbox is not empty.
func (l Lease) Delivered(tx *txn.Tx) error {
	org := l.Organization
	left, _, err := tx.Field(txn.OutboxKey(org), txn.OutboxBytes)
	if err != nil {
		return err
	}
	if left == "" || left == "0" {
		return l.Finish(tx)
	}
	if err := l.Require(tx); err != nil {
		return err
	}
	tx.Schedule(org, l.Job(), txn.OutboxDelay)
	return nil
}

// LeaseRequest limits the number of leased jobs of a kind.
type LeaseRequest struct {
	Kind  string
	Limit int
	// Exclusive makes jobs of the kind run one at a time with the organization's permit (AcquireOrganizationPermit). None is leased; due
	// ones are listed in LeaseResult.WaitingJobs unless the permit is taken.
	Exclusive bool
}

// maxWaitingJobs is the maximum length of LeaseResult.WaitingJobs.
const maxWaitingJobs = 1000

// LeaseResult is the result of leasing jobs in one organization.
type LeaseResult struct {
	Leases      []Lease
	WaitingJobs map[string][]string // arguments of the jobs for LeaseOne by kind, longest due first
	Next        time.Time           // next due time; zero = none
}

// Lease leases due jobs of an organization within the limits of asks.
func (q *Queue) Lease(ctx context.Context, org string, asks []LeaseRequest, length time.Duration) (LeaseResult, error) {
	argv := []any{q.store.FixedTime(), length.Milliseconds(), q.store.NextOp(), maxWaitingJobs}
	for _, ask := range asks {
		if ask.Exclusive {
			argv = append(argv, ask.Kind, "alone")
		} else {
			argv = append(argv, ask.Kind, ask.Limit)
		}
	}
	reply, err := q.runScript(ctx, q.leaseScript, leaseSource, q.jobKeys(org), argv...).StringSlice()
	if err != nil {
		return LeaseResult{}, redis.Wrap(ctx, err)
	}
	if len(reply)%2 != 1 {
		return LeaseResult{}, redis.Corrupt("answer of the lease script: %q", reply)
	}
	due := LeaseResult{WaitingJobs: map[string][]string{}}
	if reply[0] != "" {
		millis, err := strconv.ParseInt(reply[0], 10, 64)
		if err != nil {
			return LeaseResult{}, redis.Corrupt("due time %q", reply[0])
		}
		due.Next = time.UnixMilli(millis).UTC()
	}
	for i := 1; i < len(reply); i += 2 {
		kind, arg, _ := strings.Cut(reply[i], ":")
		if reply[i+1] == "" {
			due.WaitingJobs[kind] = append(due.WaitingJobs[kind], arg)
			continue
		}
		lease, err := parseLease(org, kind, arg, reply[i+1])
		if err != nil {
			return LeaseResult{}, err
		}
		due.Leases = append(due.Leases, lease)
	}
	return due, nil
}

// LeaseOne leases one job; ok is false if it is not due because it was leased or removed.
func (q *Queue) LeaseOne(ctx context.Context, org, kind, arg string, length time.Duration) (lease Lease, ok bool, err error) {
	value, err := q.leaseOneScript.Run(ctx, q.store.Client, q.jobKeys(org), q.store.FixedTime(), length.Milliseconds(), q.store.NextOp(),
		txn.JobName(kind, arg)).Text()
	if err != nil || value == "" {
		return Lease{}, false, redis.Wrap(ctx, err)
	}
	lease, err = parseLease(org, kind, arg, value)
	return lease, err == nil, err
}

func parseLease(org, kind, arg, value string) (Lease, error) {
	parts := strings.Split(value, " ")
	if len(parts) != 3 {
		return Lease{}, redis.Corrupt("lease %q", value)
	}
	attempt, err := strconv.Atoi(parts[0])
	lost, wrong := strconv.Atoi(parts[2])
	if err != nil || wrong != nil {
		return Lease{}, redis.Corrupt("lease %q", value)
	}
	return Lease{Organization: org, Kind: kind, Arg: arg, Attempt: attempt, Lost: lost, value: value}, nil
}

// Renew extends a lease to length from now. It returns ErrLeaseLost if the lease was lost.
func (q *Queue) Renew(ctx context.Context, lease Lease, length time.Duration) error {
	return q.extend(ctx, lease, length, lease.value)
}

// extend makes a leased job due again at length from now, and sets the value of its lease.
func (q *Queue) extend(ctx context.Context, lease Lease, length time.Duration, value string) error {
	extended, err := q.runScript(ctx, q.extendScript, extendSource, q.jobKeys(lease.Organization), q.store.FixedTime(),
		length.Milliseconds(), lease.Job(), lease.value, value).Bool()
	if err != nil {
		return redis.Wrap(ctx, err)
	}
	if !extended {
		return fmt.Errorf("%w: %s of %s", txn.ErrLeaseLost, lease.Job(), lease.Organization)
	}
	return nil
}

// releasedMark is appended to the lease of a job that its node has released: see lease.lua.
const releasedMark = " released"

// Postpone releases a lease and makes the job due after a delay.
func (q *Queue) Postpone(ctx context.Context, lease Lease, delay time.Duration) error {
	if err := q.extend(ctx, lease, delay, lease.value+releasedMark); err != nil {
		return err
	}
	due := txn.DueRegistration(lease.Organization)
	err := q.store.AddToSuperset(ctx, due)
	if errors.Is(err, redis.ErrFull) {
		script := goredis.NewScript(redis.TimeOrArgSource)
		err = redis.Wrap(ctx, q.runScript(ctx, script, redis.TimeOrArgSource, []string{q.store.Name(due.Index)}, q.store.FixedTime(),
			due.Member).Err())
	}
	return err
}

// runScript runs a script, even in a full store, because purges are jobs that free space.
func (q *Queue) runScript(ctx context.Context, script *goredis.Script, source string, keys []string, args ...any) *goredis.Cmd {
	ctx = redis.WithFreeingSpace(ctx)
	return q.store.RunWhenFull(ctx, script.Run(ctx, q.store.Client, keys, args...), source, keys, args)
}

// jobKeys returns the keys that the job scripts use: the due times, leases and permits of an organization.
func (q *Queue) jobKeys(org string) []string {
	return []string{q.store.Name(txn.DueKey(org)), q.store.Name(txn.LeasesKey(org)), q.store.Name(OrganizationPermitsKey(org))}
}
