package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"
)

// Name returns the name of the key in Redis.
func (c *Conn) Name(key Key) string { return c.Prefix + key.name }

// Execute sends a pipeline if it has commands and returns the first error of its commands, except for missing values.
// name is the name of its failpoint.
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

// MemoryUsage returns the bytes that keys take in memory, as Redis estimates them from at most samples parts of each value; 0 samples
// are all parts. They are 0 for keys that do not exist, and for all if Redis does not tell them, since not every service allows
// MEMORY.
func (c *Conn) MemoryUsage(ctx context.Context, names []string, samples int) ([]int64, error) {
	if len(names) == 0 {
		return nil, nil
	}
	pipe, replies := c.Client.Pipeline(), make([]*goredis.IntCmd, len(names))
	for i, name := range names {
		if c.Engine.Name == engineMemory { // the emulation always measures all parts
			replies[i] = pipe.MemoryUsage(ctx, name)
		} else {
			replies[i] = pipe.MemoryUsage(ctx, name, samples)
		}
	}
	_, _ = pipe.Exec(ctx) // each reply has its error
	found := make([]int64, len(names))
	for i, reply := range replies {
		bytes, err := reply.Result()
		switch {
		case err == nil:
			found[i] = max(bytes, 0)
		case !errors.Is(err, goredis.Nil) && !goredis.HasErrorPrefix(err, "NOPERM") && !goredis.HasErrorPrefix(err, "ERR"):
			return nil, Wrap(ctx, err)
		}
	}
	return found, nil
}

// noRetryCmd is a command that the driver sends only once. It still follows redirections of a Cluster, because the
// redirecting node has not executed the command.
type noRetryCmd struct{ *goredis.Cmd }

// NoRetry implements redis.Cmder.
func (noRetryCmd) NoRetry() bool { return true }

// RunOnce runs a script by its hash, or by its source on a server that does not have it. It is not repeated: after a
// broken connection it is unknown whether it ran.
func (c *Conn) RunOnce(ctx context.Context, hash, source string, keys []string, args []any) *goredis.Cmd {
	cmd := c.evalOnce(ctx, "evalsha", hash, keys, args)
	if goredis.HasErrorPrefix(cmd.Err(), "NOSCRIPT") {
		cmd = c.evalOnce(ctx, "eval", source, keys, args)
	}
	return c.RunWhenFull(ctx, cmd, source, keys, args)
}

// allowFullPrefix is the prefix of a script that may run while memory is full.
const allowFullPrefix = "#!lua flags=allow-oom\n"

// RunWhenFull returns answer unless a script that frees space (see WithFreeingSpace) was refused because memory is full. In that
// case it runs the script with allowFullPrefix.
func (c *Conn) RunWhenFull(ctx context.Context, answer *goredis.Cmd, source string, keys []string, args []any) *goredis.Cmd {
	if !marked(ctx, keyFreeing) || !goredis.HasErrorPrefix(answer.Err(), "OOM") || c.Engine.Name == engineMemory {
		return answer
	}
	return c.evalOnce(ctx, "eval", allowFullPrefix+source, keys, args)
}

func (c *Conn) evalOnce(ctx context.Context, name, script string, keys []string, args []any) *goredis.Cmd {
	all := make([]any, 0, 3+len(keys)+len(args))
	all = append(all, name, script, len(keys))
	for _, key := range keys {
		all = append(all, key)
	}
	cmd := goredis.NewCmd(ctx, append(all, args...)...)
	cmd.SetFirstKeyPos(3)
	_ = c.Client.Process(ctx, noRetryCmd{cmd}) // cmd contains the error
	return cmd
}
