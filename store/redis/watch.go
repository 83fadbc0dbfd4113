package redis

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// Condition is the condition of the store when it was last checked.
type Condition struct {
	Health   Health
	Readable bool // whether it answers reads
}

// Condition returns the result of the last check without accessing Redis.
func (c *Conn) Condition() Condition {
	if seen := c.condition.Load(); seen != nil {
		return Condition{seen.Health.withHolds(c.ownHolds()), seen.Readable}
	}
	return Condition{}
}

// setCondition stores the result of a check and logs changes.
func (c *Conn) setCondition(health Health, reads bool) {
	before := c.condition.Swap(&Condition{health, reads})
	if before == nil || slices.Equal(before.Health.Reasons(), health.Reasons()) {
		return
	}
	if len(health.Reasons()) == 0 {
		c.Logger.Info("the store is healthy again")
		return
	}
	var messages []string
	for _, check := range health {
		if check.Verdict == health.Verdict() {
			messages = append(messages, check.Name+": "+check.Message)
		}
	}
	c.Logger.Warn("the store is not healthy", "verdict", health.Verdict(), "checks", strings.Join(messages, "; "))
}

const (
	checkTimeout   = 2 * time.Second  // time limit of one command of a check
	maxCanaryPause = 30 * time.Second // maximum canary interval
)

// watcher monitors the store with canary writes and periodic examinations.
type watcher struct {
	conn                            *Conn
	canaryInterval, examineInterval time.Duration

	nextCanary, nextExamine    time.Time     // next times
	pause                      time.Duration // canary backoff after Redis exited during a write
	writeHealth, generalHealth Health        // last results
}

// Watch monitors the store until the context ends, writing at the interval canary and examining everything at the
// interval examination. It is called by serving nodes.
func (c *Conn) Watch(ctx context.Context, canary, examination time.Duration) {
	w := &watcher{conn: c, canaryInterval: canary, examineInterval: examination}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		w.check(ctx, time.Now())
		timer.Reset(canary)
	}
}

// CheckNow checks reading and writing and examines everything once, and returns the new condition.
func (c *Conn) CheckNow(ctx context.Context) Condition {
	(&watcher{conn: c}).check(ctx, time.Now())
	return c.Condition()
}

// check reads, writes if due, and examines if due or after a change.
func (w *watcher) check(ctx context.Context, now time.Time) {
	if err := w.conn.checkRead(ctx); err != nil {
		if ctx.Err() == nil {
			w.conn.setCondition(Health{errorCheck("connection", err, "")}, false)
		}
		w.nextExamine = time.Time{} // another server may answer afterwards
		return
	}
	before := w.writeHealth.Verdict()
	if !now.Before(w.nextCanary) {
		w.writeHealth = w.runCanary(ctx, now)
	}
	if !now.Before(w.nextExamine) || w.writeHealth.Verdict() != before {
		ctx, cancel := context.WithTimeout(ctx, checkTimeout)
		w.generalHealth = w.conn.examine(ctx)
		cancel()
		w.nextExamine = now.Add(w.examineInterval)
	}
	if ctx.Err() == nil {
		w.conn.setCondition(w.generalHealth.with(w.writeHealth...), true)
	}
}

// runCanary makes a canary write, schedules the next one and returns its result, or nil if another process owns the data
// directory.
func (w *watcher) runCanary(ctx context.Context, now time.Time) Health {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	err := w.conn.probe(ctx)
	w.scheduleCanary(now, err)
	if w.conn.gate != nil && w.conn.gate.taken.Load() { // reported separately
		return nil
	}
	if err != nil {
		return Health{errorCheck("write", err, "")}
	}
	return Health{okCheck("write", "works")}
}

// scheduleCanary schedules the next canary write. The interval doubles while the connection breaks during the write, because a
// Redis that exited during a write may exit again.
func (w *watcher) scheduleCanary(now time.Time, err error) {
	broke := err != nil && !isReply(err) && !neverSent(err) && !errors.Is(err, context.DeadlineExceeded) &&
		!errors.Is(err, context.Canceled)
	if broke {
		w.pause = min(2*max(w.pause, w.canaryInterval), maxCanaryPause)
	} else {
		w.pause = w.canaryInterval
	}
	w.nextCanary = now.Add(w.pause)
}

// checkRead checks that Redis answers a read.
func (c *Conn) checkRead(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	return Wrap(ctx, c.Client.Exists(ctx, c.Name(SchemaKey())).Err())
}
