package listen

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"docspace.dev/wsd/client/api"
)

// body is a request's body that has to make progress: within each BodyTime that wsd waits for it, BodyBytes have to
// arrive. The time in which nobody reads does not count, so a body that wsd keeps waiting is never too slow, and one
// that goes on arriving may take as long as it takes.
type body struct {
	io.ReadCloser
	conn    *conn
	limits  Limits
	control *http.ResponseController
	arrived func() // ends what it counts as behind a trusted proxy; nil where its connection counts

	mu     sync.Mutex // a handler may have left while another goroutine still reads
	spent  time.Duration
	got    int64 // since spent was 0
	ended  bool
	failed error
}

// Read implements io.Reader.
func (b *body) Read(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failed != nil {
		return 0, b.failed
	}
	b.conn.front.reach(b.conn, unread)
	start := time.Now()
	_ = b.control.SetReadDeadline(start.Add(b.limits.BodyTime - b.spent))
	n, err := b.ReadCloser.Read(data)
	_ = b.control.SetReadDeadline(time.Time{})
	b.conn.front.reach(b.conn, atWork)
	if errors.Is(err, io.EOF) {
		b.ended = true
		b.count()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, b.tooSlow()
	}
	_ = b.control.SetWriteDeadline(time.Now().Add(b.limits.AnswerTime)) // the HTTP server counts from the headers
	b.spent += time.Since(start)
	if b.got += int64(n); b.got >= b.limits.BodyBytes {
		b.spent, b.got = 0, 0
	}
	if b.spent >= b.limits.BodyTime && err == nil {
		return n, b.tooSlow()
	}
	return n, err //nolint:wrapcheck // as the HTTP server has it
}

// tooSlow ends the reading. The lock is held.
func (b *body) tooSlow() error {
	b.failed = api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow,
		"The body of the request arrives too slowly: in %s less than %d bytes came.", b.limits.BodyTime, b.limits.BodyBytes)
	return b.failed
}

// count says that the body counts no longer as one that has not arrived.
func (b *body) count() {
	if b.arrived != nil {
		b.arrived()
	}
}

// leave ends the request's part: what the handler left unread of the body has one BodyTime to arrive, then the
// connection is closed.
func (b *body) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.count()
	switch {
	case b.failed != nil:
		_ = b.control.SetReadDeadline(time.Unix(0, 1)) // nothing more is read
	case !b.ended:
		_ = b.control.SetReadDeadline(time.Now().Add(b.limits.BodyTime))
	}
}
