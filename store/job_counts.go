package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// Maximum numbers of what CountDue reads. More due jobs are not counted.
const (
	maxCountedOrganizations = 200 // in each part of the registry
	maxCountedJobs          = 200 // of an organization
)

// DueJobs describes the due jobs of a kind, which no node runs yet.
type DueJobs struct {
	Count int
	Age   time.Duration // time for which the oldest has been due
}

// CountDue returns the due jobs of all organizations by kind. If there are very many, it counts some of them.
func (q *Queue) CountDue(ctx context.Context) (map[string]DueJobs, error) {
	now, err := q.store.KeyTime(ctx, txn.DueRegistryPart(0))
	if err != nil {
		return nil, err
	}
	until := strconv.FormatInt(now.UnixMilli(), 10)
	pipe := q.store.Client.Pipeline()
	parts := make([]*goredis.StringSliceCmd, txn.RegistryParts)
	for part := range parts {
		parts[part] = pipe.ZRangeByScore(ctx, q.store.Name(txn.DueRegistryPart(part)),
			&goredis.ZRangeBy{Min: "-inf", Max: until, Count: maxCountedOrganizations})
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, redis.Wrap(ctx, err)
	}
	var organizations []string
	for _, part := range parts {
		organizations = append(organizations, part.Val()...)
	}
	counted := map[string]DueJobs{}
	for page := range slices.Chunk(organizations, txn.ChunkFields) {
		pipe := q.store.Client.Pipeline()
		jobs := make([]*goredis.ZSliceCmd, len(page))
		for i, org := range page {
			jobs[i] = pipe.ZRangeByScoreWithScores(ctx, q.store.Name(txn.DueKey(org)),
				&goredis.ZRangeBy{Min: "-inf", Max: until, Count: maxCountedJobs})
		}
		if _, err := pipe.Exec(ctx); err != nil {
			return nil, redis.Wrap(ctx, err)
		}
		for _, reply := range jobs {
			addDue(counted, reply.Val(), now)
		}
	}
	return counted, nil
}

// addDue adds the due jobs of an organization to the counts by kind.
func addDue(counted map[string]DueJobs, jobs []goredis.Z, now time.Time) {
	for _, job := range jobs {
		name, _ := job.Member.(string) // it is one, as in each reply
		kind, _, _ := strings.Cut(name, ":")
		due := counted[kind]
		due.Count++
		due.Age = max(due.Age, now.Sub(time.UnixMilli(int64(job.Score))))
		counted[kind] = due
	}
}
