package redis

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
	NowSource = `
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
return redis.call('ZADD', KEYS[1], now, ARGV[2])`
)

// TimeAt is the time of the Redis that has a key. One trip, unless a time was told.
func (c *Conn) TimeAt(ctx context.Context, key Key) (time.Time, error) {
	if c.told != nil {
		return c.told().UTC().Truncate(time.Millisecond), nil
	}
	millis, err := goredis.NewScript(timeSource).Run(ctx, c.Client, []string{c.Name(key)}).Int64()
	return time.UnixMilli(millis).UTC(), Wrap(ctx, err)
}

// GivenTime is the time that the scripts take in place of that of Redis; "" = none.
func (c *Conn) GivenTime() string {
	if c.told == nil {
		return ""
	}
	return strconv.FormatInt(c.told().UnixMilli(), 10)
}

// Moment is a point in the life of this process, by all that it can know of time.
type Moment struct{ clock, told time.Time }

// Moment is now, by all that this process can know of time.
func (c *Conn) Moment() Moment {
	m := Moment{clock: c.clock()}
	if c.told != nil {
		m.told = c.told()
	}
	return m
}

// Since is how much time has passed, at most: by the clock, by what Go knows when
// the clock was changed, and by the time that was told.
func (c *Conn) Since(then Moment) time.Duration {
	now := c.Moment()
	return max(now.clock.Sub(then.clock).Abs(), now.clock.Round(0).Sub(then.clock.Round(0)).Abs(), now.told.Sub(then.told).Abs())
}
