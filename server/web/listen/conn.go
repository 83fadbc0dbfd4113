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

// phase is how far the request of a connection has come.
type phase int

const (
	idle   phase = iota // between two requests
	unread              // its header or the body that wsd waits for has not arrived whole
	atWork              // wsd has what it reads of it, and answers
)

// conn is one connection that was let in.
type conn struct {
	net.Conn
	front   *front
	address netip.Addr // of the other end
	source  netip.Addr // what it counts as
	proxy   bool       // that is trusted: it has no limits by address, its requests have

	closing sync.Once

	mu    sync.Mutex
	phase phase
	begun bool // some of a header has arrived
	late  bool // and the rest did not in time
	wrote bool // and it was answered nevertheless
	gone  bool // it is counted no more
}

// Read notes that another request begins, and whether a header comes too late: see Close.
func (c *conn) Read(data []byte) (int, error) {
	n, err := c.Conn.Read(data)
	if n > 0 && c.in(idle) && !c.front.begin(c) {
		c.tell(http.StatusTooManyRequests)
		return 0, errors.Join(net.ErrClosed, c.Close())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.phase == unread {
		c.begun = c.begun || n > 0
		c.late = c.begun && errors.Is(err, os.ErrDeadlineExceeded)
	}
	return n, err
}

// Write notes that a request is answered.
func (c *conn) Write(data []byte) (int, error) {
	c.mu.Lock()
	c.wrote = true
	c.mu.Unlock()
	return c.Conn.Write(data)
}

// in reports whether the connection has come so far and no further.
func (c *conn) in(p phase) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.phase == p
}

// Close gives its place free. The HTTP server closes without a word when a header takes too long: the word is said
// here.
func (c *conn) Close() error {
	c.closing.Do(func() {
		c.front.leave(c)
		c.mu.Lock()
		late := c.late && !c.wrote
		c.mu.Unlock()
		if late {
			c.tell(http.StatusRequestTimeout)
		}
	})
	return c.Conn.Close()
}

// CloseWrite lets the HTTP server end an answer before it closes.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// lastWord is how long a connection that is refused may take to hear why.
const lastWord = time.Second

// tell writes a refusal to a connection that is going to be closed.
func (c *conn) tell(status int) {
	_ = c.SetWriteDeadline(time.Now().Add(lastWord))
	_, _ = c.Write(lastAnswer(status))
}

// front counts the connections and decides which are let in.
type front struct {
	limits Limits
	log    func(source netip.Addr, refused int)
	now    func() time.Time

	mu      sync.Mutex
	all     int
	sources map[netip.Addr]*tally
	told    time.Time // when the log was last told of refusals by address
	refused int       // since
}

// tally is what one source has open: connections, and among them, or behind a trusted proxy, what has not arrived whole.
type tally struct{ all, unread int }

// enter lets a connection in, or returns the status that refuses it.
func (f *front) enter(c *conn) (refusal int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.all >= f.limits.Connections {
		return http.StatusServiceUnavailable
	}
	t := f.tally(c.source)
	if !c.proxy && (t.all >= f.limits.OfAddress || t.unread >= f.limits.Unread) {
		f.note(c.source)
		return http.StatusTooManyRequests
	}
	f.all++
	t.all++
	t.unread++
	c.phase = unread
	return 0
}

// begin lets a kept connection begin another request, or says no.
func (f *front) begin(c *conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if t := f.sources[c.source]; t != nil && !c.proxy && t.unread >= f.limits.Unread {
		f.note(c.source)
		return false
	}
	f.move(c, unread)
	return true
}

// reach notes how far a connection's request has come.
func (f *front) reach(c *conn, p phase) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.move(c, p)
}

// move is reach with the lock held.
func (f *front) move(c *conn, p phase) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := f.sources[c.source]
	if c.gone || c.phase == p {
		return
	}
	if c.phase == unread {
		t.unread--
	}
	if p == unread {
		t.unread++
	}
	c.phase, c.begun, c.late, c.wrote = p, p == unread, false, false
}

// leave takes a connection out of the counts.
func (f *front) leave(c *conn) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	t := f.sources[c.source]
	if c.phase == unread {
		t.unread--
	}
	c.gone = true
	f.all--
	t.all--
	f.forget(c.source, t)
}

// hold counts a request of a client behind a trusted proxy whose body has yet to arrive, or says no. release ends it.
func (f *front) hold(source netip.Addr) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.tally(source)
	if t.unread >= f.limits.Unread {
		f.note(source)
		return false
	}
	t.unread++
	return true
}

// release says that the body of a request that is held has arrived, or is waited for no longer.
func (f *front) release(source netip.Addr) {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := f.sources[source]
	t.unread--
	f.forget(source, t)
}

// tally returns what a source has open. The lock is held.
func (f *front) tally(source netip.Addr) *tally {
	t := f.sources[source]
	if t == nil {
		t = &tally{}
		f.sources[source] = t
	}
	return t
}

// forget drops a source that has nothing open. The lock is held.
func (f *front) forget(source netip.Addr, t *tally) {
	if t.all == 0 && t.unread == 0 {
		delete(f.sources, source)
	}
}

// note counts a refusal by address, and tells the log of the first and then of all since, now and again. The lock is
// held.
func (f *front) note(source netip.Addr) {
	f.refused++
	if now := f.now(); f.told.IsZero() || now.Sub(f.told) >= f.limits.LogEvery {
		f.log(source, f.refused)
		f.told, f.refused = now, 0
	}
}
