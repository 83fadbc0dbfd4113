package txn_test

import (
	"context"
	"slices"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// pipelineHook is a hook that calls a function once before the next pipeline that writes.
type pipelineHook struct {
	storetest.Trips
	before func() // nil = nothing
}

func (h *pipelineHook) ProcessPipelineHook(next goredis.ProcessPipelineHook) goredis.ProcessPipelineHook {
	return func(ctx context.Context, commands []goredis.Cmder) error {
		reads := []string{"get", "hget", "hmget", "mget"}
		writes := slices.ContainsFunc(commands, func(c goredis.Cmder) bool { return !slices.Contains(reads, c.Name()) })
		if before := h.before; before != nil && writes {
			h.before = nil
			before()
		}
		return next(ctx, commands)
	}
}

// TestReplaceLostKeepsStoredObjects checks that a placeholder replaces a missing or damaged object, unless another writer
// stores the object at the same time.
func TestReplaceLostKeepsStoredObjects(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		hook := &pipelineHook{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
		space := "s_1"
		for name, stored := range map[string]string{"missing": "", "damaged": "\x00other bytes", "cut off": "\x01"} {
			for _, again := range []bool{false, true} {
				object := objects.NewBlob([]byte(name))
				first, _ := objects.FirstByte(object.Hash)
				key := s.Name(txn.ObjectKey(space, first))
				err := s.DropObjects(t.Context(), space, key, []string{object.Hash})
				if err == nil && stored != "" {
					err = s.Client.HSet(t.Context(), key, object.Hash, stored).Err()
				}
				if err != nil {
					t.Fatal(err)
				}
				if again {
					hook.before = func() {
						if err := s.PutObjects(t.Context(), space, []objects.Object{object}); err != nil {
							t.Error(err)
						}
					}
				}
				if err := s.ReplaceLost(t.Context(), space, map[string]objects.Placeholder{object.Hash: {}}); err != nil {
					t.Fatal(err)
				}
				found, err := s.FetchObjects(t.Context(), space, []string{object.Hash})
				if err != nil {
					t.Fatal(err)
				}
				if again && found[0].Err != nil || !again && !objects.IsLost(found[0].Err) {
					t.Errorf("%s, stored again %t: %v", name, again, found[0].Err)
				}
			}
		}
	})
}
