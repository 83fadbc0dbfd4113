package storetest

import (
	"context"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
)

// Breaker is a hook by which a test removes stored data, like a failover or a damaged disk.
type Breaker struct{ process goredis.ProcessHook }

// DialHook implements redis.Hook.
func (b *Breaker) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (b *Breaker) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	if b.process == nil { // the client's own; hooks of its connections are installed later
		b.process = next
	}
	return next
}

// ProcessPipelineHook implements redis.Hook.
func (b *Breaker) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// RemoveObject removes an object of a space from Redis and from the cache of the store.
func (b *Breaker) RemoveObject(t *testing.T, s *store.Store, prefix, space, hash string) {
	t.Helper()
	lost := 0
	for name, value := range Dump(t, s) {
		if !strings.HasPrefix(name, "{"+space+"}:o") || !strings.Contains(value, hash) {
			continue
		}
		cmd := goredis.NewIntCmd(context.Background(), "hdel", prefix+name, hash)
		if err := b.process(context.Background(), cmd); err != nil {
			t.Fatal(err)
		}
		lost += int(cmd.Val())
	}
	if lost != 1 {
		t.Fatalf("%d objects %s of space %s", lost, hash, space)
	}
	if _, err := s.Measure(t.Context(), space); err != nil { // the size of the space shrinks with the object
		t.Fatal(err)
	}
	s.ForgetContent(space)
}
