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

// DefaultRateLimit is the default number of requests per principal and minute.
const DefaultRateLimit = 1200

// RateWindow is the period of an allowance.
const (
	RateWindow = time.Minute
	// flushInterval is the minimum interval at which a node stores its counts: a write per request would cost more
	// than the reads.
	flushInterval = time.Second
)

// Limiter counts requests per principal in windows of a minute. A principal is a user, with all tokens, or the address of a
// caller without a valid token. Nodes share the counts of users through the store, with a delay of a second; the counts of
// addresses are local. Memory is bounded: further users or addresses share one counter.
type Limiter struct {
	limit       int64 // 0 = unlimited
	maxCounters int   // maximum number of counters of users, and of addresses

	mu            sync.Mutex
	window        int64 // number of the current window since 1970
	users         map[string]*counter
	addresses     map[string]*counter
	previousUsers map[string]*counter // users of the previous window
}

// sharedCounter is the principal of callers without a counter of their own.
const sharedCounter = ""

// counter counts the requests of a principal in the current window.
type counter struct {
	flushed   int64 // stored count of all nodes
	pending   int64 // counted here and not yet stored
	lastFlush time.Time
}

// Allowance is the remaining number of requests, as in the X-RateLimit headers. The zero value is unlimited.
type Allowance struct {
	Limit, remaining int64
	Reset            time.Time
}

// NewLimiter returns a Limiter of limit requests per minute (0 = unlimited) with at most most counters of users and
// of addresses.
func NewLimiter(limit int, most int64) *Limiter {
	return &Limiter{limit: int64(limit), maxCounters: int(most), users: map[string]*counter{}, addresses: map[string]*counter{}}
}

// Take counts a request of a principal. It returns false if the principal has no requests left. flushed is the count in the
// store.
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

// counter returns the counter of a principal in the window of now. The caller must hold l.mu.
func (l *Limiter) counter(principal string, now time.Time) *counter {
	l.advance(now)
	counters := l.addresses
	if isUser(principal) {
		counters = l.users
	}
	if counters[principal] == nil && len(counters) >= l.maxCounters {
		principal = sharedCounter
	}
	t, ok := counters[principal]
	if !ok {
		t = &counter{lastFlush: now}
		counters[principal] = t
	}
	return t
}

// advance starts a new window if now is past the current one. The caller must hold l.mu.
func (l *Limiter) advance(now time.Time) {
	window := windowNumber(now)
	if window == l.window {
		return
	}
	l.previousUsers = map[string]*counter{}
	if window == l.window+1 {
		l.previousUsers = l.users
	}
	l.window, l.users, l.addresses = window, map[string]*counter{}, map[string]*counter{}
}

func isUser(principal string) bool { return strings.HasPrefix(principal, txn.UserPrefix) }

// Refuses reports whether a request may be refused unread: its address has no requests left, and the user that it names
// was not active in this minute or the last. Active users may share the address with those who used it up.
func (l *Limiter) Refuses(address, user string, now time.Time) bool {
	if l.limit == 0 {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.advance(now)
	if user != "" && (l.users[user] != nil || l.previousUsers[user] != nil) {
		return false
	}
	t := l.addresses[address]
	if t == nil && len(l.addresses) >= l.maxCounters {
		t = l.addresses[sharedCounter]
	}
	return t != nil && t.pending >= l.limit
}

// Pending returns the count to add to the store, and resets it. It is 0 until flushInterval has passed.
func (l *Limiter) Pending(principal string, now time.Time) int64 {
	if l.limit == 0 {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.counter(principal, now)
	if t == l.users[sharedCounter] { // the counter is shared by several users
		return 0
	}
	if now.Sub(t.lastFlush) < flushInterval {
		return 0
	}
	n := t.pending
	t.flushed, t.pending, t.lastFlush = t.flushed+n, 0, now
	return n
}

func windowNumber(t time.Time) int64 { return t.Unix() / int64(RateWindow/time.Second) }

// RateKey returns the key of the shared count of a user in the minute of now.
func RateKey(user string, now time.Time) redis.Key {
	return store.RateKey(user, strconv.FormatInt(windowNumber(now), 10))
}

// Address returns the principal of a request without a verified user: the client's address (listen.Client) without
// port or, for IPv6, its /64 network, see listen.Source.
func Address(r *http.Request) string {
	client := listen.Client(r)
	if !client.IsValid() {
		return r.RemoteAddr
	}
	return listen.Source(client).String()
}

// SetHeaders sets the X-RateLimit headers.
func (a Allowance) SetHeaders(header http.Header) {
	if a.Limit == 0 {
		return
	}
	header.Set("X-Ratelimit-Limit", strconv.FormatInt(a.Limit, 10))
	header.Set("X-Ratelimit-Remaining", strconv.FormatInt(a.remaining, 10))
	header.Set("X-Ratelimit-Reset", strconv.FormatInt(a.Reset.Unix(), 10))
}
