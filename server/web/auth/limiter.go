package auth

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"docspace.dev/wsd/server/web/listen"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// DefaultRateLimit is how many requests a principal may make a minute.
const DefaultRateLimit = 1200

// RateWindow is how long a principal's allowance is for.
const (
	RateWindow = time.Minute
	// A node tells the others what it counted at most this often: a write for every read would cost more than the
	// reads do.
	flushInterval = time.Second
)

// Limiter counts requests by principal in windows of a minute. A principal is a user, all tokens together, or the
// address of a visitor and of whoever has no valid token. Nodes share the counts of users through the store, a second late; a visitor's are each
// node's own. What it keeps is bounded: of the users and of the addresses behind the first most, all count together.
type Limiter struct {
	limit int64 // 0 = off
	most  int   // counters of users, and as many of addresses

	mu        sync.Mutex
	window    int64 // since 1970
	users     map[string]*counter
	addresses map[string]*counter
	before    map[string]*counter // the users of the last window
}

// everybodyElse is the principal of those whom the counters have no room for.
const everybodyElse = ""

// counter is what is known of one principal in the window.
type counter struct {
	flushed int64 // in the store, by every node
	pending int64 // counted here and not told yet
	last    time.Time
}

// Allowance is what a principal has left: the X-RateLimit headers. The zero value has no limit.
type Allowance struct {
	Limit, remaining int64
	Reset            time.Time
}

// NewLimiter returns a limiter of so many requests a minute, 0 for none, with room for so many principals.
func NewLimiter(limit int, most int64) *Limiter {
	return &Limiter{limit: int64(limit), most: int(most), users: map[string]*counter{}, addresses: map[string]*counter{}}
}

// Take counts a request of a principal, unless nothing is left. told is the count in the store.
func (l *Limiter) Take(principal string, now time.Time, flushed int64) (a Allowance, ok bool) {
	if l.limit == 0 {
		return Allowance{}, true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.counter(principal, now)
	t.flushed = max(t.flushed, flushed)
	a = Allowance{Limit: l.limit, Reset: time.Unix((l.window+1)*int64(RateWindow/time.Second), 0)}
	if t.flushed+t.pending >= l.limit {
		return a, false
	}
	t.pending++
	a.remaining = l.limit - t.flushed - t.pending
	return a, true
}

// counter returns a principal's, in the window that now lies in. The lock is held.
func (l *Limiter) counter(principal string, now time.Time) *counter {
	l.turn(now)
	tallies := l.addresses
	if isUser(principal) {
		tallies = l.users
	}
	if tallies[principal] == nil && len(tallies) >= l.most {
		principal = everybodyElse
	}
	t, ok := tallies[principal]
	if !ok {
		t = &counter{last: now}
		tallies[principal] = t
	}
	return t
}

// turn begins a new window when it is time. The lock is held.
func (l *Limiter) turn(now time.Time) {
	window := rateWindowOf(now)
	if window == l.window {
		return
	}
	l.before = map[string]*counter{}
	if window == l.window+1 {
		l.before = l.users
	}
	l.window, l.users, l.addresses = window, map[string]*counter{}, map[string]*counter{}
}

func isUser(principal string) bool { return strings.HasPrefix(principal, txn.UserPrefix) }

// Shuts reports whether a request need not be looked at: its address has nothing left, and the user whom it names was
// not here in this minute nor the last. Whoever was may share the address with those who used it up.
func (l *Limiter) Shuts(address, user string, now time.Time) bool {
	if l.limit == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now)
	if user != "" && (l.users[user] != nil || l.before[user] != nil) {
		return false
	}
	t := l.addresses[address]
	if t == nil && len(l.addresses) >= l.most {
		t = l.addresses[everybodyElse]
	}
	return t != nil && t.pending >= l.limit
}

// Pending hands over what the store has not been told, when it is time to.
func (l *Limiter) Pending(principal string, now time.Time) int64 {
	if l.limit == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.counter(principal, now)
	if t == l.users[everybodyElse] { // whose count is nobody's
		return 0
	}
	if now.Sub(t.last) < flushInterval {
		return 0
	}
	n := t.pending
	t.flushed, t.pending, t.last = t.flushed+n, 0, now
	return n
}

func rateWindowOf(t time.Time) int64 { return t.Unix() / int64(RateWindow/time.Second) }

// RateKey is where the nodes share what a user has used up in the minute.
func RateKey(user string, now time.Time) redis.Key {
	return store.RateKey(user, strconv.FormatInt(rateWindowOf(now), 10))
}

// Address is what a visitor's requests count for: the address that they come from (listen.Client), without the port. Of
// IPv6 it is the network of 64 bits: whoever has one address of it has them all.
func Address(r *http.Request) string {
	client := listen.Client(r)
	if !client.IsValid() {
		return r.RemoteAddr
	}
	return listen.Source(client).String()
}

// SetHeaders says in the X-RateLimit headers what is left.
func (a Allowance) SetHeaders(header http.Header) {
	if a.Limit == 0 {
		return
	}
	header.Set("X-Ratelimit-Limit", strconv.FormatInt(a.Limit, 10))
	header.Set("X-Ratelimit-Remaining", strconv.FormatInt(a.remaining, 10))
	header.Set("X-Ratelimit-Reset", strconv.FormatInt(a.Reset.Unix(), 10))
}
