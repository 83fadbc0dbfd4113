package budgets

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrWorkTime is the cause of a context that WithWorkTime canceled.
var ErrWorkTime = errors.New("budgets: the work takes too long")

// workTime counts down the time of work while nothing of it waits.
type workTime struct {
	mu      sync.Mutex
	timer   *time.Timer
	left    time.Duration // at the time since
	since   time.Time
	waiting int
}

// workTimeKey is the context key of the workTime.
type workTimeKey struct{}

// WithWorkTime returns a context that is canceled, with the cause ErrWorkTime, when it has been in use for longer than
// most, without the time between PauseWork and its end. stop releases it.
func WithWorkTime(ctx context.Context, most time.Duration) (limited context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	w := &workTime{left: most, since: time.Now()}
	w.timer = time.AfterFunc(most, func() { cancel(ErrWorkTime) })
	return context.WithValue(ctx, workTimeKey{}, w), func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// PauseWork stops the time of the context's work until resume is called. It is called before waiting for another host
// or a permit. Several goroutines may wait at the same time.
func PauseWork(ctx context.Context) (resume func()) {
	w, ok := ctx.Value(workTimeKey{}).(*workTime)
	if !ok {
		return func() {}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting++; w.waiting == 1 {
		w.left -= time.Since(w.since)
		w.timer.Stop()
	}
	return w.resume
}

func (w *workTime) resume() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waiting--; w.waiting == 0 {
		w.since = time.Now()
		w.timer.Reset(w.left)
	}
}
