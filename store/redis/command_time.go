package redis

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// CommandTime is the time that the commands of a context have taken, including waits for a connection. Times of concurrent
// commands are added up.
type CommandTime struct{ total atomic.Int64 }

type commandTimeKey struct{}

// WithCommandTime returns a context whose commands are timed.
func WithCommandTime(ctx context.Context) (context.Context, *CommandTime) {
	e := &CommandTime{}
	return context.WithValue(ctx, commandTimeKey{}, e), e
}

// Duration returns the time so far.
func (e *CommandTime) Duration() time.Duration { return time.Duration(e.total.Load()) }

// Trip is one command or one pipeline that was sent to Redis, with the wait for its reply.
type Trip struct {
	Duration time.Duration
	Failed   bool // Redis could not be reached, or did not serve; not because the caller has cancelled
}

// tripObservers are the functions that are called after each trip.
type tripObservers struct {
	mu  sync.Mutex
	all atomic.Pointer[[]func(Trip)]
}

// ObserveTrips calls observe after each trip from now on. Calls are concurrent.
func (c *Conn) ObserveTrips(observe func(Trip)) {
	o := &c.trips
	o.mu.Lock()
	defer o.mu.Unlock()
	observers := []func(Trip){observe}
	if before := o.all.Load(); before != nil {
		observers = append(slices.Clone(*before), observe)
	}
	o.all.Store(&observers)
}

// commandTimeHook adds the time of commands to the CommandTime of their context and passes it to the observers. It uses the monotonic
// clock, not the clock of the store, which tests replace.
type commandTimeHook struct{ observers *tripObservers }

func (h commandTimeHook) add(ctx context.Context, start time.Time, err error) {
	took := time.Since(start)
	if e, ok := ctx.Value(commandTimeKey{}).(*CommandTime); ok {
		e.total.Add(int64(took))
	}
	observers := h.observers.all.Load()
	if observers == nil {
		return
	}
	failed := err != nil && IsUnavailable(err) && !errors.Is(err, context.Canceled)
	for _, observe := range *observers {
		observe(Trip{took, failed})
	}
}

// DialHook implements goredis.Hook.
func (commandTimeHook) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessHook implements goredis.Hook.
func (h commandTimeHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) (err error) {
		start := time.Now()
		defer func() { h.add(ctx, start, err) }()
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (h commandTimeHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) (err error) {
		start := time.Now()
		defer func() { h.add(ctx, start, err) }()
		return next(ctx, cmds)
	}
}
