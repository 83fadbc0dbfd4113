package store

import (
	"context"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// There are two times. What people read in records, and what expires that they
// gave a date, goes by the clock of the process that writes or asks. When a job is
// due, for how long a lease holds and when something goes for good, on which
// several processes have to agree and which no jump of one clock may bring about
// early or put off, goes by the time of Redis: by that of the master that has the
// key. Where Redis itself is wrong, wsd doctor says so (checkClock).

// timeSource answers the time in milliseconds; nowSource makes it the score of a
// member, or the time that it is given.
const (
	timeSource = `
local time = redis.call('TIME')
return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))`
	nowSource = `
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
return redis.call('ZADD', KEYS[1], now, ARGV[2])`
)

// Time is the time of the Redis that has an organization: what decides when
// something goes for good. One trip.
func (s *Store) Time(ctx context.Context, org string) (time.Time, error) {
	return s.timeAt(ctx, DueKey(org))
}

// Time is the time of the Redis that has the shard (see Store.Time): that of the
// transaction's deadlines. One trip.
func (tx *Tx) Time() (now time.Time, err error) {
	if tx.told.IsZero() {
		tx.told, err = tx.store.timeAt(tx.ctx, tx.shard.key(OrderKind, "due"))
	}
	return tx.told, err
}

func (s *Store) timeAt(ctx context.Context, key Key) (time.Time, error) {
	if s.told != nil {
		return s.told().UTC().Truncate(time.Millisecond), nil
	}
	millis, err := goredis.NewScript(timeSource).Run(ctx, s.client, []string{s.name(key)}).Int64()
	return time.UnixMilli(millis).UTC(), wrap(ctx, err)
}

// givenTime is the time that the scripts take in place of that of Redis; "" = none.
func (s *Store) givenTime() string {
	if s.told == nil {
		return ""
	}
	return strconv.FormatInt(s.told().UnixMilli(), 10)
}

// moment is a point in the life of this process, by all that it can know of time.
type moment struct{ clock, told time.Time }

func (s *Store) moment() moment {
	m := moment{clock: s.clock()}
	if s.told != nil {
		m.told = s.told()
	}
	return m
}

// since is how much time has passed, at most: by the clock, by what Go knows when
// the clock was changed, and by the time that was told.
func (s *Store) since(then moment) time.Duration {
	now := s.moment()
	return max(now.clock.Sub(then.clock).Abs(), now.clock.Round(0).Sub(then.clock.Round(0)).Abs(), now.told.Sub(then.told).Abs())
}
