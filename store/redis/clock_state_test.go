package redis

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const (
	testMinute = time.Minute
	testDay    = 24 * time.Hour
)

// clockStep is a reading after d have passed by the monotonic clock, during which the other clocks were also set by
// the given times.
type clockStep struct {
	passed, redis, wall time.Duration
	holds               string // "clock reason" of each, "" = removal is allowed
}

// TestClockStateHoldsRemovals checks which changes of the clocks hold removals, and until when.
func TestClockStateHoldsRemovals(t *testing.T) {
	t.Parallel()
	const round = ClockInterval
	for name, steps := range map[string][]clockStep{
		"clocks that agree":         {{round, 0, 0, ""}, {30 * testDay, 0, 0, ""}, {0, 0, 0, ""}},
		"differ by a minute":        {{round, testMinute, 0, ""}, {round, 1, 0, "redis difference"}, {round, -1, 0, ""}},
		"differ the other way":      {{round, 0, 2 * testMinute, "redis difference"}, {round, 0, -2 * testMinute, ""}},
		"both move by five minutes": {{round, 5 * testMinute, 5 * testMinute, ""}, {round, -5 * testMinute, -5 * testMinute, ""}},
		"both move by more, back": {
			{round, 6 * testMinute, 6 * testMinute, "redis jump, node jump"},
			{round, -6 * testMinute, -6 * testMinute, ""},
		},
		"both move to the past": {
			{round, -testDay, -testDay, "redis jump, node jump"},
			{testDay - 1, 0, 0, "redis jump, node jump"},
			{1, 0, 0, ""},
		},
		"both are accepted in a day": {{round, 30 * testDay, 30 * testDay, "redis jump, node jump"}, {testDay, 0, 0, ""}},
		"a suspended machine": {
			{0, 3 * testDay, 3 * testDay, "redis jump, node jump"},
			{testDay - 1, 0, 0, "redis jump, node jump"},
			{1, 0, 0, ""},
		},
		"Redis alone, back": {
			{round, 30 * testDay, 0, "redis difference, redis jump"}, {2 * testDay, 0, 0, "redis difference"},
			{round, -30 * testDay, 0, "redis jump"},
			{testDay, 0, 0, ""},
		},
		"Redis alone, soon back": {{round, 30 * testDay, 0, "redis difference, redis jump"}, {round, -30 * testDay, 0, ""}},
		"a second jump starts the day again": {
			{round, time.Hour, time.Hour, "redis jump, node jump"}, {testDay - 1, time.Hour, time.Hour, "redis jump, node jump"},
			{testDay - 1, 0, 0, "redis jump, node jump"}, {1, 0, 0, ""},
		},
		"steps of an hour": {
			{round, time.Hour, 0, "redis difference, redis jump"}, {round, time.Hour, 0, "redis difference, redis jump"},
			{round, time.Hour, 0, "redis difference, redis jump"}, {round, -3 * time.Hour, 0, ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clockReading{redis: time.Unix(1e9, 0), wall: time.Unix(1e9, 0)}
			state := startClocks(now, time.Time{}, clockHoldTime)
			for i, step := range steps {
				now.redis, now.wall = now.redis.Add(step.passed+step.redis), now.wall.Add(step.passed+step.wall)
				now.monotonic += step.passed
				state = state.next(now)
				if got := holdWords(state.holds()); got != step.holds {
					t.Errorf("step %d: holds %q, want %q", i, got, step.holds)
				}
			}
		})
	}
}

// TestStartingNodeHoldsRemovals checks the time of Redis at the start of a node against the last comparison.
func TestStartingNodeHoldsRemovals(t *testing.T) {
	t.Parallel()
	last := time.Unix(1e9, 0)
	for name, c := range map[string]struct {
		round      time.Time
		at         time.Duration // after the last comparison
		left       time.Duration
		holds      string
		holdsAfter time.Duration // how long
	}{
		"no comparison yet":         {time.Time{}, 30 * testDay, testDay, "", 0},
		"within a day":              {last, testDay, testDay, "", 0},
		"a little before":           {last, -testMinute, testDay, "", 0},
		"before":                    {last, -time.Hour, testDay, "redis gap, node gap", testDay},
		"a stop of three days":      {last, 3 * testDay, testDay, "redis gap, node gap", testDay},
		"a part of the day is over": {last, 3 * testDay, time.Hour, "redis gap, node gap", time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := clockReading{redis: last.Add(c.at), wall: last.Add(c.at), monotonic: time.Hour}
			state := startClocks(now, c.round, c.left)
			if got := holdWords(state.holds()); got != c.holds {
				t.Fatalf("holds %q, want %q", got, c.holds)
			}
			for _, passed := range []time.Duration{c.holdsAfter - time.Second, time.Second} {
				now.redis, now.wall, now.monotonic = now.redis.Add(passed), now.wall.Add(passed), now.monotonic+passed
				state = state.next(now)
				want := ""
				if now.monotonic < time.Hour+c.holdsAfter {
					want = c.holds
				}
				if got := holdWords(state.holds()); got != want {
					t.Errorf("after %s: holds %q, want %q", now.monotonic-time.Hour, got, want)
				}
			}
		})
	}
}

func holdWords(holds []RemovalHold) string {
	var words []string
	for _, h := range holds {
		words = append(words, h.Clock+" "+string(h.Reason))
	}
	return strings.Join(words, ", ")
}

// TestRemovalHoldIsDescribed checks the text of each reason.
func TestRemovalHoldIsDescribed(t *testing.T) {
	t.Parallel()
	const days = 30 * testDay
	for want, h := range map[string]RemovalHold{
		"the clock of Redis is 720h0m0s ahead of the clock of the node, until they agree": {
			Reason: HoldDifference, Clock: clockOfRedis, Offset: days.Milliseconds(),
		},
		"the clock of the node jumped 720h0m0s back, until it is back or 1h0m0s have passed": {
			Reason: HoldJump, Clock: clockOfNode, Offset: -days.Milliseconds(), Left: time.Hour.Milliseconds(),
		},
		"the clock of Redis is 720h0m0s behind what is expected after the last time before the start, until it is back or 24h0m0s have passed": {
			Reason: HoldGap, Clock: clockOfRedis, Offset: -days.Milliseconds(), Left: testDay.Milliseconds(),
		},
	} {
		if got := fmt.Sprint(h); got != want {
			t.Errorf("%+v is described as\n%s\nwant\n%s", h, got, want)
		}
	}
}
