package listen

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"os"
	"sync"
	"time"
)

// phase is the progress of the current request of a connection.
type phase int

const (
	idle      phase = iota // between two requests
	unread                 // waiting for the rest of the header or body
	answering              // the request is received and being answered
)

// conn is an accepted connection.
type conn struct {
	net.Conn
	limiter *connLimiter
	address netip.Addr // remote address
	source  netip.Addr // key for the limits per address
	proxy   bool       // the peer is a trusted proxy: limits per address apply to its requests instead

	closing sync.Once

	mu            sync.Mutex
	phase         phase
	headerStarted bool // a part of the header has arrived
	headerLate    bool // the rest of the header did not arrive in time
	responded     bool // a response was written
	released      bool // no longer counted
	exempt        bool // counted in total only, see ExemptConnection
}

// Read implements net.Conn. It records late headers, see Close, and the start of the next request, which it refuses with 429 if
// the source has too many unread requests.
func (c *conn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	if n > 0 && c.inPhase(idle) && !c.limiter.startRequest(c) {
		c.refuse(http.StatusTooManyRequests)
		return 0, errors.Join(net.ErrClosed, c.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == unread {
		c.headerStarted = c.headerStarted || n > 0
		c.headerLate = c.headerStarted && errors.Is(err, os.ErrDeadlineExceeded)
	}
	return n, err
}

// Write implements net.Conn. It records that a response was written.
func (c *conn) Write(data []byte) (int, error) {
	c.mu.Lock()
	c.responded = true
	c.mu.Unlock()
	return c.Conn.Write(data)
}

// inPhase reports whether the connection is in phase p.
func (c *conn) inPhase(p phase) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == p
}

// Close implements net.Conn and releases the connection's counts. If a header was too late, it writes a 408 first,
// since net/http closes without a response.
func (c *conn) Close() error {
	c.closing.Do(func() {
		c.limiter.remove(c)
		c.mu.Lock()
		late := c.headerLate && !c.responded
		c.mu.Unlock()
		if late {
			c.limiter.countLate()
			c.refuse(http.StatusRequestTimeout)
		}
	})
	return c.Conn.Close()
}

// CloseWrite closes the writing side, if the connection supports it. net/http calls it to finish a response before it closes
// the connection.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// refusalTimeout is the timeout for writing a refusal to a connection that is about to be closed.
const refusalTimeout = time.Second

// refuse writes an error response with the given status. The caller then closes the connection.
func (c *conn) refuse(status int) {
	_ = c.SetWriteDeadline(time.Now().Add(refusalTimeout)) // a closed connection fails the next write
	_, _ = c.Write(rawResponse(status))                    // the connection is closed in either case
}

// connLimiter limits the number of connections.
type connLimiter struct {
	limits Limits
	log    func(source netip.Addr, refused int)
	now    func() time.Time

	mu         sync.Mutex
	total      int
	sources    map[netip.Addr]*sourceCounts
	lastLogged time.Time   // time of the last log line about refusals by address
	refusals   int         // refusals since then
	refused    map[int]int // connections and requests refused so far, by status
}

// sourceCounts holds the counts of a source: all connections, and connections or proxied requests that are not fully
// received.
type sourceCounts struct{ total, unread int }

// admit counts a new connection. If the connection is refused, it returns the status of the refusal instead.
func (l *connLimiter) admit(c *conn) (refusal int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.total >= l.limits.Connections {
		l.refused[http.StatusServiceUnavailable]++
		return http.StatusServiceUnavailable
	}
	t := l.countsOf(c.source)
	if !c.proxy && (t.total >= l.limits.PerAddress || t.unread >= l.limits.Unread) {
		l.recordRefusal(c.source)
		return http.StatusTooManyRequests
	}
	l.total++
	t.total++
	t.unread++
	c.phase = unread
	return 0
}

// startRequest counts a new request of a kept connection. It returns false if the source has too many unread requests.
func (l *connLimiter) startRequest(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if t := l.sources[c.source]; t != nil && !c.proxy && t.unread >= l.limits.Unread {
		l.recordRefusal(c.source)
		return false
	}
	l.setPhaseLocked(c, unread)
	return true
}

// setPhase sets the phase of a connection and updates the counts of its source.
func (l *connLimiter) setPhase(c *conn, p phase) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.setPhaseLocked(c, p)
}

// setPhaseLocked is setPhase with the lock held.
func (l *connLimiter) setPhaseLocked(c *conn, p phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := l.sources[c.source]
	if c.released || c.exempt || c.phase == p {
		return
	}
	if c.phase == unread {
		t.unread--
	}
	if p == unread {
		t.unread++
	}
	c.phase, c.headerStarted, c.headerLate, c.responded = p, p == unread, false, false
}

// remove removes a connection from the counts.
func (l *connLimiter) remove(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.released = true
	l.total--
	if !c.exempt {
		l.removeFromSource(c)
	}
}

// removeFromSource removes a connection from the counts of its source. The caller must hold l.mu and c.mu.
func (l *connLimiter) removeFromSource(c *conn) {
	t := l.sources[c.source]
	if c.phase == unread {
		t.unread--
	}
	t.total--
	l.removeIfUnused(c.source, t)
}

// exemptFromSource stops counting a connection for its source.
func (l *connLimiter) exemptFromSource(c *conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.released && !c.exempt {
		c.exempt = true
		l.removeFromSource(c)
	}
}

// acquireBody counts a proxied request whose body has not arrived. It returns false if its client has reached the limit;
// otherwise the caller calls releaseBody.
func (l *connLimiter) acquireBody(source netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.countsOf(source)
	if t.unread >= l.limits.Unread {
		l.recordRefusal(source)
		return false
	}
	t.unread++
	return true
}

// releaseBody removes a request counted by acquireBody.
func (l *connLimiter) releaseBody(source netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.sources[source]
	t.unread--
	l.removeIfUnused(source, t)
}

// countsOf returns the counts of a source. The caller must hold l.mu.
func (l *connLimiter) countsOf(source netip.Addr) *sourceCounts {
	t := l.sources[source]
	if t == nil {
		t = &sourceCounts{}
		l.sources[source] = t
	}
	return t
}

// removeIfUnused removes the entry of a source without connections. The caller must hold l.mu.
func (l *connLimiter) removeIfUnused(source netip.Addr, t *sourceCounts) {
	if t.total == 0 && t.unread == 0 {
		delete(l.sources, source)
	}
}

// countLate counts a request whose header did not arrive in time.
func (l *connLimiter) countLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refused[http.StatusRequestTimeout]++
}

// recordRefusal counts a refusal by address. The first one is logged at once, later ones at intervals. The caller must hold
// l.mu.
func (l *connLimiter) recordRefusal(source netip.Addr) {
	l.refusals++
	l.refused[http.StatusTooManyRequests]++
	if now := l.now(); l.lastLogged.IsZero() || now.Sub(l.lastLogged) >= l.limits.LogEvery {
		l.log(source, l.refusals)
		l.lastLogged, l.refusals = now, 0
	}
}
