package redis

import (
	"context"
	"strconv"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// There are two clocks. Times in records and expiry dates chosen by users use the clock of the process that writes or
// reads them. Due times of jobs, leases and permanent deletion use the time of the Redis master of the key: several
// processes must agree on them, and a jump of one clock must not affect them. If the clock of Redis is wrong, wsd
// doctor reports it (checkClock).

// timeSource returns the time in milliseconds; TimeOrArgSource scores a member with that time, or with a given one.
const (
	timeSource = `
local time = redis.call('TIME')
return string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))`
	TimeOrArgSource = `
local now = ARGV[1]
if now == '' then
  local time = redis.call('TIME')
  now = string.format('%d', time[1] * 1000 + math.floor(time[2] / 1000))
end
return redis.call('ZADD', KEYS[1], now, ARGV[2])`
)

// KeyTime returns the time of the Redis master of a key. It needs one trip unless Config.Time is set.
func (c *Conn) KeyTime(ctx context.Context, key Key) (time.Time, error) {
	if c.fixedTime != nil {
		return c.fixedTime().UTC().Truncate(time.Millisecond), nil
	}
	millis, err := goredis.NewScript(timeSource).Run(ctx, c.Client, []string{c.Name(key)}).Int64()
	return time.UnixMilli(millis).UTC(), Wrap(ctx, err)
}

// FixedTime returns the time that replaces the time of Redis in scripts; "" = none.
func (c *Conn) FixedTime() string {
	if c.fixedTime == nil {
		return ""
	}
	return strconv.FormatInt(c.fixedTime().UnixMilli(), 10)
}

// monotonicClock returns the monotonic clock of the process, or one derived from the clock of a test, which is then
// never set.
func monotonicClock(test Clock) func() time.Duration {
	if test == nil {
		start := time.Now()
		return func() time.Duration { return time.Since(start) }
	}
	start := test()
	return func() time.Duration { return test().Sub(start) }
}

// Moment is a point in the life of this process, read from the store's clock and, if it is set, from Config.Time.
type Moment struct{ clock, fixed time.Time }

// Moment returns the current moment.
func (c *Conn) Moment() Moment {
	m := Moment{clock: c.clock()}
	if c.fixedTime != nil {
		m.fixed = c.fixedTime()
	}
	return m
}

// Since returns the maximum time passed since a moment according to the store's clock, the monotonic clock and
// Config.Time.
func (c *Conn) Since(then Moment) time.Duration {
	now := c.Moment()
	return max(now.clock.Sub(then.clock).Abs(), now.clock.Round(0).Sub(then.clock.Round(0)).Abs(), now.fixed.Sub(then.fixed).Abs())
}
