package redis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Condition is how the store is, as it was seen last.
type Condition struct {
	Health Health
	Reads  bool // whether it answers reads
}

// Condition is what the last look found. It asks nobody.
func (c *Conn) Condition() Condition {
	if seen := c.condition.Load(); seen != nil {
		return *seen
	}
	return Condition{}
}

// note keeps what a look found, and says what has changed.
func (c *Conn) note(health Health, reads bool) {
	before := c.condition.Swap(&Condition{health, reads})
	if before == nil || slices.Equal(before.Health.Reasons(), health.Reasons()) {
		return
	}
	if len(health.Reasons()) == 0 {
		c.Logger.Info("the store is healthy again")
		return
	}
	var said []string
	for _, check := range health {
		if check.Verdict == health.Verdict() {
			said = append(said, check.Name+": "+check.Message)
		}
	}
	c.Logger.Warn("the store is not healthy", "verdict", health.Verdict(), "checks", strings.Join(said, "; "))
}

const (
	lookTime     = 2 * time.Second  // that one question of a look may take
	canaryLonger = 30 * time.Second // between two canaries, at most
)

// watch looks after the store: a canary writes, and now and then everything is
// examined.
type watch struct {
	conn            *Conn
	every, examined time.Duration

	sing, examine time.Time     // when next
	pause         time.Duration // of a canary that Redis ended on
	write, rest   Health        // what was found last
}

// Watch looks after the store until the context ends: with a write as often as the
// first, and at everything as often as the second. Who serves calls it.
func (c *Conn) Watch(ctx context.Context, canary, examination time.Duration) {
	w := &watch{conn: c, every: canary, examined: examination}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		w.round(ctx, time.Now())
		timer.Reset(canary)
	}
}

// Look looks at everything once, as Watch does.
func (c *Conn) Look(ctx context.Context) Condition {
	(&watch{conn: c}).round(ctx, time.Now())
	return c.Condition()
}

// round reads, writes where that is due, and examines where that is due or
// something has changed.
func (w *watch) round(ctx context.Context, now time.Time) {
	if err := w.conn.reads(ctx); err != nil {
		if ctx.Err() == nil {
			w.conn.note(Health{failed("connection", err, "")}, false)
		}
		w.examine = time.Time{} // it may be another one when it is back
		return
	}
	before := w.write.Verdict()
	if !now.Before(w.sing) {
		w.write = w.canary(ctx, now)
	}
	if !now.Before(w.examine) || w.write.Verdict() != before {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		w.rest = w.conn.examine(ctx)
		cancel()
		w.examine = now.Add(w.examined)
	}
	if ctx.Err() == nil {
		w.conn.note(w.rest.with(w.write...), true)
	}
}

// canary writes, and decides when it does so again: a Redis that ended on a write
// may end on each.
func (w *watch) canary(ctx context.Context, now time.Time) Health {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	err := w.conn.probe(ctx)
	w.sung(now, err)
	if w.conn.gate != nil && w.conn.gate.taken.Load() { // which is said by itself
		return nil
	}
	if err != nil {
		return Health{failed("write", err, "")}
	}
	return Health{ok("write", "works")}
}

// sung sets when the canary writes again.
func (w *watch) sung(now time.Time, err error) {
	broke := err != nil && !isReply(err) && !neverSent(err) && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled)
	if broke {
		w.pause = min(2*max(w.pause, w.every), canaryLonger)
	} else {
		w.pause = w.every
	}
	w.sing = now.Add(w.pause)
}

// reads asks for something that is stored.
func (c *Conn) reads(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	return Wrap(ctx, c.Client.Exists(ctx, c.Name(SchemaKey())).Err())
}
