package jobs

import (
	"context"
	_ "embed"
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
	store                 *txn.Store
	lease, extend, settle *goredis.Script
}

// New returns a queue that works once it is bound to a store.
func New() *Queue {
	return &Queue{lease: goredis.NewScript(leaseSource), extend: goredis.NewScript(extendSource), settle: newSettle()}
}

// Scripts are those that the server of the store has to know.
func (q *Queue) Scripts() []*goredis.Script { return []*goredis.Script{q.lease, q.extend, q.settle} }

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

// Due is what leasing in one organization found.
type Due struct {
	Leases []Lease
	Next   time.Time // when something is due next; zero = never
}

// Lease leases up to limit jobs of an organization that are due.
func (q *Queue) Lease(ctx context.Context, org string, limit int, length time.Duration) (Due, error) {
	reply, err := q.lease.Run(ctx, q.store.Client, q.jobKeys(org), q.store.GivenTime(), length.Milliseconds(), limit, q.store.NextOp()).StringSlice()
	if err != nil {
		return Due{}, redis.Wrap(ctx, err)
	}
	if len(reply)%2 != 1 {
		return Due{}, redis.Corrupt("answer of the lease script: %q", reply)
	}
	var found Due
	if reply[0] != "" {
		millis, err := strconv.ParseInt(reply[0], 10, 64)
		if err != nil {
			return Due{}, redis.Corrupt("due time %q", reply[0])
		}
		found.Next = time.UnixMilli(millis).UTC()
	}
	for i := 1; i < len(reply); i += 2 {
		kind, arg, _ := strings.Cut(reply[i], ":")
		begun, _, _ := strings.Cut(reply[i+1], " ")
		attempt, err := strconv.Atoi(begun)
		if err != nil {
			return Due{}, redis.Corrupt("lease %q", reply[i+1])
		}
		found.Leases = append(found.Leases, Lease{Organization: org, Kind: kind, Arg: arg, Attempt: attempt, value: reply[i+1]})
	}
	return found, nil
}

// Renew makes a lease last until length from now, or fails with ErrLeaseLost.
func (q *Queue) Renew(ctx context.Context, lease Lease, length time.Duration) error {
	held, err := q.extend.Run(ctx, q.store.Client, q.jobKeys(lease.Organization), q.store.GivenTime(), length.Milliseconds(), lease.Job(), lease.value).Bool()
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
	return q.store.Register(ctx, txn.DueRegistration(lease.Organization))
}

// jobKeys are the keys of the scripts.
func (q *Queue) jobKeys(org string) []string {
	return []string{q.store.Name(txn.DueKey(org)), q.store.Name(txn.LeasesKey(org))}
}

// The registry says which organizations have jobs that may be due. Whoever
// schedules a job writes the present time there before the commit; whoever finds
// nothing due writes the next due time, but only over a time that is older than
// any commit takes, and only if it is still there. So no job is forgotten, and an
// organization without jobs costs nothing.

// duePage is how many organizations of each part of the registry are looked at
// together.
const duePage = 100

// DueOrganization is an organization with jobs that may be due.
type DueOrganization struct {
	ID     string
	since  float64
	looked time.Time // when it was found
}

// DueOrganizations finds the organizations with jobs that may be due, in two
// trips.
func (q *Queue) DueOrganizations(ctx context.Context) ([]DueOrganization, error) {
	now, err := q.store.TimeAt(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	pipe := q.store.Client.Pipeline()
	replies := make([]*goredis.ZSliceCmd, txn.RegistryParts)
	by := goredis.ZRangeBy{Min: "-inf", Max: strconv.FormatInt(now.UnixMilli(), 10), Count: duePage}
	for part := range replies {
		replies[part] = pipe.ZRangeByScoreWithScores(ctx, q.store.Name(txn.DueRegistryPart(part)), &by)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var found []DueOrganization
	for _, reply := range replies {
		for _, member := range reply.Val() {
			found = append(found, DueOrganization{ID: member.Member.(string), since: member.Score, looked: now})
		}
	}
	return found, nil
}

// Settle notes when an organization has something due next.
func (q *Queue) Settle(ctx context.Context, org DueOrganization, next time.Time) error {
	if org.looked.Sub(time.UnixMilli(int64(org.since))) < txn.DueGrace {
		return nil
	}
	score := ""
	if !next.IsZero() {
		score = strconv.FormatInt(next.UnixMilli(), 10)
	}
	since := strconv.FormatInt(int64(org.since), 10)
	return redis.Wrap(ctx, q.settle.Run(ctx, q.store.Client, []string{q.store.Name(txn.DueRegistryKey(org.ID))}, org.ID, since, score).Err())
}

// newSettle compares and sets a score; an empty one removes the member.
func newSettle() *goredis.Script {
	return goredis.NewScript(`
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '') ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`)
}
