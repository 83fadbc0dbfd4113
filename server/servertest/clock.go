package servertest

import (
	"sync/atomic"
	"time"
)

// Clock is a clock that advances only when Advance is called.
type Clock struct{ ms atomic.Int64 }

// NewClock returns a clock that is set to the start of the current hour: close to the real time, because Redis expires keys by
// its own clock.
func NewClock() *Clock {
	c := &Clock{}
	c.ms.Store(time.Now().Truncate(time.Hour).UnixMilli())
	return c
}

// Now returns the current time of the clock in UTC.
func (c *Clock) Now() time.Time { return time.UnixMilli(c.ms.Load()).UTC() }

// Advance moves the clock forward by d.
func (c *Clock) Advance(d time.Duration) { c.ms.Add(d.Milliseconds()) }
