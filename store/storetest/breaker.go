package storetest

import (
	"context"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
)

// Breaker is a hook through which a test takes away what is stored, as a failover or a damaged disk does.
type Breaker struct{ process goredis.ProcessHook }

// DialHook implements redis.Hook.
func (b *Breaker) DialHook(next goredis.DialHook) goredis.DialHook { return next }

// ProcessHook implements redis.Hook.
func (b *Breaker) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	if b.process == nil { // the client's own: connections that are taken from it come later, and end
		b.process = next
	}
	return next
}

// ProcessPipelineHook implements redis.Hook.
func (b *Breaker) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return next
}

// Lose takes an object of a space away, and out of the memory of the store.
func (b *Breaker) Lose(t *testing.T, s *store.Store, prefix, space, hash string) {
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
	if _, err := s.Measure(t.Context(), space); err != nil { // where objects are lost, the size of their space is, too
		t.Fatal(err)
	}
	s.ForgetContent(space)
}
