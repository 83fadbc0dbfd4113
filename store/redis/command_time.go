package redis

import (
	"context"
	"net"
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

// commandTimeHook adds the time of commands to the CommandTime of their context. It uses the monotonic clock, not the clock of the
// store, which tests replace.
type commandTimeHook struct{}

func (commandTimeHook) add(ctx context.Context, start time.Time) {
	if e, ok := ctx.Value(commandTimeKey{}).(*CommandTime); ok {
		e.total.Add(int64(time.Since(start)))
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
	return func(ctx context.Context, cmd goredis.Cmder) error {
		defer h.add(ctx, time.Now())
		return next(ctx, cmd)
	}
}

// ProcessPipelineHook implements goredis.Hook.
func (h commandTimeHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []goredis.Cmder) error {
		defer h.add(ctx, time.Now())
		return next(ctx, cmds)
	}
}
