package redis

import "time"

// Removal because of age (see store.Tx.RemovalDelay) depends on the clock of Redis, which may be wrong. This file
// decides from three clocks whether the time is plausible; clocks.go reads them and stores the result.

const (
	// ClockInterval is the interval at which a serving node compares its clocks (see Conn.CheckClocks).
	ClockInterval = 10 * time.Second

	maxClockDifference = time.Minute     // between Redis and a node that may remove
	maxClockJump       = 5 * time.Minute // of a clock between two comparisons, apart from the time that has passed
	maxClockGap        = 24 * time.Hour  // between the last comparison of any node and the start of a node
	clockHoldTime      = 24 * time.Hour  // after which an implausible time is accepted
)

// clockReading is the time of the three clocks at one moment.
type clockReading struct {
	redis, wall time.Time
	monotonic   time.Duration // since an arbitrary moment
}

// clockState is the result of the comparisons of a node's clocks. The zero value is that of a node that has not compared them yet.
type clockState struct {
	last        clockReading
	redis, wall *clockHold // nil = the clock is plausible
}

// clockHold describes a clock whose time is not plausible. It is immutable.
type clockHold struct {
	reason    HoldReason
	low, high time.Time     // range of plausible times at since
	since     time.Duration // by the monotonic clock
	until     time.Duration // when the time is accepted
}

// startClocks returns the state of a starting node. round is the time of the last comparison that any node stored;
// zero = none. left is how long a time out of range is held.
func startClocks(now clockReading, round time.Time, left time.Duration) clockState {
	s := clockState{last: now}
	if round.IsZero() {
		return s
	}
	gap := &clockHold{
		reason: HoldGap, low: round.Add(-maxClockDifference), high: round.Add(maxClockGap), since: now.monotonic,
		until: now.monotonic + left,
	}
	if gap.distance(now.redis, now.monotonic) != 0 {
		s.redis = gap
	}
	if gap.distance(now.wall, now.monotonic) != 0 {
		s.wall = gap
	}
	return s
}

// next returns the state after a reading.
func (s clockState) next(now clockReading) clockState {
	passed := now.monotonic - s.last.monotonic
	s.redis = s.redis.next(s.last.redis, now.redis, passed, now.monotonic)
	s.wall = s.wall.next(s.last.wall, now.wall, passed, now.monotonic)
	s.last = now
	return s
}

// next returns the hold of a clock that was read before and is read now, or nil.
func (h *clockHold) next(before, now time.Time, passed, monotonic time.Duration) *clockHold {
	jumped := (now.Sub(before) - passed).Abs() > maxClockJump
	switch {
	case h != nil && h.distance(now, monotonic) == 0: // it is back
		return nil
	case jumped && h == nil:
		return &clockHold{
			reason: HoldJump, low: before.Add(-maxClockJump), high: before.Add(maxClockJump), since: monotonic - passed,
			until: monotonic + clockHoldTime,
		}
	case jumped:
		extended := *h
		extended.until = monotonic + clockHoldTime
		return &extended
	case h != nil && monotonic >= h.until:
		return nil
	}
	return h
}

// distance returns how far a time is from the plausible range: positive = ahead, negative = behind, 0 = within.
func (h *clockHold) distance(now time.Time, monotonic time.Duration) time.Duration {
	now = now.Add(h.since - monotonic)
	switch {
	case now.After(h.high):
		return now.Sub(h.high)
	case now.Before(h.low):
		return now.Sub(h.low)
	}
	return 0
}

// offset returns how far a time is from the expected one: for a jump from the time before it, otherwise from the range.
func (h *clockHold) offset(now time.Time, monotonic time.Duration) time.Duration {
	if h.reason == HoldJump {
		return now.Add(h.since - monotonic).Sub(h.low.Add(maxClockJump))
	}
	return h.distance(now, monotonic)
}

// holds returns why the node of the state must not remove anything because of its age; nil = it may.
func (s clockState) holds() (holds []RemovalHold) {
	at := s.last.redis.UnixMilli()
	if difference := s.last.redis.Sub(s.last.wall); difference.Abs() > maxClockDifference {
		holds = append(holds, RemovalHold{Reason: HoldDifference, Clock: clockOfRedis, Offset: difference.Milliseconds(), At: at})
	}
	add := func(clock string, h *clockHold, now time.Time) {
		if h != nil {
			holds = append(holds, RemovalHold{
				Reason: h.reason, Clock: clock, Offset: h.offset(now, s.last.monotonic).Milliseconds(),
				Left: (h.until - s.last.monotonic).Milliseconds(), At: at,
			})
		}
	}
	add(clockOfRedis, s.redis, s.last.redis)
	add(clockOfNode, s.wall, s.last.wall)
	return holds
}
