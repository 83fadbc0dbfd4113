package remote

import "time"

// The pace of a screen.
const (
	ofRequest = 5 * time.Second  // how often the change request that is shown is asked about
	ofCounts  = 30 * time.Second // how often the counts of the inbox are
	unfocused = 6                // so many times slower while nobody looks
	slowest   = 5 * time.Minute  // however often it failed
	perMinute = 20               // requests of a screen, at most
)

// poll is something that is asked again and again.
type poll struct {
	every    time.Duration
	last     time.Time // when the last answer came; zero before the first
	failures int       // in a row
	busy     bool      // an answer is awaited
}

// due reports whether it is time to ask.
func (p *poll) due(now time.Time, focused bool) bool {
	return !p.busy && (p.last.IsZero() || !now.Before(p.last.Add(p.wait(focused))))
}

// wait is the time between an answer and the next question: doubled by each failure, longer while nobody looks.
func (p *poll) wait(focused bool) time.Duration {
	wait := p.every
	if !focused {
		wait *= unfocused
	}
	for range min(p.failures, 10) {
		wait = min(wait*2, max(slowest, wait))
	}
	return wait
}

// ended notes that an answer came, or why not.
func (p *poll) ended(now time.Time, failed bool) {
	p.last, p.busy = now, false
	if !failed {
		p.failures = 0
		return
	}
	p.failures++
}

// hurry has it asked at the next tick.
func (p *poll) hurry() {
	if p.failures == 0 {
		p.last = time.Time{}
	}
}

// pace keeps a screen from asking too often.
type pace struct{ sent []time.Time }

// allows reports whether another request may be sent, and counts it.
func (p *pace) allows(now time.Time) bool {
	for len(p.sent) > 0 && !now.Before(p.sent[0].Add(time.Minute)) {
		p.sent = p.sent[1:]
	}
	if len(p.sent) >= perMinute {
		return false
	}
	p.sent = append(p.sent, now)
	return true
}
