package txn_test

import (
	"testing"

	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestWritesOfEndedGenerationAreStale checks that the replicas of a master do not confirm writes that another master
// of the key acknowledged: they may lack them.
func TestWritesOfEndedGenerationAreStale(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name != "cluster" {
			return // the engine does not wait for replicas
		}
		s := engine.Open(t)
		key := txn.ObjectKey("s_1", 0)
		pipe := s.Client.Pipeline()
		reply := s.QueueGeneration(t.Context(), pipe, key)
		if err := redis.Execute(t.Context(), "generation", pipe); err != nil {
			t.Fatal(err)
		}
		now := redis.GenerationReply(reply)
		if err := s.WaitForKeyReplicas(t.Context(), key, now); err != nil {
			t.Errorf("the present generation %q: %v", now, err)
		}
		storetest.WantError(t, s.WaitForKeyReplicas(t.Context(), key, "of another master"), redis.ErrStale)
	})
}
