package remote

import "time"

// Polling intervals and limits.
const (
	requestInterval = 5 * time.Second  // interval for the displayed change request
	countsInterval  = 30 * time.Second // interval for the counts of the inbox
	accessInterval  = 10 * time.Second // maximum interval without any response
	unfocusedFactor = 6                // factor while the terminal has no focus
	maxInterval     = 5 * time.Minute  // maximum after failures
	maxPerMinute    = 20               // maximum number of requests
)

// poll is the schedule of a repeated request.
type poll struct {
	interval     time.Duration
	lastResponse time.Time // time of the last response; zero before the first
	failures     int       // consecutive failures
	busy         bool      // a request is in progress
	stale        bool      // an event says that the response has changed
}

// isDue reports whether it is time for a request.
func (p *poll) isDue(now time.Time, focused bool) bool {
	return !p.busy && (p.lastResponse.IsZero() || !now.Before(p.lastResponse.Add(p.delay(focused))))
}

// delay returns the time between a response and the next request. It doubles with each failure and is longer without
// focus.
func (p *poll) delay(focused bool) time.Duration {
	wait := p.interval
	if !focused {
		wait *= unfocusedFactor
	}
	for range min(p.failures, 10) {
		wait = min(wait*2, max(maxInterval, wait))
	}
	return wait
}

// finish records the time of a response or a failure, and the number of consecutive failures.
func (p *poll) finish(now time.Time, failed bool) {
	p.lastResponse, p.busy = now, false
	if !failed {
		p.failures = 0
		return
	}
	p.failures++
}

// expedite makes the request due at the next tick.
func (p *poll) expedite() {
	if p.failures == 0 {
		p.lastResponse = time.Time{}
	}
}

// rateLimiter limits the rate of requests.
type rateLimiter struct{ sentTimes []time.Time }

// allow reports whether another request may be sent, and counts it if so.
func (p *rateLimiter) allow(now time.Time) bool {
	for len(p.sentTimes) > 0 && !now.Before(p.sentTimes[0].Add(time.Minute)) {
		p.sentTimes = p.sentTimes[1:]
	}
	if len(p.sentTimes) >= maxPerMinute {
		return false
	}
	p.sentTimes = append(p.sentTimes, now)
	return true
}
