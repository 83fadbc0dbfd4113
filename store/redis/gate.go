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

// defaultReserve is what stays free on the disk of a child.
const defaultReserve = 64 << 20

const (
	freeingShare = 4                      // of the reserve is left to what makes room
	looksApart   = 100 * time.Millisecond // at the disk, at most
	writtenTwice = 2                      // bytes on the disk for a byte that is sent, at most
)

// gate keeps writes from a child that they would end: a Redis that cannot write its
// append-only file ends, and one whose disk is full cannot start either. So wsd
// refuses writes itself while there is little room, as Redis would if it could.
// Reading goes on.
type gate struct {
	space   func() (Space, error)
	reserve int64

	ended atomic.Bool // Redis ended on a write: the canary tries before anybody else
	taken atomic.Bool // another process has the data directory now

	mu      sync.Mutex
	looked  time.Time
	free    int64 // when it was looked at
	written int64 // since then
}

// Space is the room on a disk, in bytes.
type Space struct{ Free, Total int64 }

// replyError is what Redis would answer, in its words.
type replyError string

// Error implements error.
func (e replyError) Error() string { return string(e) }

// RedisError implements redis.Error: it is a reply, so nothing was written.
func (replyError) RedisError() {}

type contextKey int

const (
	keySinging contextKey = iota
	keyFreeing
	keyRehearsing
)

// singing marks the write by which is found out whether writing is possible.
func singing(ctx context.Context) context.Context { return context.WithValue(ctx, keySinging, true) }

// Freeing marks work that makes room, such as a purge: it goes on when the store is
// full, as long as that can be.
func Freeing(ctx context.Context) context.Context { return context.WithValue(ctx, keyFreeing, true) }

// MakesRoom reports whether work is marked so (see Freeing).
func MakesRoom(ctx context.Context) bool { return marked(ctx, keyFreeing) }

func marked(ctx context.Context, key contextKey) bool {
	is, _ := ctx.Value(key).(bool)
	return is
}

// refuses says why so many bytes may not be written now.
func (g *gate) refuses(ctx context.Context, bytes int64) error {
	switch {
	case g.taken.Load():
		return replyError("MISCONF another process has taken the data directory")
	case g.ended.Load() && !marked(ctx, keySinging):
		return replyError("MISCONF Redis ended on a write; wsd tries again")
	}
	reserve := g.reserve
	if marked(ctx, keyFreeing) {
		reserve /= freeingShare
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	short := g.free-g.written-writtenTwice*bytes < reserve
	if time.Since(g.looked) > looksApart || short && g.written > 0 {
		space, err := g.space()
		if err != nil { // nobody knows
			return nil
		}
		g.looked, g.free, g.written = time.Now(), space.Free, 0
		short = g.free-writtenTwice*bytes < reserve
	}
	if short {
		return replyError(fmt.Sprintf("MISCONF %s are left on the disk of the data, %s of them are kept free so that Redis lives", sized(g.free), sized(reserve)))
	}
	g.written += writtenTwice * bytes
	return nil
}

// reads are the commands that write nothing.
var reads = map[string]bool{
	"asking": true, "auth": true, "client": true, "cluster": true, "command": true, "config": true, "dbsize": true, "exists": true,
	"get": true, "hello": true, "hexists": true, "hget": true, "hgetall": true, "hkeys": true, "hlen": true, "hmget": true, "hscan": true,
	"hstrlen": true, "info": true, "mget": true, "object": true, "ping": true, "pttl": true, "quit": true, "readonly": true, "role": true,
	"scan": true, "scard": true, "script": true, "select": true, "sismember": true, "smembers": true, "strlen": true, "time": true,
	"ttl": true, "type": true, "unwatch": true, "wait": true, "watch": true, "xlen": true, "xrange": true, "xrevrange": true,
	"zcard": true, "zcount": true, "zlexcount": true, "zrange": true, "zrangebylex": true, "zrangebyscore": true, "zrank": true,
	"zrevrange": true, "zrevrangebylex": true, "zrevrangebyscore": true, "zscore": true, "multi": true, "exec": true,
}

// readScripts are the scripts that write nothing, by text and by hash.
var readScripts = func() map[string]bool {
	known := map[string]bool{}
	for _, source := range []string{generationSource, confirmSource, timeSource} {
		known[source], known[goredis.NewScript(source).Hash()] = true, true
	}
	return known
}()

// Rehearsing marks a script that writes nothing this time.
func Rehearsing(ctx context.Context) context.Context {
	return context.WithValue(ctx, keyRehearsing, true)
}

// writes reports whether a command writes, and how many bytes it takes along.
func writes(ctx context.Context, command goredis.Cmder) (bytes int64, is bool) {
	name, args := command.Name(), command.Args()
	if reads[name] {
		return 0, false
	}
	if name == "eval" || name == "evalsha" {
		script, _ := args[min(1, len(args)-1)].(string)
		if readScripts[script] || marked(ctx, keyRehearsing) {
			return 0, false
		}
		args = args[min(2, len(args)):] // the text is not written
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
		if bytes, is := writes(ctx, command); is {
			if err := g.refuses(ctx, bytes); err != nil {
				command.SetErr(err)
				return err
			}
		}
		return next(ctx, command)
	}
}

// ProcessPipelineHook implements redis.Hook. Of a pipeline that may not write, the
// reads go on; a transaction does not.
func (g *gate) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		var all int64
		var writing []goredis.Cmder
		for _, command := range commands {
			if bytes, is := writes(ctx, command); is {
				all += bytes
				writing = append(writing, command)
			}
		}
		if len(writing) == 0 {
			return next(ctx, commands)
		}
		shut := g.refuses(ctx, all)
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

// checkDirectory says how much room there is on the disk of the data, and that it
// is this process that has it. Only who shares a machine with Redis knows.
func (c *Conn) checkDirectory() []Check {
	if c.gate == nil {
		return nil
	}
	checks := []Check{c.gate.checkDisk()}
	if c.held == nil {
		return checks
	}
	if err := c.held(); err != nil {
		c.gate.taken.Store(true)
		return append(checks, refuse("directory", err.Error(), "end one of the two, and run wsd fsck"))
	}
	return append(checks, ok("directory", "locked by this process"))
}

// checkDisk says how much room there is.
func (g *gate) checkDisk() Check {
	space, err := g.space()
	if err != nil || space.Total <= 0 {
		return warn("disk", fmt.Sprintf("how much room there is is not known: %v", err), "watch it by other means")
	}
	used := (space.Total - space.Free) * 100 / space.Total
	message := fmt.Sprintf("%d %% used, %s left", used, sized(space.Free))
	switch {
	case space.Free < g.reserve:
		return full("disk", message+", which is the reserve ("+sized(g.reserve)+"): nothing is written", "make room on the disk")
	case used >= nearlyFull:
		return warn("disk", message, "make room on the disk: at "+sized(g.reserve)+" nothing is written any more")
	}
	return ok("disk", message)
}
