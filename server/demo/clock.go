package demo

import (
	"sync"
	"time"
)

// Clock tells the time to a store and a server while the sample is made: what it holds happened over three weeks, or every
// age in it would be "just now". When the sample is whole it is any other clock. The zero value is ready to use.
type Clock struct {
	mu   sync.Mutex
	told time.Time // zero: the present
}

// Now returns the time of the sample, or else the present.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.told.IsZero() {
		return time.Now()
	}
	return c.told
}

// goTo sets the time, a second after the last one at least, so that what happens later is later.
func (c *Clock) goTo(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if next := c.told.Add(time.Second); t.Before(next) {
		t = next
	}
	c.told = t
}

// release lets the clock tell the present.
func (c *Clock) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told = time.Time{}
}
