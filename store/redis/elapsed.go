package redis

import (
	"context"
	"net"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// Elapsed is the time that the commands of a context have taken, including waits for a connection. Times of concurrent
// commands are added up.
type Elapsed struct{ total atomic.Int64 }

type elapsedKey struct{}

// WithElapsed returns a context whose commands are timed.
func WithElapsed(ctx context.Context) (context.Context, *Elapsed) {
	e := &Elapsed{}
	return context.WithValue(ctx, elapsedKey{}, e), e
}

// Duration returns the time so far.
func (e *Elapsed) Duration() time.Duration { return time.Duration(e.total.Load()) }

// elapsedHook adds the time of commands to the Elapsed of their context. It uses the monotonic clock, not the clock of the
// store, which tests replace.
type elapsedHook struct{}

func (elapsedHook) add(ctx context.Context, start time.Time) {
	if e, ok := ctx.Value(elapsedKey{}).(*Elapsed); ok {
		e.total.Add(int64(time.Since(start)))
	}
}

// DialHook implements goredis.Hook.
func (elapsedHook) DialHook(next goredis.DialHook) goredis.DialHook {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return next(ctx, network, address)
	}
}

// ProcessHook implements goredis.Hook.
func (h elapsedHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, cmd goredis.Cmder) error {
		defer h.add(ctx, time.Now())
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (h elapsedHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		defer h.add(ctx, time.Now())
		return next(ctx, cmds)
	}
}
