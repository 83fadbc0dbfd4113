package auth

import (
	"maps"
	"slices"
	"sync"
)

// maxRefusedTokens is the maximum number of tokens whose refused requests a node counts at a time. Those of further tokens are only in
// the log of the server.
const maxRefusedTokens = 10_000

// Refusal describes requests that were refused although their token exists: its secret was wrong, it had expired, or its account was
// disabled.
type Refusal struct {
	User         string
	Organization string // the only organization in which the token works; "" = all
	Token        string // id of the token of the last request
	Address      string // of the client of the last request; "" = not kept
	Count        int
}

// Refusals counts refused requests by user and organization until they are taken. It is safe for concurrent use.
type Refusals struct {
	mu    sync.Mutex
	found map[[2]string]Refusal
}

// NewRefusals returns a Refusals without requests.
func NewRefusals() *Refusals { return &Refusals{found: map[[2]string]Refusal{}} }

// Add adds refused requests.
func (rs *Refusals) Add(r Refusal) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	key := [2]string{r.User, r.Organization}
	before, is := rs.found[key]
	if !is && len(rs.found) == maxRefusedTokens {
		return
	}
	r.Count += before.Count
	rs.found[key] = r
}

// Take returns the requests that were added since the last call.
func (rs *Refusals) Take() []Refusal {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	taken := slices.Collect(maps.Values(rs.found))
	clear(rs.found)
	return taken
}
