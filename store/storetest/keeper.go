package storetest

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
)

// Snapshotter is a hook that saves the contents of a store and restores them in others, so that common test data is
// created once. The engines may differ.
type Snapshotter struct {
	pipeline goredis.ProcessPipelineHook
	prefix   string
}

// Snapshot is the contents of a store by key without prefix.
type Snapshot []keptKey

type keptKey struct {
	name  string
	ttl   time.Duration // remaining time to live; negative = none
	value goredis.Cmder // executed read command with the value as its reply
}

// Install adds the hook to the configuration of a store. It must be the last change passed to Engine.Open.
func (k *Snapshotter) Install(c *store.Config) {
	c.Hooks, k.prefix = append(c.Hooks, k), c.Prefix
}

// DialHook implements redis.Hook.
func (k *Snapshotter) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (k *Snapshotter) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook { return next }

// ProcessPipelineHook implements redis.Hook.
func (k *Snapshotter) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	if k.pipeline == nil { // the client's own; hooks of its connections are installed later
		k.pipeline = next
	}
	return next
}

// Save returns the contents of the store.
func (k *Snapshotter) Save(t *testing.T, s *store.Store) Snapshot {
	t.Helper()
	names := slices.Sorted(maps.Keys(Dump(t, s)))
	kinds, lives, values := make([]*goredis.StatusCmd, len(names)), make([]*goredis.DurationCmd, len(names)), make([]goredis.Cmder,
		len(names))
	var first, second []goredis.Cmder
	ctx := context.Background()
	for i, name := range names {
		kinds[i], lives[i] = goredis.NewStatusCmd(ctx, "type", k.prefix+name), goredis.NewDurationCmd(ctx, time.Millisecond, "pttl",
			k.prefix+name)
		first = append(first, kinds[i], lives[i])
	}
	k.send(t, first)
	for i, name := range names {
		values[i] = readCommand(ctx, kinds[i].Val(), k.prefix+name)
		if values[i] == nil {
			t.Fatalf("storetest: %s is a %s", name, kinds[i].Val())
		}
		second = append(second, values[i])
	}
	k.send(t, second)
	kept := make(Snapshot, len(names))
	for i, name := range names {
		kept[i] = keptKey{name, lives[i].Val(), values[i]}
	}
	return kept
}

// readCommand returns the command that reads a value of a type; nil if there is none.
func readCommand(ctx context.Context, kind, name string) goredis.Cmder {
	switch kind {
	case "string":
		return goredis.NewStringCmd(ctx, "get", name)
	case "hash":
		return goredis.NewMapStringStringCmd(ctx, "hgetall", name)
	case "set":
		return goredis.NewStringSliceCmd(ctx, "smembers", name)
	case "zset":
		return goredis.NewZSliceCmd(ctx, "zrange", name, 0, -1, "withscores")
	case "stream":
		return goredis.NewSliceCmd(ctx, "xrange", name, "-", "+")
	}
	return nil
}

// Restore writes saved contents to a new store.
func (k *Snapshotter) Restore(t *testing.T, kept Snapshot) {
	t.Helper()
	ctx := context.Background()
	var commands []goredis.Cmder
	for _, key := range kept {
		name := k.prefix + key.name
		commands = append(commands, goredis.NewIntCmd(ctx, "del", name))
		commands = append(commands, key.writeCommands(ctx, name)...)
		if key.ttl > 0 {
			commands = append(commands, goredis.NewIntCmd(ctx, "pexpire", name, key.ttl.Milliseconds()))
		}
	}
	k.send(t, commands)
}

// writeCommands returns the commands that write a value.
func (key keptKey) writeCommands(ctx context.Context, name string) []goredis.Cmder {
	var args []any
	switch value := key.value.(type) {
	case *goredis.StringCmd:
		args = []any{"set", name, value.Val()}
	case *goredis.MapStringStringCmd:
		args = []any{"hset", name}
		for field, text := range value.Val() {
			args = append(args, field, text)
		}
	case *goredis.StringSliceCmd:
		args = []any{"sadd", name}
		for _, member := range value.Val() {
			args = append(args, member)
		}
	case *goredis.ZSliceCmd:
		args = []any{"zadd", name}
		for _, z := range value.Val() {
			args = append(args, z.Score, z.Member)
		}
	case *goredis.SliceCmd:
		return streamCommands(ctx, name, value.Val())
	}
	return []goredis.Cmder{goredis.NewCmd(ctx, args...)}
}

// streamCommands returns the commands that write a stream from a reply of Redis.
func streamCommands(ctx context.Context, name string, answered []any) (commands []goredis.Cmder) {
	for _, entry := range answered {
		if pair, ok := entry.([]any); ok {
			fields, _ := pair[1].([]any)
			commands = append(commands, goredis.NewCmd(ctx, append([]any{"xadd", name, pair[0]}, fields...)...))
		}
	}
	return commands
}

// send sends commands directly, bypassing the other hooks of the store.
func (k *Snapshotter) send(t *testing.T, commands []goredis.Cmder) {
	t.Helper()
	if err := k.pipeline(context.Background(), commands); err != nil {
		t.Fatalf("storetest: %v", err)
	}
}
