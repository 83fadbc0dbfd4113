package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

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

// DueOrganizations finds organizations with jobs that may be due, in two trips:
// those that wait longest first.
func (q *Queue) DueOrganizations(ctx context.Context) ([]DueOrganization, error) {
	now, err := q.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	pipe := q.store.Client.Pipeline()
	replies := make([]*goredis.ZSliceCmd, txn.RegistryParts)
	for part := range replies {
		replies[part] = pipe.ZRangeByScoreWithScores(ctx, q.store.Name(txn.DueRegistryPart(part)), &goredis.ZRangeBy{
			Min: "-inf", Max: strconv.FormatInt(now.UnixMilli(), 10), Offset: q.pages.begin(part), Count: duePage,
		})
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var found []DueOrganization
	for part, reply := range replies {
		for _, member := range reply.Val() {
			found = append(found, DueOrganization{ID: member.Member.(string), since: member.Score, looked: now})
		}
		q.pages.end(part, len(reply.Val()))
	}
	slices.SortStableFunc(found, func(a, b DueOrganization) int { return cmp.Compare(a.since, b.since) })
	return found, nil
}

// pages is where the next look at each part of the registry begins: where one page is full of organizations whose jobs
// wait, those behind it get their turn with the next look.
type pages struct {
	mu     sync.Mutex
	starts [txn.RegistryParts]int64
}

func (p *pages) begin(part int) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts[part]
}

func (p *pages) end(part, found int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.starts[part] += int64(found); found < duePage {
		p.starts[part] = 0
	}
}

// Settle notes when an organization has something due next. While something is due and waits, it stays as it is.
func (q *Queue) Settle(ctx context.Context, org DueOrganization, next time.Time) error {
	if org.looked.Sub(time.UnixMilli(int64(org.since))) < txn.DueGrace || !next.IsZero() && !next.After(org.looked) {
		return nil
	}
	score := ""
	if !next.IsZero() {
		score = strconv.FormatInt(next.UnixMilli(), 10)
	}
	since := strconv.FormatInt(int64(org.since), 10)
	return redis.Wrap(ctx, q.run(ctx, q.settle, settleSource, []string{q.store.Name(txn.DueRegistryKey(org.ID))}, org.ID, since, score).Err())
}

// settleSource compares and sets a score; an empty one removes the member.
const settleSource = `
if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[1]) or '') ~= tonumber(ARGV[2]) then return 0 end
if ARGV[3] == '' then return redis.call('ZREM', KEYS[1], ARGV[1]) end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[1])
return 1`

// RegisterAgain has somebody look in time at those of some organizations that have jobs. Commits do not wait until the
// replicas of the registry hold what they write there, so a failover may lose it: the organization, or that something is
// due sooner than what was due first before. It returns how many it was that nobody would have looked at in time.
func (q *Queue) RegisterAgain(ctx context.Context, organizations []string) (missing int, err error) {
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		lost, err := q.unregistered(ctx, page)
		if err != nil {
			return missing, err
		}
		if err := q.store.Register(ctx, lost...); err != nil {
			return missing, err
		}
		missing += len(lost)
	}
	return missing, nil
}

// InTime reports whether the registry sends somebody to an organization in time: it is looked at by the time at which
// something is due first, or now.
func InTime(looked, first, now time.Time) bool { return !looked.After(first) || !looked.After(now) }

// unregistered finds the organizations that have jobs and that nobody looks at in time.
func (q *Queue) unregistered(ctx context.Context, organizations []string) (lost []txn.SupersetMember, err error) {
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
		if absent || !InTime(time.UnixMilli(int64(known[i].Val())), time.UnixMilli(int64(first[0].Score)), now) {
			lost = append(lost, txn.DueRegistration(org))
		}
	}
	return lost, nil
}
