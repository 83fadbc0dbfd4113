package client

import (
	"context"
	"io"
	"net/http/httptrace"
	"sync"
	"time"
)

const (
	// DefaultTimeout is the time without a byte in either direction after which an attempt ends.
	DefaultTimeout = 30 * time.Second

	// slowTimeout is the minimum of the time that a slow operation has until the first byte of its response.
	slowTimeout = 10 * time.Minute

	// silenceNotice is the time without a byte after which the caller is told.
	silenceNotice = 2 * time.Second
)

// Silence describes a server that has sent and received nothing for a while.
type Silence struct {
	URL   string        // of the server, without credentials
	For   time.Duration // how long it has been silent
	Limit time.Duration // how long the attempt waits in all
	Slow  bool          // whether the operation may take minutes
}

// Timer is a timer that calls a function, like that of time.AfterFunc.
type Timer interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// silenceError reports that an attempt has ended because of silence. It is a context.DeadlineExceeded.
type silenceError struct{ limit time.Duration }

func (e *silenceError) Error() string { return "nothing for " + e.limit.String() }

func (e *silenceError) Is(target error) bool { return target == context.DeadlineExceeded }

// watch ends an attempt during which no byte is sent or received for too long.
type watch struct {
	cancel        context.CancelFunc
	idle, answer  time.Duration // limits: in general, and between the request and its answer
	limit, notice Timer

	mu      sync.Mutex
	current time.Duration // the limit in force
	stopped bool
	ended   error // a *silenceError once the attempt has ended because of silence
}

// startWatch returns a context for one attempt and the watch that cancels it. It calls announce after two seconds of
// silence.
func (c *Client) startWatch(ctx context.Context, slow bool, announce func(Silence)) (context.Context, *watch) {
	w := &watch{idle: c.timeout, answer: c.timeout, current: c.timeout}
	if slow {
		w.answer = max(c.timeout, slowTimeout)
	}
	ctx, w.cancel = context.WithCancel(ctx)
	w.limit = c.afterFunc(w.idle, w.end)
	w.notice = c.afterFunc(silenceNotice, func() {
		announce(Silence{URL: redact(c.baseURL), For: silenceNotice, Limit: w.currentLimit(), Slow: slow})
	})
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { w.reset(w.idle) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { w.reset(w.answer) },
		GotFirstResponseByte: func() { w.reset(w.idle) },
	}), w
}

// end ends the attempt because of silence.
func (w *watch) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = &silenceError{w.current}
	w.cancel()
}

func (w *watch) currentLimit() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.current
}

// reset starts the silence again, with a limit of d.
func (w *watch) reset(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return
	}
	w.current = d
	w.limit.Reset(d)
	w.notice.Reset(silenceNotice)
}

// pause stops to count the silence until reset.
func (w *watch) pause() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit.Stop()
	w.notice.Stop()
}

// stop ends the watch and its context.
func (w *watch) stop() {
	w.cancel()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.limit.Stop()
	w.notice.Stop()
}

// cause returns the reason for err: the silence, the end of ctx, which is the context of the caller, or err itself.
func (w *watch) cause(ctx context.Context, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return w.ended
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// reader returns a reader of r that resets the silence with every read of at least a byte.
func (w *watch) reader(r io.Reader) io.Reader { return watchedReader{r, w} }

type watchedReader struct {
	io.Reader

	watch *watch
}

func (r watchedReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.watch.reset(r.watch.idle)
	}
	return n, err
}
