package remote

import "time"

// Polling intervals and limits.
const (
	requestInterval = 5 * time.Second  // interval for the displayed change request
	countsInterval  = 30 * time.Second // interval for the counts of the inbox
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
}

// due reports whether it is time for a request.
func (p *poll) due(now time.Time, focused bool) bool {
	return !p.busy && (p.lastResponse.IsZero() || !now.Before(p.lastResponse.Add(p.wait(focused))))
}

// wait returns the time between a response and the next request. It doubles with each failure and is longer without
// focus.
func (p *poll) wait(focused bool) time.Duration {
	wait := p.interval
	if !focused {
		wait *= unfocusedFactor
	}
	for range min(p.failures, 10) {
		wait = min(wait*2, max(maxInterval, wait))
	}
	return wait
}

// finish records a response or a failure.
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
type rateLimiter struct{ sent []time.Time }

// allows reports whether another request may be sent, and counts it if so.
func (p *rateLimiter) allows(now time.Time) bool {
	for len(p.sent) > 0 && !now.Before(p.sent[0].Add(time.Minute)) {
		p.sent = p.sent[1:]
	}
	if len(p.sent) >= maxPerMinute {
		return false
	}
	p.sent = append(p.sent, now)
	return true
}
