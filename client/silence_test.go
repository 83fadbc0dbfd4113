package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"docspace.dev/wsd/client"
	"docspace.dev/wsd/client/api"
)

// fakeTimers are timers that end when the test says so.
type fakeTimers struct {
	mu     sync.Mutex
	timers []*fakeTimer
	resets chan time.Duration
}

type fakeTimer struct {
	all *fakeTimers
	d   time.Duration
	f   func()
}

func newFakeTimers() *fakeTimers { return &fakeTimers{resets: make(chan time.Duration, 100)} }

func (a *fakeTimers) start(d time.Duration, f func()) client.Timer {
	a.mu.Lock()
	defer a.mu.Unlock()
	timer := &fakeTimer{a, d, f}
	a.timers = append(a.timers, timer)
	return timer
}

// end ends the timers that were started with d.
func (a *fakeTimers) end(d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, timer := range a.timers {
		if timer.d == d {
			timer.f()
		}
	}
}

func (t *fakeTimer) Reset(d time.Duration) bool { t.all.resets <- d; return true }
func (t *fakeTimer) Stop() bool                 { return true }

// awaitReset waits until a timer is reset to d.
func (a *fakeTimers) awaitReset(d time.Duration) {
	for got := range a.resets {
		if got == d {
			return
		}
	}
}

// TestSilentServer checks that a server that does not answer is announced once, and that each attempt ends when it has been
// silent for the timeout.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	timers := newFakeTimers()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the end of the connection is seen
		timers.end(2 * time.Second)
		timers.end(7 * time.Second)
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	var announced []client.Silence
	c := client.New(silent.URL, client.WithTimeout(7*time.Second), client.WithRetries(1), client.WithSleep((&fakeSleeper{}).sleep),
		client.WithAfterFunc(timers.start), client.WithSilenceNotice(func(s client.Silence) { announced = append(announced, s) }))
	_, err := c.Spaces.Update(t.Context(), api.UpdateSpaceInput{Space: "spc_1"})
	if err == nil || !strings.HasPrefix(err.Error(), silent.URL+" does not answer: nothing for 7s") {
		t.Errorf("the error is %v", err)
	}
	_, unreachable := errors.AsType[*client.TransportError](err)
	_, unknown := errors.AsType[*client.UnknownOutcomeError](err)
	if !unreachable || !unknown || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %#v", err)
	}
	if len(announced) != 1 || announced[0] != (client.Silence{URL: silent.URL, For: 2 * time.Second, Limit: 7 * time.Second}) {
		t.Errorf("announced %+v", announced)
	}
}

// TestSlowOperationMayBeSilent checks that a slow operation has ten minutes until the first byte of its answer, and the
// timeout for the rest.
func TestSlowOperationMayBeSilent(t *testing.T) {
	t.Parallel()
	timers := newFakeTimers()
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		timers.awaitReset(10 * time.Minute)
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush() // an error shows in the client
		timers.awaitReset(client.DefaultTimeout)
		timers.end(client.DefaultTimeout)
		<-r.Context().Done()
	}))
	t.Cleanup(slow.Close)
	c := client.New(slow.URL, client.WithRetries(0), client.WithAfterFunc(timers.start))
	_, err := c.Spaces.GetPdf(t.Context(), api.GetSpacePDFInput{Space: "spc_1"})
	if err == nil || !strings.Contains(err.Error(), "nothing for 30s") {
		t.Errorf("the error is %v", err)
	}
}

// TestSilentDownload checks that a download ends if nothing comes any more.
func TestSilentDownload(t *testing.T) {
	t.Parallel()
	timers := newFakeTimers()
	half := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "half")          // an error shows in the client
		_ = http.NewResponseController(w).Flush() // likewise
		<-r.Context().Done()
	}))
	t.Cleanup(half.Close)
	c := client.New(half.URL, client.WithAfterFunc(timers.start))
	n, err := c.Download(t.Context(), half.URL, writerFunc(func(p []byte) (int, error) {
		timers.end(client.DefaultTimeout)
		return len(p), nil
	}))
	if n != 4 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// TestInterruptedWait checks that a call that is canceled while it waits for a retry ends as canceled, and that a write whose
// outcome was open stays so.
func TestInterruptedWait(t *testing.T) {
	t.Parallel()
	busy := step{status: 429, body: `{"error":{"code":429,"message":"Slow down.","reason":"rate_limited"}}`}
	for name, test := range map[string]struct {
		step    step
		unknown bool
	}{"rate limit": {busy, false}, "lost answer": {step{drop: true}, true}} {
		ctx, cancel := context.WithCancel(t.Context())
		wait := func(ctx context.Context, _ time.Duration) error {
			cancel()
			return ctx.Err()
		}
		c := client.New(serve(t, test.step).URL, client.WithSleep(wait))
		_, err := c.Spaces.Update(ctx, api.UpdateSpaceInput{Space: "spc_1"})
		_, unknown := errors.AsType[*client.UnknownOutcomeError](err)
		if _, refused := api.AsError(err); !errors.Is(err, context.Canceled) || refused || unknown != test.unknown {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	late := func(context.Context, time.Duration) error { return ctx.Err() }
	_, err := client.New(serve(t, busy).URL, client.WithSleep(late)).Spaces.Get(t.Context(), api.GetSpaceInput{Space: "spc_1"})
	if !api.IsReason(err, api.ReasonRateLimited) {
		t.Errorf("the end of the time: %v", err)
	}
}

// TestInterruptedByCause checks that a request that a cause interrupts, such as a signal, ends as canceled.
func TestInterruptedByCause(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel(errors.New("signal"))
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	_, err := client.New(s.URL).Spaces.Get(ctx, api.GetSpaceInput{Space: "spc_1"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
