package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// The registry lists the organizations with jobs that may be due. A transaction that schedules a job writes the
// current time there before the commit. A node that finds no due job writes the next due time, but only over a time
// that is unchanged and older than any commit in progress. So no job is lost, and an organization without jobs costs
// nothing.

// duePageSize is the number of organizations read at once from each part of the registry.
const duePageSize = 100

// DueOrganization is an organization with jobs that may be due.
type DueOrganization struct {
	ID     string
	since  float64
	readAt time.Time // time of the read
}

// DueOrganizations returns organizations with jobs that may be due, longest waiting first, in two trips.
func (q *Queue) DueOrganizations(ctx context.Context) ([]DueOrganization, error) {
	now, err := q.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	pipe := q.store.Client.Pipeline()
	replies := make([]*goredis.ZSliceCmd, txn.RegistryParts)
	for part := range replies {
		replies[part] = pipe.ZRangeByScoreWithScores(ctx, q.store.Name(txn.DueRegistryPart(part)), &goredis.ZRangeBy{
			Min: "-inf", Max: strconv.FormatInt(now.UnixMilli(), 10), Offset: q.pages.begin(part), Count: duePageSize,
		})
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var due []DueOrganization
	for part, reply := range replies {
		for _, member := range reply.Val() {
			due = append(due, DueOrganization{ID: member.Member.(string), since: member.Score, readAt: now})
		}
		q.pages.end(part, len(reply.Val()))
	}
	slices.SortStableFunc(due, func(a, b DueOrganization) int { return cmp.Compare(a.since, b.since) })
	return due, nil
}

// pageStarts is the start of the next page in each part of the registry. If a page is full of organizations whose jobs
// wait, the next call continues after it.
type pageStarts struct {
	mu     sync.Mutex
	starts [txn.RegistryParts]int64
}

func (p *pageStarts) begin(part int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts[part]
}

func (p *pageStarts) end(part, count int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.starts[part] += int64(count); count < duePageSize {
		p.starts[part] = 0
	}
}

// SetNextDue records the time at which the next job of an organization is due. It changes nothing while a due job is waiting.
func (q *Queue) SetNextDue(ctx context.Context, org DueOrganization, next time.Time) error {
	if org.readAt.Sub(time.UnixMilli(int64(org.since))) < txn.DueGrace || !next.IsZero() && !next.After(org.readAt) {
		return nil
	}
	score := ""
	if !next.IsZero() {
		score = strconv.FormatInt(next.UnixMilli(), 10)
	}
	since := strconv.FormatInt(int64(org.since), 10)
	return redis.Wrap(ctx, q.runScript(ctx, q.setDueScript, setDueSource, []string{q.store.Name(txn.DueRegistryKey(org.ID))}, org.ID, since,
		score).Err())
}

// setDueSource is a compare-and-set of a score; an empty new score removes the member.
const setDueSource = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '') ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`

// RestoreRegistrations registers those of the given organizations whose jobs would be found too late. Commits do not wait
// for the replicas of the registry, so a failover may lose a registration or an earlier due time. It returns the
// number of missing registrations.
func (q *Queue) RestoreRegistrations(ctx context.Context, organizations []string) (missing int, err error) {
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		lost, err := q.missingRegistrations(ctx, page)
		if err != nil {
			return missing, err
		}
		if err := q.store.AddToSuperset(ctx, lost...); err != nil {
			return missing, err
		}
		missing += len(lost)
	}
	return missing, nil
}

// RegisteredInTime reports whether an organization registered with the time looked is read in time: looked is not later than
// first, the organization's first due time, or not later than now.
func RegisteredInTime(looked, first, now time.Time) bool {
	return !looked.After(first) || !looked.After(now)
}

// missingRegistrations returns the registrations of those organizations whose jobs are not in the registry, or are there with
// too late a time.
func (q *Queue) missingRegistrations(ctx context.Context, organizations []string) (lost []txn.SupersetMember, err error) {
	now, err := q.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	pipe := q.store.Client.Pipeline()
	jobs, known := make([]*goredis.ZSliceCmd, len(organizations)), make([]*goredis.FloatCmd, len(organizations))
	for i, org := range organizations {
		jobs[i] = pipe.ZRangeWithScores(ctx, q.store.Name(txn.DueKey(org)), 0, 0)
		known[i] = pipe.ZScore(ctx, q.store.Name(txn.DueRegistryKey(org)), org)
	}
	if err := redis.Execute(ctx, "registry", pipe); err != nil {
		return nil, err
	}
	for i, org := range organizations {
		first := jobs[i].Val()
		if len(first) == 0 {
			continue
		}
		absent := errors.Is(known[i].Err(), goredis.Nil)
		if absent || !RegisteredInTime(time.UnixMilli(int64(known[i].Val())), time.UnixMilli(int64(first[0].Score)), now) {
			lost = append(lost, txn.DueRegistration(org))
		}
	}
	return lost, nil
}

// AdvanceJobs makes jobs due at length from now whose due time is later than it can be: later than the longest delay of
// their kind. Such times remain after the clock of Redis was ahead and is set back. Kinds without a longest delay are left out.
// length is that of a lease: a node that runs such a job renews its lease earlier. It returns the number of jobs.
func (q *Queue) AdvanceJobs(ctx context.Context, organizations []string, longest map[string]time.Duration, length time.Duration) (
	late int, err error,
) {
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		n, err := q.advancePage(ctx, page, longest, length)
		late += n
		if err != nil {
			return late, err
		}
	}
	return late, nil
}

// advancePage is AdvanceJobs for few organizations.
func (q *Queue) advancePage(ctx context.Context, organizations []string, longest map[string]time.Duration, length time.Duration) (
	late int, err error,
) {
	now, err := q.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return 0, err
	}
	shortest := time.Duration(math.MaxInt64) // of the longest delays
	for _, delay := range longest {
		if delay > 0 {
			shortest = min(shortest, delay)
		}
	}
	pipe := q.store.Client.Pipeline()
	jobs := make([]*goredis.ZSliceCmd, len(organizations))
	for i, org := range organizations {
		jobs[i] = pipe.ZRangeByScoreWithScores(ctx, q.store.Name(txn.DueKey(org)), &goredis.ZRangeBy{
			Min: "(" + strconv.FormatInt(now.Add(shortest).UnixMilli(), 10), Max: "+inf",
		})
	}
	if err := redis.Execute(ctx, "due.read", pipe); err != nil {
		return 0, err
	}
	score := strconv.FormatInt(now.Add(length).UnixMilli(), 10)
	for i, org := range organizations {
		var tooLate []any
		for _, job := range jobs[i].Val() {
			name := job.Member.(string)
			kind, _, _ := strings.Cut(name, ":")
			if delay := longest[kind]; delay > 0 && time.UnixMilli(int64(job.Score)).After(now.Add(delay)) {
				tooLate = append(tooLate, name)
			}
		}
		for some := range slices.Chunk(tooLate, txn.ChunkFields) {
			due := []string{q.store.Name(txn.DueKey(org))}
			n, err := q.runScript(ctx, q.advanceScript, advanceSource, due, append([]any{score}, some...)...).Int()
			if err != nil {
				return late, redis.Wrap(ctx, err)
			}
			late += n
		}
	}
	return late, nil
}

// advanceSource lowers the due times of jobs that are still there. It returns their number.
const advanceSource = `
local late = 0
for i = 2, #ARGV do
  late = late + redis.call('ZADD', KEYS[1], 'XX', 'LT', 'CH', ARGV[1], ARGV[i])
end
return late`
