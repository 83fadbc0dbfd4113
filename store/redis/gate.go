package redis

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	goredis "github.com/redis/go-redis/v9"
)

// defaultReserve is the free disk space reserved for a child.
const defaultReserve = 64 << 20

const (
	freeingFraction    = 4                      // fraction of the reserve left to writes that free space
	measureInterval    = 100 * time.Millisecond // minimum interval of disk measurements
	writeAmplification = 2                      // maximum bytes on disk per byte sent
)

// gate refuses writes to a child that would make it exit: a Redis that cannot write its append-only file exits, and
// it cannot start on a full disk. The gate therefore refuses writes itself while free space is low. Reads are not
// affected.
type gate struct {
	space   func() (Space, error)
	reserve int64

	exited atomic.Bool // Redis exited during a write: only the canary may write
	taken  atomic.Bool // another process owns the data directory now

	mu         sync.Mutex
	measuredAt time.Time
	free       int64 // at the time of the measurement
	written    int64 // since the measurement
}

// Space is the space of a disk in bytes.
type Space struct{ Free, Total int64 }

// replyError is an error in the form of a Redis reply.
type replyError string

// Error implements error.
func (e replyError) Error() string { return string(e) }

// RedisError implements redis.Error, so that a replyError is handled like a reply of Redis: nothing was written.
func (replyError) RedisError() {}

type contextKey int

const (
	keyCanary contextKey = iota
	keyFreeing
	keyRehearsing
)

// withCanary marks the write that tests whether writes are possible.
func withCanary(ctx context.Context) context.Context { return context.WithValue(ctx, keyCanary, true) }

// WithFreeingSpace marks work that frees space, such as a purge. It continues for as long as possible when the store is full.
func WithFreeingSpace(ctx context.Context) context.Context {
	return context.WithValue(ctx, keyFreeing, true)
}

// FreesSpace reports whether ctx is marked by WithFreeingSpace.
func FreesSpace(ctx context.Context) bool { return marked(ctx, keyFreeing) }

func marked(ctx context.Context, key contextKey) bool {
	is, _ := ctx.Value(key).(bool)
	return is
}

// check returns an error if the bytes may not be written now.
func (g *gate) check(ctx context.Context, bytes int64) error {
	switch {
	case g.taken.Load():
		return replyError("MISCONF another process has taken the data directory")
	case g.exited.Load() && !marked(ctx, keyCanary):
		return replyError("MISCONF Redis ended on a write; wsd tries again")
	}
	reserve := g.reserve
	if marked(ctx, keyFreeing) {
		reserve /= freeingFraction
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	short := g.free-g.written-writeAmplification*bytes < reserve
	if time.Since(g.measuredAt) > measureInterval || short && g.written > 0 {
		space, err := g.space()
		if err != nil { // unknown free space
			return nil
		}
		g.measuredAt, g.free, g.written = time.Now(), space.Free, 0
		short = g.free-writeAmplification*bytes < reserve
	}
	if short {
		return replyError(fmt.Sprintf("MISCONF %s are left on the disk of the data, %s of them are kept free so that Redis lives",
			formatMiB(g.free), formatMiB(reserve)))
	}
	g.written += writeAmplification * bytes
	return nil
}

// readCommands is the set of commands that do not write.
var readCommands = map[string]bool{
	"asking": true, "auth": true, "client": true, "cluster": true, "command": true, "config": true, "dbsize": true, "exists": true,
	"get": true, "hello": true, "hexists": true, "hget": true, "hgetall": true, "hkeys": true, "hlen": true, "hmget": true, "hscan": true,
	"hstrlen": true, "info": true, "memory": true, "mget": true, "object": true, "ping": true, "pttl": true, "quit": true, "readonly": true,
	"role": true, "scan": true, "scard": true, "script": true, "select": true, "sismember": true, "smembers": true, "strlen": true,
	"time": true, "ttl": true, "type": true, "unwatch": true, "wait": true, "watch": true, "xlen": true, "xrange": true, "xrevrange": true,
	"zcard": true, "zcount": true, "zlexcount": true, "zrange": true, "zrangebylex": true, "zrangebyscore": true, "zrank": true,
	"zrevrange": true, "zrevrangebylex": true, "zrevrangebyscore": true, "zscore": true, "multi": true, "exec": true,
}

// readScripts is the set of scripts that do not write. It contains the text and the hash of each.
var readScripts = func() map[string]bool {
	known := map[string]bool{}
	for _, source := range []string{generationSource, confirmSource, timeSource} {
		known[source], known[goredis.NewScript(source).Hash()] = true, true
	}
	return known
}()

// WithDryRun marks a script call that does not write.
func WithDryRun(ctx context.Context) context.Context {
	return context.WithValue(ctx, keyRehearsing, true)
}

// writtenBytes reports whether a command writes, and how many bytes.
func writtenBytes(ctx context.Context, command goredis.Cmder) (bytes int64, is bool) {
	name, args := command.Name(), command.Args()
	if readCommands[name] {
		return 0, false
	}
	if name == "eval" || name == "evalsha" {
		script, _ := args[min(1, len(args)-1)].(string)
		if readScripts[script] || marked(ctx, keyRehearsing) {
			return 0, false
		}
		args = args[min(2, len(args)):] // the script text is not written
	}
	for _, arg := range args {
		switch value := arg.(type) {
		case string:
			bytes += int64(len(value))
		case []byte:
			bytes += int64(len(value))
		}
	}
	return bytes, true
}

// DialHook implements redis.Hook.
func (g *gate) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (g *gate) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if bytes, is := writtenBytes(ctx, command); is {
			if err := g.check(ctx, bytes); err != nil {
				command.SetErr(err)
				return err
			}
		}
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook. If a pipeline may not write, its reads are still sent; a transaction is
// not.
func (g *gate) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		var all int64
		var writing []goredis.Cmder
		for _, command := range commands {
			if bytes, is := writtenBytes(ctx, command); is {
				all += bytes
				writing = append(writing, command)
			}
		}
		if len(writing) == 0 {
			return next(ctx, commands)
		}
		shut := g.check(ctx, all)
		if shut == nil {
			return next(ctx, commands)
		}
		transaction := commands[0].Name() == "multi"
		var reading []goredis.Cmder
		for _, command := range commands {
			if transaction || slices.Contains(writing, command) {
				command.SetErr(shut)
			} else {
				reading = append(reading, command)
			}
		}
		if len(reading) == 0 {
			return shut
		}
		return errors.Join(shut, next(ctx, reading))
	}
}

// checkDirectory checks the free disk space of the data directory and that this process still owns it. It returns
// nothing if Redis runs on another machine.
func (c *Conn) checkDirectory() []Check {
	if c.gate == nil {
		return nil
	}
	checks := []Check{c.gate.checkDisk()}
	if c.ownershipError == nil {
		return checks
	}
	if err := c.ownershipError(); err != nil {
		c.gate.taken.Store(true)
		return append(checks, refuseCheck("directory", err.Error(), "end one of the two, and run wsd fsck"))
	}
	return append(checks, okCheck("directory", "locked by this process"))
}

// checkDisk checks the free disk space.
func (g *gate) checkDisk() Check {
	space, err := g.space()
	if err != nil || space.Total <= 0 {
		return warnCheck("disk", fmt.Sprintf("how much room there is is not known: %v", err), "watch it by other means")
	}
	used := (space.Total - space.Free) * 100 / space.Total
	message := fmt.Sprintf("%d %% used, %s left", used, formatMiB(space.Free))
	switch {
	case space.Free < g.reserve:
		return refuseWritesCheck("disk", message+", which is the reserve ("+formatMiB(g.reserve)+"): nothing is written",
			"make room on the disk")
	case used >= nearlyFull:
		return warnCheck("disk", message, "make room on the disk: at "+formatMiB(g.reserve)+" nothing is written any more")
	}
	return okCheck("disk", message)
}
