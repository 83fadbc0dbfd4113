package demo

import (
	"sync/atomic"
	"time"
)

// Clock is the time of a store and a server while the sample is made: its events are spread over three weeks, or every age
// in it would be "just now". When the sample is complete, it is the present. The zero value is ready to use. Now takes no
// lock: it is called while the access model is read.
type Clock struct {
	set atomic.Pointer[time.Time] // nil: the present
}

// Now returns the time of the sample, or else the present.
func (c *Clock) Now() time.Time {
	if t := c.set.Load(); t != nil {
		return *t
	}
	return time.Now()
}

// goTo sets the time, a second after the last one at least, so that later events have later times.
func (c *Clock) goTo(t time.Time) {
	for {
		last := c.set.Load()
		if last != nil && t.Before(last.Add(time.Second)) {
			t = last.Add(time.Second)
		}
		if c.set.CompareAndSwap(last, &t) {
			return
		}
	}
}

// release sets the time to the present.
func (c *Clock) release() { c.set.Store(nil) }
