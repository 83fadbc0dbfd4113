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
var oneSource string

//go:embed extend.lua
var extendSource string

// A job is `<kind>:<argument>` in an organization's order of due times. Any node
// leases what is due: the due time is put off by the length of the lease, so a
// job whose node died comes back by itself. The lease is a value in a HASH; the
// transaction that has the job's effect has it in its read set and takes the job
// out, so the effect comes once, however often the job was begun.
//
// Due times and leases are told and compared by the time of Redis, whatever the
// clock of a process says: a transaction says after how long a job
// is due, and the commit adds the time.

// Queue leases the jobs of organizations to this process. It is safe for
// concurrent use.
type Queue struct {
	store                            *txn.Store
	lease, one, extend, turn, settle *goredis.Script
	pages                            pages
}

// New returns a queue that works once it is bound to a store.
func New() *Queue {
	return &Queue{
		lease: goredis.NewScript(leaseSource), one: goredis.NewScript(oneSource), extend: goredis.NewScript(extendSource),
		turn: goredis.NewScript(turnSource), settle: goredis.NewScript(settleSource),
	}
}

// Scripts are those that the server of the store has to know.
func (q *Queue) Scripts() []*goredis.Script {
	return []*goredis.Script{q.lease, q.one, q.extend, q.turn, q.settle}
}

// Bind makes the queue that of a store, when it is opened.
func (q *Queue) Bind(s *txn.Store) { q.store = s }

// Lease is a job that this process may do now.
type Lease struct {
	Organization string
	Kind, Arg    string
	Attempt      int // from 1

	value string
}

// Job is the job's name.
func (l Lease) Job() string { return txn.JobName(l.Kind, l.Arg) }

// Hold makes the lease part of the read set. It is ErrLeaseLost if somebody else
// has the job by now, or nobody.
func (l Lease) Hold(tx *txn.Tx) error {
	value, _, err := tx.Field(txn.LeasesKey(l.Organization), l.Job())
	if err == nil && value != l.value {
		err = fmt.Errorf("%w: %s of %s", txn.ErrLeaseLost, l.Job(), l.Organization)
	}
	return err
}

// Finish takes a job out, in the transaction that has its effect.
func (l Lease) Finish(tx *txn.Tx) error {
	err := l.Hold(tx)
	if err == nil {
		tx.Unschedule(l.Organization, l.Job())
	}
	return err
}

// Delivered ends the job that empties the outbox, or puts it off if something
// came meanwhile.
func (l Lease) Delivered(tx *txn.Tx) error {
	org := l.Organization
	left, _, err := tx.Field(txn.OutboxKey(org), txn.OutboxBytes)
	if err != nil {
		return err
	}
	if left == "" || left == "0" {
		return l.Finish(tx)
	}
	if err := l.Hold(tx); err != nil {
		return err
	}
	tx.Schedule(org, l.Job(), txn.OutboxDelay)
	return nil
}

// Ask says how many jobs of a kind may be leased.
type Ask struct {
	Kind string
	Room int
	// Alone: one job of the kind is done at a time, by who has the organization's turn (TakeOf). None is leased; those
	// that are due are named, unless somebody has it.
	Alone bool
}

// maxWaiting is how many jobs that wait are named at most.
const maxWaiting = 1000

// Due is what leasing in one organization found.
type Due struct {
	Leases  []Lease
	Waiting map[string][]string // arguments of the jobs that LeaseOne may have, by kind, those that are due longest first
	Next    time.Time           // when something is due next; zero = never
}

// Lease leases the jobs of an organization that are due, as far as they are asked for.
func (q *Queue) Lease(ctx context.Context, org string, asks []Ask, length time.Duration) (Due, error) {
	argv := []any{q.store.FixedTime(), length.Milliseconds(), q.store.NextOp(), maxWaiting}
	for _, ask := range asks {
		if ask.Alone {
			argv = append(argv, ask.Kind, "alone")
		} else {
			argv = append(argv, ask.Kind, ask.Room)
		}
	}
	reply, err := q.run(ctx, q.lease, leaseSource, q.jobKeys(org), argv...).StringSlice()
	if err != nil {
		return Due{}, redis.Wrap(ctx, err)
	}
	if len(reply)%2 != 1 {
		return Due{}, redis.Corrupt("answer of the lease script: %q", reply)
	}
	found := Due{Waiting: map[string][]string{}}
	if reply[0] != "" {
		millis, err := strconv.ParseInt(reply[0], 10, 64)
		if err != nil {
			return Due{}, redis.Corrupt("due time %q", reply[0])
		}
		found.Next = time.UnixMilli(millis).UTC()
	}
	for i := 1; i < len(reply); i += 2 {
		kind, arg, _ := strings.Cut(reply[i], ":")
		if reply[i+1] == "" {
			found.Waiting[kind] = append(found.Waiting[kind], arg)
			continue
		}
		lease, err := leaseOf(org, kind, arg, reply[i+1])
		if err != nil {
			return Due{}, err
		}
		found.Leases = append(found.Leases, lease)
	}
	return found, nil
}

// LeaseOne leases one job. ok is false if it is not due: somebody has it by now, or it is gone.
func (q *Queue) LeaseOne(ctx context.Context, org, kind, arg string, length time.Duration) (lease Lease, ok bool, err error) {
	value, err := q.one.Run(ctx, q.store.Client, q.jobKeys(org), q.store.FixedTime(), length.Milliseconds(), q.store.NextOp(), txn.JobName(kind, arg)).Text()
	if err != nil || value == "" {
		return Lease{}, false, redis.Wrap(ctx, err)
	}
	lease, err = leaseOf(org, kind, arg, value)
	return lease, err == nil, err
}

func leaseOf(org, kind, arg, value string) (Lease, error) {
	begun, _, _ := strings.Cut(value, " ")
	attempt, err := strconv.Atoi(begun)
	if err != nil {
		return Lease{}, redis.Corrupt("lease %q", value)
	}
	return Lease{Organization: org, Kind: kind, Arg: arg, Attempt: attempt, value: value}, nil
}

// Renew makes a lease last until length from now, or fails with ErrLeaseLost.
func (q *Queue) Renew(ctx context.Context, lease Lease, length time.Duration) error {
	held, err := q.run(ctx, q.extend, extendSource, q.jobKeys(lease.Organization), q.store.FixedTime(), length.Milliseconds(), lease.Job(), lease.value).Bool()
	if err != nil {
		return redis.Wrap(ctx, err)
	}
	if !held {
		return fmt.Errorf("%w: %s of %s", txn.ErrLeaseLost, lease.Job(), lease.Organization)
	}
	return nil
}

// Postpone gives a job back, to be done later.
func (q *Queue) Postpone(ctx context.Context, lease Lease, delay time.Duration) error {
	if err := q.Renew(ctx, lease, delay); err != nil {
		return err
	}
	due := txn.DueRegistration(lease.Organization)
	err := q.store.Register(ctx, due)
	if errors.Is(err, redis.ErrFull) {
		script := goredis.NewScript(redis.TimeOrArgSource)
		err = redis.Wrap(ctx, q.run(ctx, script, redis.TimeOrArgSource, []string{q.store.Name(due.Index)}, q.store.FixedTime(), due.Member).Err())
	}
	return err
}

// run runs a script, also where the store is full: a purge makes room, and is a job.
func (q *Queue) run(ctx context.Context, script *goredis.Script, source string, keys []string, args ...any) *goredis.Cmd {
	ctx = redis.Freeing(ctx)
	return q.store.RunWhenFull(ctx, script.Run(ctx, q.store.Client, keys, args...), source, keys, args)
}

// jobKeys are the keys of the scripts.
func (q *Queue) jobKeys(org string) []string {
	return []string{q.store.Name(txn.DueKey(org)), q.store.Name(txn.LeasesKey(org)), q.store.Name(OrganizationTurnsKey(org))}
}
