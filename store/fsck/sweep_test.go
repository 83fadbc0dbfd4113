package fsck_test

import (
	"context"
	"testing"

	goredis "github.com/redis/go-redis/v9"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/fsck"
	"docspace.dev/wsd/store/objects"
	"docspace.dev/wsd/store/storetest"
)

// commandHook is a hook that calls a function just before the first command of a name.
type commandHook struct {
	storetest.Trips

	name string
	do   func()
}

func (h *commandHook) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if do := h.do; do != nil && command.Name() == h.name {
			h.do = nil
			do()
		}
		return next(ctx, command)
	}
}

// TestRepairEndsConcurrentSweep checks that a repair ends the sweep of another process as if it were interrupted. Objects
// written afterwards must not be swept.
func TestRepairEndsConcurrentSweep(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name == "memory" {
			return // this engine has only one store; TestSimulatedHistoriesLoseNoWriteCampaign covers concurrent sweeps
		}
		s := engine.Open(t)
		e := storetest.NewFixture(t, s)
		_, prefix := s.Client, s.Prefix
		late := objects.NewBlob([]byte("written after the repair"))
		hook := &commandHook{name: "hkeys"}
		hook.do = func() {
			storetest.Fsck(t, s, fsck.Options{Repair: true})
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				head, _, err := tx.Head(e.Org, e.Space)
				if err != nil {
					return err
				}
				head.Revision = late.Hash
				tx.Objects(e.Space, late)
				tx.SetHead(e.Org, e.Space, head)
				return nil
			})
		}
		sweeper, err := store.Open(t.Context(), store.Config{URL: engine.URL(), Prefix: prefix, Hooks: []goredis.Hook{hook}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = sweeper.Close() }()
		report, err := fsck.Run(t.Context(), sweeper, fsck.Options{GC: true})
		if err != nil || !storetest.HasFinding(report, "ended by a repair") || report.Removed != 0 {
			t.Errorf("removed %d, %v, %v", report.Removed, report.Findings, err)
		}
		if report := storetest.Fsck(t, s, fsck.Options{}); len(report.Findings) > 0 {
			t.Errorf("afterwards: %v", report.Findings)
		}
	})
}

// TestSweepSkipsTransferredSpaces checks that the content of a space is not swept while the space is being transferred, in
// either organization: heads of its change requests may be in the other one.
func TestSweepSkipsTransferredSpaces(t *testing.T) {
	t.Parallel()
	suite.EachStore(t, func(t *testing.T, s *store.Store) {
		e := storetest.NewFixture(t, s)
		setState := func(state store.EntryState) {
			storetest.Update(t, s, e.Org, func(tx *store.Tx) error {
				space, err := tx.Space(e.Org, e.Space)
				if err != nil {
					return err
				}
				space.Private.State = state
				_, err = tx.PutSpace(space)
				return err
			})
		}
		for _, state := range []store.EntryState{store.EntryMoving, store.EntryArriving, store.EntryLeaving} {
			setState(state)
			report := storetest.Fsck(t, s, fsck.Options{GC: true})
			if report.Removed != 0 || !storetest.HasFinding(report, "not swept") {
				t.Errorf("%s: removed %d, %v", state, report.Removed, report.Findings)
			}
			found, err := s.FetchObjects(t.Context(), e.Space, []string{e.Garbage.Hash})
			if err != nil || found[0].Err != nil {
				t.Errorf("%s: the unreachable object: %v, %v", state, err, found)
			}
		}
		setState("")
		if report := storetest.Fsck(t, s, fsck.Options{GC: true}); report.Removed != 1 {
			t.Errorf("after the transfer: removed %d, %v", report.Removed, report.Findings)
		}
	})
}
