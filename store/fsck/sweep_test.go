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

// beforeCommand is a hook that calls a function just before the first command of a name.
type beforeCommand struct {
	storetest.Trips

	name string
	do   func()
}

func (h *beforeCommand) ProcessHook(next goredis.ProcessHook) goredis.ProcessHook {
	return func(ctx context.Context, command goredis.Cmder) error {
		if do := h.do; do != nil && command.Name() == h.name {
			h.do = nil
			do()
		}
		return next(ctx, command)
	}
}

// TestRepairEndsConcurrentSweep: a repair ends the sweep of another process as if it were interrupted. Objects written
// afterwards must not be swept.
func TestRepairEndsConcurrentSweep(t *testing.T) {
	t.Parallel()
	suite.Each(t, func(t *testing.T, engine storetest.Engine) {
		if engine.Name == "memory" {
			return // two stores cannot share this emulation: see the simulation
		}
		s := engine.Open(t)
		e := storetest.NewFixture(t, s)
		_, prefix := s.Client, s.Prefix
		late := objects.NewBlob([]byte("written after the repair"))
		hook := &beforeCommand{name: "hkeys"}
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
