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

// body is a request body with a minimum rate: within each BodyTime spent waiting for it, BodyBytes have to arrive.
// Time in which the handler does not read does not count, and the total time is not limited.
type body struct {
	io.ReadCloser
	conn       *conn
	limits     Limits
	control    *http.ResponseController
	onReceived func() // releases the count of the body for a client of a trusted proxy; nil otherwise

	mu       sync.Mutex // another goroutine may still read after the handler has returned
	waitTime time.Duration
	received int64 // bytes received since spent was 0
	ended    bool
	err      error
}

// Read implements io.Reader.
func (b *body) Read(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil {
		return 0, b.err
	}
	b.conn.limiter.setPhase(b.conn, unread)
	start := time.Now()
	_ = b.control.SetReadDeadline(start.Add(b.limits.BodyTime - b.waitTime)) // a closed connection fails the next read
	n, err := b.ReadCloser.Read(data)
	_ = b.control.SetReadDeadline(time.Time{}) // a closed connection fails the next read
	b.conn.limiter.setPhase(b.conn, answering)
	if errors.Is(err, io.EOF) {
		b.ended = true
		b.markReceived()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, b.failSlow()
	}
	_ = b.control.SetWriteDeadline(time.Now().Add(b.limits.AnswerTime)) // net/http starts the write timeout at the headers
	b.waitTime += time.Since(start)
	if b.received += int64(n); b.received >= b.limits.BodyBytes {
		b.waitTime, b.received = 0, 0
	}
	if b.waitTime >= b.limits.BodyTime && err == nil {
		return n, b.failSlow()
	}
	return n, err //nolint:wrapcheck // as the HTTP server has it
}

// failSlow makes all further reads fail and returns their error. The caller must hold b.mu.
func (b *body) failSlow() error {
	b.err = api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow,
		"The body of the request arrives too slowly: in %s less than %d bytes came.", b.limits.BodyTime, b.limits.BodyBytes)
	return b.err
}

// markReceived calls onReceived, if it is set: the body no longer counts as not yet received.
func (b *body) markReceived() {
	if b.onReceived != nil {
		b.onReceived()
	}
}

// finish ends the body when its handler returns: unread data has one BodyTime to arrive before the connection is
// closed.
func (b *body) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.markReceived()
	switch {
	case b.err != nil:
		_ = b.control.SetReadDeadline(time.Unix(0, 1)) // fails all further reads
	case !b.ended:
		_ = b.control.SetReadDeadline(time.Now().Add(b.limits.BodyTime)) // a closed connection fails the next read
	}
}
