package auth

import (
	"cmp"
	"sync"
	"time"
)

// maxPendingRefusals is the maximum number of users and organizations for which a node counts refused requests. Further requests are
// only in the log of the server.
const maxPendingRefusals = 10_000

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
	if !found && len(rs.pending) == maxPendingRefusals {
		return
	}
	r.Count += p.Count
	p.Refusal = r
	rs.pending[key] = p
}

// Take returns the requests that are to be reported at a time, and forgets them. If all is set, it returns those that are to be
// reported later, too.
func (rs *Refusals) Take(now time.Time, all bool) (taken []Refusal) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for key, p := range rs.pending {
		if now.Before(p.notBefore) && !all {
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
	p := rs.pending[key]
	r.Count += p.Count
	r.Token, r.Address = cmp.Or(p.Token, r.Token), cmp.Or(p.Address, r.Address)
	rs.pending[key] = pendingRefusal{r, stored, notBefore}
}
