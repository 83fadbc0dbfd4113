package redis

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// ErrRemovalHeld is returned if nothing may be removed because of its age, since the time is not plausible. Nothing
// was changed.
var ErrRemovalHeld = errors.New("store: removal by age is on hold")

// HoldReason is the reason why nothing may be removed because of its age.
type HoldReason string

// Reasons of a RemovalHold.
const (
	HoldDifference HoldReason = "difference" // the clocks of Redis and of the node differ
	HoldJump       HoldReason = "jump"       // a clock was set while the node was running
	HoldGap        HoldReason = "gap"        // the clock of Redis was before or long after the last comparison when the node started
)

// Values of RemovalHold.Clock.
const (
	clockOfRedis = "redis"
	clockOfNode  = "node"
)

// RemovalHold is a reason why a node must not remove anything because of its age.
type RemovalHold struct {
	Host   string     `json:"host"`
	Reason HoldReason `json:"reason"`
	Clock  string     `json:"clock"`         // the clock that is not plausible
	Offset int64      `json:"offset"`        // milliseconds by which it is ahead; negative = behind
	Left   int64      `json:"left,omitzero"` // milliseconds until its time is accepted; not for HoldDifference
	At     int64      `json:"at"`            // Unix ms by the clock of Redis
}

// String describes the hold and says when it ends.
func (h RemovalHold) String() string {
	clock := "the clock of Redis"
	if h.Clock == clockOfNode {
		clock = "the clock of the node"
	}
	offset := time.Duration(h.Offset) * time.Millisecond
	if h.Reason == HoldDifference {
		return fmt.Sprintf("%s is %s the clock of the node, until they agree", clock, direction(offset, "ahead of", "behind"))
	}
	left := max(time.Duration(h.Left)*time.Millisecond, 0).Round(time.Second)
	if h.Reason == HoldGap {
		return fmt.Sprintf("%s is %s what is expected after the last time before the start, until it is back or %s have passed", clock,
			direction(offset, "ahead of", "behind"), left)
	}
	return fmt.Sprintf("%s jumped %s, until it is back or %s have passed", clock, direction(offset, "forward", "back"), left)
}

// direction formats a difference with a word for its sign.
func direction(d time.Duration, positive, negative string) string {
	if d < 0 {
		return (-d).Round(time.Second).String() + " " + negative
	}
	return d.Round(time.Second).String() + " " + positive
}

// describeHolds returns holds as one text.
func describeHolds(holds []RemovalHold) string {
	texts := make([]string, len(holds))
	for i, h := range holds {
		texts[i] = h.Host + ": " + h.String()
	}
	return strings.Join(texts, "; ")
}

// ClocksKey returns the key of the HASH of the clock comparisons of all nodes.
func ClocksKey() Key { return NamedKey(HashKind, "clocks") }

// Fields of ClocksKey.
const (
	roundField  = "round"  // Unix ms by the clock of Redis: last comparison of a node without holds
	resumeField = "resume" // changes when an operator ends all holds
	holdPrefix  = "hold:"  // and the name of a node: its holds, JSON
)

// clockGuard holds the clock state of a process. It is safe for concurrent use.
type clockGuard struct {
	mu      sync.Mutex
	started bool
	state   clockState
	resumed string        // value of resumeField when last read
	refused bool          // a removal was refused since the last comparison
	current []RemovalHold // result of the last comparison
}

// readClocks reads the three clocks.
func (c *Conn) readClocks(ctx context.Context) (clockReading, error) {
	now, err := c.KeyTime(ctx, ClocksKey())
	return c.clockReadingAt(now), err
}

func (c *Conn) clockReadingAt(redis time.Time) clockReading {
	return clockReading{redis: redis, wall: c.clock().Round(0), monotonic: c.monotonic()}
}

// CheckClocks compares the clock of Redis, the wall clock and the monotonic clock. A serving node calls it at
// ClockInterval: until the next call its result determines whether removals are held.
func (c *Conn) CheckClocks(ctx context.Context) error {
	ctx = WithFreeingSpace(ctx) // removals free space
	stored, err := c.Client.HGetAll(ctx, c.Name(ClocksKey())).Result()
	if err != nil {
		return Wrap(ctx, err)
	}
	now, err := c.readClocks(ctx)
	if err != nil {
		return err
	}
	before, holds := c.clocks.compare(now, stored)
	switch {
	case len(holds) > 0 && len(before) != len(holds):
		c.Logger.Warn("nothing is removed because of its age", "reason", describeHolds(holds))
	case len(holds) == 0 && len(before) > 0:
		c.Logger.Info("removal because of age goes on")
	}
	return c.storeRound(ctx, now, stored, holds)
}

// compare adds a reading to the state. It returns the holds before and after it.
func (g *clockGuard) compare(now clockReading, stored map[string]string) (before, after []RemovalHold) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !g.started:
		round, _ := strconv.ParseInt(stored[roundField], 10, 64) // 0 if absent
		var last time.Time
		if round > 0 {
			last = time.UnixMilli(round)
		}
		g.started, g.state = true, startClocks(now, last, remainingHold(now.redis, stored))
	case g.resumed != stored[resumeField]:
		g.state = clockState{last: now}
	default:
		g.state = g.state.next(now)
	}
	before, g.resumed, g.refused = g.current, stored[resumeField], false
	g.current = named(g.state.holds())
	return before, g.current
}

// named sets the host of holds.
func named(holds []RemovalHold) []RemovalHold {
	host, err := os.Hostname()
	if err != nil {
		host = "this node"
	}
	for i := range holds {
		holds[i].Host = host
	}
	return holds
}

// remainingHold returns how long a starting node holds an implausible time of Redis: for clockHoldTime in total, of
// which the stored holds of the time may have served a part.
func remainingHold(now time.Time, stored map[string]string) time.Duration {
	left := clockHoldTime
	for _, h := range storedHolds(stored) {
		since := now.Sub(time.UnixMilli(h.At))
		if h.Clock == clockOfRedis && h.Reason != HoldDifference && since > -maxClockDifference && since < maxClockGap {
			left = min(left, time.Duration(h.Left)*time.Millisecond)
		}
	}
	return left
}

// storedHolds returns the holds stored by nodes. Fields that cannot be decoded are ignored.
func storedHolds(stored map[string]string) (holds []RemovalHold) {
	for field, value := range stored {
		var of []RemovalHold
		if strings.HasPrefix(field, holdPrefix) && json.Unmarshal([]byte(value), &of) == nil {
			holds = append(holds, of...)
		}
	}
	slices.SortFunc(holds, func(a, b RemovalHold) int { return strings.Compare(a.Host+a.String(), b.Host+b.String()) })
	return holds
}

// storeRoundSource stores the holds of a node, or the time of a comparison without holds, and removes fields.
const storeRoundSource = `
if ARGV[3] == '' then
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
else
  redis.call('HSET', KEYS[1], 'round', ARGV[3])
  redis.call('HDEL', KEYS[1], ARGV[1])
end
for i = 4, #ARGV do
  redis.call('HDEL', KEYS[1], ARGV[i])
end
return 1`

// storeRound stores the result of a comparison and removes the holds of nodes that have ended long ago.
func (c *Conn) storeRound(ctx context.Context, now clockReading, stored map[string]string, holds []RemovalHold) error {
	args := []any{holdPrefix + c.node, "", strconv.FormatInt(now.redis.UnixMilli(), 10)}
	if len(holds) > 0 {
		value, err := json.Marshal(holds)
		if err != nil {
			return fmt.Errorf("removal holds: %w", err)
		}
		args[1], args[2] = value, ""
	}
	for field, value := range stored {
		old := storedHolds(map[string]string{field: value})
		if len(old) > 0 && now.redis.Sub(time.UnixMilli(old[0].At)).Abs() > maxClockGap {
			args = append(args, field)
		}
	}
	keys := []string{c.Name(ClocksKey())}
	FailBefore("clocks.write")
	err := c.RunWhenFull(ctx, goredis.NewScript(storeRoundSource).Run(ctx, c.Client, keys, args...), storeRoundSource, keys, args).Err()
	FailAfter("clocks.write")
	return Wrap(ctx, err)
}

// CheckRemoval returns an ErrRemovalHeld unless something may be removed because of its age at the time now of the
// Redis master that stores it, which was just read.
func (c *Conn) CheckRemoval(ctx context.Context, now time.Time) error {
	if !c.clocks.hasStarted() {
		if err := c.CheckClocks(ctx); err != nil {
			return err
		}
	}
	if holds := c.clocks.refuse(c.clockReadingAt(now)); len(holds) > 0 {
		return fmt.Errorf("%w: %s", ErrRemovalHeld, describeHolds(holds))
	}
	return nil
}

// ExpectedTime returns a clock that shows the time of Redis as of now and what has passed since by the monotonic clock;
// nil = this process has not compared its clocks.
func (c *Conn) ExpectedTime() Clock {
	c.clocks.mu.Lock()
	defer c.clocks.mu.Unlock()
	if !c.clocks.started {
		return nil
	}
	last := c.clocks.state.last
	return func() time.Time { return last.redis.Add(c.monotonic() - last.monotonic) }
}

func (g *clockGuard) hasStarted() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.started
}

// refuse returns the holds at a reading without adding it to the state: on a Cluster the masters have clocks of their
// own.
func (g *clockGuard) refuse(now clockReading) []RemovalHold {
	g.mu.Lock()
	defer g.mu.Unlock()
	holds := named(g.state.next(now).holds())
	g.refused = g.refused || len(holds) > 0
	return holds
}

// IsRemovalHeld reports whether the last comparison of the clocks, or a removal since, found a reason to hold removals.
// It does not access Redis.
func (c *Conn) IsRemovalHeld() bool {
	c.clocks.mu.Lock()
	defer c.clocks.mu.Unlock()
	return c.clocks.refused || len(c.clocks.current) > 0
}

// ownHolds returns the holds found by the last comparison of this process.
func (c *Conn) ownHolds() []RemovalHold {
	c.clocks.mu.Lock()
	defer c.clocks.mu.Unlock()
	return c.clocks.current
}

// RemovalHolds returns the holds of all serving nodes.
func (c *Conn) RemovalHolds(ctx context.Context) ([]RemovalHold, error) {
	stored, err := c.Client.HGetAll(ctx, c.Name(ClocksKey())).Result()
	if err != nil {
		return nil, Wrap(ctx, err)
	}
	now, err := c.KeyTime(ctx, ClocksKey())
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(storedHolds(stored), func(h RemovalHold) bool {
		return now.Sub(time.UnixMilli(h.At)).Abs() > NodeLease
	}), nil
}

// ResumeRemoval ends the holds of all nodes: they accept the present time with their next comparison. It returns an
// ErrRefused if the clocks of Redis and of this process differ, because nothing may be removed then.
func (c *Conn) ResumeRemoval(ctx context.Context) error {
	now, err := c.readClocks(ctx)
	if err != nil {
		return err
	}
	for _, h := range (clockState{last: now}).holds() {
		return fmt.Errorf("%w: %s; set the clocks first", ErrRefused, h)
	}
	err = c.Client.HSet(ctx, c.Name(ClocksKey()), resumeField, c.NextOp(), roundField, now.redis.UnixMilli()).Err()
	return Wrap(ctx, err)
}

// withHolds adds removal holds to the check of the clock.
func (h Health) withHolds(holds []RemovalHold) Health {
	if len(holds) == 0 {
		return h
	}
	check := warnCheck("clock", "nothing is removed because of its age: "+describeHolds(holds),
		"synchronize the clocks; wsd trash resume ends it if they are right")
	i := slices.IndexFunc(h, func(c Check) bool { return c.Name == check.Name })
	if i < 0 {
		return append(slices.Clone(h), check)
	}
	if h[i].Verdict == VerdictWarn {
		check.Message = h[i].Message + "; " + check.Message
	}
	h = slices.Clone(h)
	h[i] = check
	return h
}

// checkHolds adds the removal holds of all serving nodes to the check of the clock.
func (c *Conn) checkHolds(ctx context.Context, h Health) Health {
	holds, err := c.RemovalHolds(ctx)
	if err != nil {
		return h.with(warnCheck("clock", "removal holds: "+err.Error(), "allow HGETALL on all keys of the prefix"))
	}
	return h.withHolds(holds)
}
