package lifecycle_test

import (
	"testing"
	"time"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/server/servertest"
	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/storetest"
)

// TestTransferCompletesAfterFailover checks that a transfer is completed by the same request if the master changes before any
// one of its writes.
func TestTransferCompletesAfterFailover(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	redis, err := storetest.StartRedis(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(redis.Kill)
	hook := &servertest.WriteHook{}
	w := servertest.NewWorld(t, storetest.Server("promoted", redis.URL()), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	to := servertest.NewOrganization(w, "Other")
	beforeEachWrite(t, func(n int64) bool {
		space := w.CreateSpace("Docs", "", "")
		var moved servertest.Response
		more := hook.Before(n, func() { w.Must(redis.ChangeGeneration(t.Context())) }, func() {
			moved = servertest.Try(w, "admin", api.TransferSpace, servertest.TransferInput(space, to))
		})
		servertest.Equal(t, "status", 200, moved.Status)
		servertest.Equal(t, "organization", to, servertest.ReadSpaceAs(w, "admin", space).Organization)
		return more
	})
}

// TestTransferCompletedByOtherNodeIsAcknowledged checks that a node acknowledges its transfer if another node completes it
// before any one of the first node's calls to Redis.
func TestTransferCompletedByOtherNodeIsAcknowledged(t *testing.T) {
	t.Parallel()
	hook := &servertest.WriteHook{Reads: true}
	w := servertest.NewWorld(t, storetest.Memory(), func(c *store.Config) { c.Hooks = append(c.Hooks, hook) })
	to := servertest.NewOrganization(w, "Other")
	beforeEachWrite(t, func(n int64) bool {
		space := w.CreateSpace("Docs", "", "")
		var moved servertest.Response
		more := hook.Before(n, func() {
			w.Clock.Advance(time.Minute)
			servertest.RunJobs(w)
		}, func() { moved = servertest.Try(w, "admin", api.TransferSpace, servertest.TransferInput(space, to)) })
		servertest.Equal(t, "status", 200, moved.Status)
		servertest.Equal(t, "organization", to, servertest.ReadSpaceAs(w, "admin", space).Organization)
		return more
	})
}
