package demo

import (
	"sync/atomic"
	"time"
)

// Clock is the clock of the store and server while the sample is created, so that its events are spread over three
// weeks. After that it returns the present time. The zero value is ready to use. Now does not lock, because it is
// called while the access model is locked.
type Clock struct {
	fixed atomic.Pointer[time.Time] // nil for the present
}

// Now returns the time of the sample or, after release, the present time.
func (c *Clock) Now() time.Time {
	if t := c.fixed.Load(); t != nil {
		return *t
	}
	return time.Now()
}

// set sets the time to t, or to a second after the last time if that is later, so that later events have later times.
func (c *Clock) set(t time.Time) {
	for {
		last := c.fixed.Load()
		if last != nil && t.Before(last.Add(time.Second)) {
			t = last.Add(time.Second)
		}
		if c.fixed.CompareAndSwap(last, &t) {
			return
		}
	}
}

// reset makes the clock return the present time.
func (c *Clock) reset() { c.fixed.Store(nil) }
