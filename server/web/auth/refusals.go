package auth

import (
	"slices"
	"sync"
	"time"
)

// maxPendingRefusals is the maximum number of users and organizations for which a node counts refused requests. Further requests are
// only in the log of the server.
const maxPendingRefusals = 10_000

// maxRefusalWait exceeds the times for which reports are postponed.
const maxRefusalWait = 2 * time.Hour

// Refusal describes requests that were refused although their token exists: its secret was wrong, it had expired, or its account was
// disabled.
type Refusal struct {
	User         string
	Organization string   // the only organization in which the token works; "" = all
	EndedIn      []string // organizations for which the token was ended
	Token        string   // id of the token of the last request
	Address      string   // of the client of the last request; "" = not kept
	Count        int
}

// pendingRefusal holds the refused requests of a user and an organization that were not reported.
type pendingRefusal struct {
	Refusal
	stored    bool      // earlier requests are stored and have no event yet
	notBefore time.Time // the next report
}

// Refusals counts refused requests by user and organization until they are reported. It is safe for concurrent use.
type Refusals struct {
	mu      sync.Mutex
	pending map[[2]string]pendingRefusal
}

// NewRefusals returns a Refusals without requests.
func NewRefusals() *Refusals { return &Refusals{pending: map[[2]string]pendingRefusal{}} }

// Add adds refused requests.
func (rs *Refusals) Add(r Refusal) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	key := [2]string{r.User, r.Organization}
	p, found := rs.pending[key]
	if !found && len(rs.pending) >= maxPendingRefusals {
		return
	}
	p.Refusal = p.with(r)
	rs.pending[key] = p
}

// with returns the requests of r and of later ones.
func (r Refusal) with(later Refusal) Refusal {
	switch {
	case later.Count == 0:
		return r
	case r.Count > 0:
		later.EndedIn = CommonEnds(r.EndedIn, later.EndedIn)
	}
	later.Count += r.Count
	return later
}

// CommonEnds returns the organizations for which two tokens were ended.
func CommonEnds(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(org string) bool { return !slices.Contains(b, org) })
}

// TakeDue returns the requests that may be reported at a time, and forgets them.
func (rs *Refusals) TakeDue(now time.Time) []Refusal {
	return rs.take(func(p pendingRefusal) bool {
		wait := p.notBefore.Sub(now)
		return wait <= 0 || wait > maxRefusalWait // the clock has gone back
	})
}

// TakeAll returns all requests, and forgets them.
func (rs *Refusals) TakeAll() []Refusal { return rs.take(func(pendingRefusal) bool { return true }) }

func (rs *Refusals) take(isDue func(pendingRefusal) bool) (taken []Refusal) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for key, p := range rs.pending {
		if !isDue(p) {
			continue
		}
		if p.Count > 0 || p.stored {
			taken = append(taken, p.Refusal)
		}
		delete(rs.pending, key)
	}
	return taken
}

// Postpone keeps the requests of a user and an organization from being reported before a time. r are requests that are to be reported
// again; stored says that others are stored and have no event yet.
func (rs *Refusals) Postpone(r Refusal, stored bool, notBefore time.Time) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	key := [2]string{r.User, r.Organization}
	p, found := rs.pending[key]
	if !found && len(rs.pending) >= maxPendingRefusals {
		return
	}
	rs.pending[key] = pendingRefusal{r.with(p.Refusal), stored, notBefore}
}
