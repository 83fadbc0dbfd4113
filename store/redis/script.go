package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"
)

// Name is the key as Redis knows it.
func (c *Conn) Name(key Key) string { return c.Prefix + key.name }

// Execute sends a pipeline, if it has commands, and returns the first error of
// any of them. A missing value is no error. The name is that of its failpoint.
func Execute(ctx context.Context, name string, pipe goredis.Pipeliner) error {
	if pipe.Len() == 0 {
		return nil
	}
	FailBefore(name)
	commands, err := pipe.Exec(ctx)
	FailAfter(name)
	if err == nil {
		return nil
	}
	for _, command := range commands {
		if err := command.Err(); err != nil && !errors.Is(err, goredis.Nil) {
			return Wrap(ctx, err)
		}
	}
	if errors.Is(err, goredis.Nil) {
		return nil
	}
	return Wrap(ctx, err)
}

// once is a command that the driver sends once. It still follows a redirection
// of a Cluster: whoever redirects has done nothing.
type once struct{ *goredis.Cmd }

// NoRetry implements redis.Cmder.
func (once) NoRetry() bool { return true }

// RunOnce runs a script, which a server that has just started does not know. It
// is sent once: after a broken connection nobody knows whether it ran.
func (c *Conn) RunOnce(ctx context.Context, hash, source string, keys []string, args []any) *goredis.Cmd {
	cmd := c.evalOnce(ctx, "evalsha", hash, keys, args)
	if goredis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		cmd = c.evalOnce(ctx, "eval", source, keys, args)
	}
	return c.OverFull(ctx, cmd, source, keys, args)
}

// allowFull begins a script that Redis runs though its memory is full.
const allowFull = "#!lua flags=allow-oom\n"

// OverFull is the answer of a script that makes room (see Freeing) where memory is
// full: then Redis has not run it, and does so in this form. Any other answer
// stays as it is.
func (c *Conn) OverFull(ctx context.Context, answer *goredis.Cmd, source string, keys []string, args []any) *goredis.Cmd {
	if !marked(ctx, keyFreeing) || !goredis.HasErrorPrefix(answer.Err(), "OOM") || c.Engine.Name == engineMemory {
		return answer
	}
	return c.evalOnce(ctx, "eval", allowFull+source, keys, args)
}

func (c *Conn) evalOnce(ctx context.Context, name, script string, keys []string, args []any) *goredis.Cmd {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, name, script, len(keys))
	for _, key := range keys {
		all = append(all, key)
	}
	cmd := goredis.NewCmd(ctx, append(all, args...)...)
	cmd.SetFirstKeyPos(3)
	_ = c.Client.Process(ctx, once{cmd}) // the command has the error
	return cmd
}
