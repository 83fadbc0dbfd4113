package txn_test

import (
	"context"
	"crypto/rand"
	"slices"
	"strings"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// failoverHook is a hook that replaces the master after the next write of objects by one that lacks them.
type failoverHook struct {
	storetest.Trips
	lose func(hash string) // removes an object; nil = no failover
}

func (h *failoverHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		err := next(ctx, command)
		args := command.Args()
		if lose := h.lose; lose != nil && err == nil && slices.Contains(args, any("generation")) {
			h.lose = nil
			reply := command.(*goredis.Cmd)
			values, _ := reply.Slice()
			reply.SetVal(append(values[:3:3], strings.Repeat("0", 40))) // the generation of the old master
			lose(args[len(args)-2].(string))
		}
		return err
	}
}

// eachFailover runs a test on every engine with generations. failOver makes the master fail over after the next write of
// objects of a space, which must be one object.
func eachFailover(t *testing.T, test func(t *testing.T, s *store.Store, hook *commitHook, failOver func(space string))) {
	t.Helper()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		failover, commits := &failoverHook{}, &commitHook{}
		s := engine.Open(t, func(c *store.Config) { c.Hooks = append(c.Hooks, commits, failover) })
		if !s.HasGenerations {
			return // this engine has no generations
		}
		s.AlwaysUseOutbox = true
		test(t, s, commits, func(space string) {
			failover.lose = func(hash string) {
				first, _ := objects.FirstByte(hash)
				if err := s.DropObjects(t.Context(), space, s.Name(txn.ObjectKey(space, first)), []string{hash}); err != nil {
					t.Error(err)
				}
			}
		})
	})
}

// largeObjects returns two objects that are written by two commands.
func largeObjects() (large []objects.Object, hashes []string) {
	for range 2 {
		noise := make([]byte, 300<<10)
		_, _ = rand.Read(noise)
		object := objects.NewBlob(noise)
		large, hashes = append(large, object), append(hashes, object.Hash)
	}
	return large, hashes
}

// checkStored checks that objects are stored, without the cache.
func checkStored(t *testing.T, s *store.Store, space string, hashes []string) {
	t.Helper()
	found, err := s.FetchObjects(t.Context(), space, hashes)
	if err != nil {
		t.Fatal(err)
	}
	for _, object := range found {
		if object.Err != nil {
			t.Error(object.Err)
		}
	}
}

// TestOutboxKeepsObjectsIfMasterChanges checks that an outbox keeps its objects if the master of their space changes while they
// are written: the new master may lack the first of them.
func TestOutboxKeepsObjectsIfMasterChanges(t *testing.T) {
	t.Parallel()
	eachFailover(t, func(t *testing.T, s *store.Store, _ *commitHook, failOver func(space string)) {
		e := storetest.NewFixture(t, s)
		large, hashes := largeObjects()
		storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
			tx.Objects(e.Space, large...)
			return nil
		})
		failOver(e.Space)
		storetest.WantError(t, s.DeliverOutbox(t.Context(), e.Org, nil), redis.ErrStale)
		checkStored(t, s, e.Space, hashes)
		if err := s.DeliverOutbox(t.Context(), e.Org, nil); err != nil {
			t.Fatal(err)
		}
		if _, filled := storetest.Dump(t, s)["{"+e.Org+"}:outbox"]; filled {
			t.Error("the outbox is not empty")
		}
		checkStored(t, s, e.Space, hashes)
	})
}

// writeWithoutOutbox writes objects that are not added to the outbox, because the id of their space does not contain
// the id of an organization.
func writeWithoutOutbox(ctx context.Context, s *store.Store, large []objects.Object) error {
	return s.Update(ctx, store.Organization("o_1"), txn.UpdateOptions{}, func(tx *store.Tx) error {
		tx.Objects("s_1", large...)
		tx.SetField(store.HeadsKey("o_1"), "s_1", "head")
		return nil
	})
}

// TestObjectsAreWrittenAgainIfMasterChanges checks that a commit that does not use the outbox writes all of its objects again
// if the master of their space changes in the meantime.
func TestObjectsAreWrittenAgainIfMasterChanges(t *testing.T) {
	t.Parallel()
	eachFailover(t, func(t *testing.T, s *store.Store, _ *commitHook, failOver func(space string)) {
		large, hashes := largeObjects()
		failOver("s_1")
		if err := writeWithoutOutbox(t.Context(), s, large); err != nil {
			t.Fatal(err)
		}
		checkStored(t, s, "s_1", hashes)
	})
}

// TestCommitAfterMasterChangeOutlivesCaller checks that a commit that has begun after its objects were written again is
// completed even if its caller cancels.
func TestCommitAfterMasterChangeOutlivesCaller(t *testing.T) {
	t.Parallel()
	eachFailover(t, func(t *testing.T, s *store.Store, hook *commitHook, failOver func(space string)) {
		large, hashes := largeObjects()
		ctx, leave := context.WithCancel(t.Context())
		hook.commit = func(send func() error) error {
			hook.commit = nil
			leave()
			return send()
		}
		failOver("s_1")
		if err := writeWithoutOutbox(ctx, s, large); err != nil || ctx.Err() == nil {
			t.Fatalf("a commit whose caller has left (%v): %v", ctx.Err(), err)
		}
		checkStored(t, s, "s_1", hashes)
	})
}

// TestCommitOfAnotherGenerationIsStale checks that a transaction that depends on earlier data of a master is not committed by
// another one, and that the error requires the data to be read again.
func TestCommitOfAnotherGenerationIsStale(t *testing.T) {
	t.Parallel()
	eachFailover(t, func(t *testing.T, s *store.Store, _ *commitHook, _ func(space string)) {
		shard := store.Organization("o_1")
		write := func(ground redis.Generations, objects ...objects.Object) error {
			ctx := redis.WithGenerations(t.Context(), ground)
			return s.Update(ctx, shard, txn.UpdateOptions{}, func(tx *store.Tx) error {
				tx.Objects("s_1", objects...)
				tx.SetField(store.HeadsKey("o_1"), "s_1", "head")
				return nil
			})
		}
		before := storetest.Dump(t, s)["{o_1}:heads"]
		lost := s.GenerationsOf(store.HeadsKey("o_1"), strings.Repeat("0", 40))
		storetest.WantError(t, write(lost), redis.ErrStale)
		storetest.WantError(t, write(lost, objects.NewBlob([]byte("text"))), redis.ErrStale)
		if after := storetest.Dump(t, s)["{o_1}:heads"]; after != before {
			t.Errorf("the head has moved to %q", after)
		}
		current, err := s.Generations(t.Context(), shard)
		if err != nil {
			t.Fatal(err)
		}
		if err := write(current, objects.NewBlob([]byte("text"))); err != nil {
			t.Errorf("the same master: %v", err)
		}
	})
}
