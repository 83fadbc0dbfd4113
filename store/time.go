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

// timeAt is the time of the Redis that has a key. One trip, unless a time was told.
func (c *Conn) timeAt(ctx context.Context, key Key) (time.Time, error) {
	if c.told != nil {
		return c.told().UTC().Truncate(time.Millisecond), nil
	}
	millis, err := goredis.NewScript(timeSource).Run(ctx, c.client, []string{c.name(key)}).Int64()
	return time.UnixMilli(millis).UTC(), wrap(ctx, err)
}

// givenTime is the time that the scripts take in place of that of Redis; "" = none.
func (c *Conn) givenTime() string {
	if c.told == nil {
		return ""
	}
	return strconv.FormatInt(c.told().UnixMilli(), 10)
}

// moment is a point in the life of this process, by all that it can know of time.
type moment struct{ clock, told time.Time }

func (c *Conn) moment() moment {
	m := moment{clock: c.clock()}
	if c.told != nil {
		m.told = c.told()
	}
	return m
}

// since is how much time has passed, at most: by the clock, by what Go knows when
// the clock was changed, and by the time that was told.
func (c *Conn) since(then moment) time.Duration {
	now := c.moment()
	return max(now.clock.Sub(then.clock).Abs(), now.clock.Round(0).Sub(then.clock.Round(0)).Abs(), now.told.Sub(then.told).Abs())
}
