package txn_test

import (
	"context"
	"fmt"
	"strconv"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// scriptRepeater is a hook that sends every script twice, like a client that did not receive the first reply.
type scriptRepeater struct{ storetest.Trips }

func (h *scriptRepeater) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		err := next(ctx, command)
		if err == nil && command.Name() == "evalsha" {
			return next(ctx, command)
		}
		return err
	}
}

func TestRetriedCommitAppliesOnce(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, &scriptRepeater{}) })
		key := store.SpaceKey("o_1", "s_1")
		for i := range 3 {
			options := txn.UpdateOptions{Idempotency: &txn.Idempotency{Key: fmt.Sprint("k", i), Save: true}}
			err := s.Update(t.Context(), store.Organization("o_1"), options, func(tx *store.Tx) error {
				if _, _, err := tx.Record(key); err != nil {
					return err
				}
				tx.Put(key, nil, []byte(strconv.Itoa(i)))
				tx.SetAccess("s_1", []byte(strconv.Itoa(i)))
				tx.Event(map[string]string{"n": strconv.Itoa(i)})
				tx.Answer(txn.Answer{Status: 200})
				return nil
			})
			if err != nil {
				t.Fatalf("commit %d: %v", i, err)
			}
		}
		if got, _ := storetest.Record(t, s, key); got.Version != 3 {
			t.Errorf("version %d after 3 commits", got.Version)
		}
		for _, stream := range []string{"{o_1}:events", "{o_1}:shape"} {
			if n := storetest.StreamLength(t, s, stream); n != 3 {
				t.Errorf("%s has %d entries after 3 commits", stream, n)
			}
		}
	})
}

// TestUpdateAfterScriptCacheLoss covers a restart or failover, which empties the script cache.
func TestUpdateAfterScriptCacheLoss(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, &noScript{}) })
	storetest.Put(t, s, "o_1", store.SpaceKey("o_1", "s_1"), `{}`)
	if got, ok := storetest.Record(t, s, store.SpaceKey("o_1", "s_1")); !ok || got.Version != 1 {
		t.Errorf("%+v %v", got, ok)
	}
}

// noScript is a hook that fails every EVALSHA as an empty script cache does.
type noScript struct{ storetest.Trips }

func (h *noScript) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if command.Name() == "evalsha" {
			command.SetErr(goredis.ErrNoScript)
			return goredis.ErrNoScript
		}
		return next(ctx, command)
	}
}
