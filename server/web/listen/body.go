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

// body is a request body with a minimum rate: within each BodyTime spent waiting for it, BodyBytes have to arrive, and those
// of a large body have to arrive with BodyRate on average after the first BodyTime. Time in which the handler does not read
// does not count.
type body struct {
	io.ReadCloser
	conn       *conn
	limits     Limits
	control    *http.ResponseController
	declared   int64  // Content-Length; -1 = unknown
	onReceived func() // releases the count of the body for a client of a trusted proxy; nil otherwise

	mu       sync.Mutex // another goroutine may still read after the handler has returned
	waitTime time.Duration
	received int64 // bytes received since waitTime was 0
	ended    bool

	totalTime     time.Duration // spent waiting
	totalReceived int64
	err           error
}

// limitUnread limits the time for which net/http waits for the rest of the body if an answer is sent before the handler returns.
func (b *body) limitUnread() {
	_ = b.control.SetReadDeadline(time.Now().Add(b.limits.BodyTime)) // a closed connection fails the next read
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
	_ = b.control.SetReadDeadline(start.Add(b.remainingTime())) // a closed connection fails the next read
	n, err := b.ReadCloser.Read(data)
	b.conn.limiter.setPhase(b.conn, answering)
	if errors.Is(err, io.EOF) {
		_ = b.control.SetReadDeadline(time.Time{}) // a closed connection fails the next read
		b.ended = true
		b.markReceived()
	} else {
		b.limitUnread()
	}
	took := time.Since(start)
	b.waitTime, b.totalTime = b.waitTime+took, b.totalTime+took
	b.received, b.totalReceived = b.received+int64(n), b.totalReceived+int64(n)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return n, b.failSlow()
	}
	_ = b.control.SetWriteDeadline(time.Now().Add(b.limits.AnswerTime)) // net/http starts the write timeout at the headers
	if b.received >= b.limits.BodyBytes {
		b.waitTime, b.received = 0, 0
	}
	if b.remainingTime() <= 0 && err == nil {
		return n, b.failSlow()
	}
	return n, err //nolint:wrapcheck // as the HTTP server has it
}

// largeBody is the number of bytes above which a body must arrive with BodyRate on average.
const largeBody = 1 << 20

// remainingTime returns the time in which the next bytes must arrive. The caller must hold b.mu.
func (b *body) remainingTime() time.Duration {
	remaining := b.limits.BodyTime - b.waitTime
	if average, limited := b.averageTime(); limited {
		remaining = min(remaining, average)
	}
	return remaining
}

// averageTime returns the time after which the body arrives with less than BodyRate; limited is false for a body that is not
// large. The caller must hold b.mu.
func (b *body) averageTime() (remaining time.Duration, limited bool) {
	if b.limits.BodyRate == 0 || max(b.declared, b.totalReceived) <= largeBody {
		return 0, false
	}
	allowed := time.Duration(float64(b.totalReceived) / float64(b.limits.BodyRate) * float64(time.Second))
	return b.limits.BodyTime + allowed - b.totalTime, true
}

// failSlow makes all further reads fail and returns their error. The caller must hold b.mu.
func (b *body) failSlow() error {
	b.err = api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow,
		"The body of the request arrives too slowly: in %s less than %d bytes came.", b.limits.BodyTime, b.limits.BodyBytes)
	if average, limited := b.averageTime(); limited && average <= 0 {
		b.err = api.Errorf(http.StatusRequestTimeout, api.ReasonTooSlow,
			"The body of the request arrives too slowly: %d bytes came in %s, less than %d a second.", b.totalReceived,
			b.totalTime.Round(time.Second), b.limits.BodyRate)
	}
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
