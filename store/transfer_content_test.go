package store_test

import (
	"testing"

	"docspace.dev/wsd/store"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/storetest"
	"docspace.dev/wsd/store/txn"
)

// TestCopyContentDuringFailover checks that a copy whose parts were written to two masters is not used, because the first parts
// may be lost.
func TestCopyContentDuringFailover(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	server, err := storetest.StartRedis(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Kill)
	f := newFailovers(t, storetest.Server("promoted", server.URL()))
	heads, err := f.store.LoadHeads(t.Context(), f.fixture.Org, f.fixture.Space)
	if err != nil {
		t.Fatal(err)
	}
	copyContent := func() error {
		id := f.store.NewID(txn.HomePrefix(txn.SpacePrefix, f.fixture.Org))
		_, err := store.CopyContent(t.Context(), f.store, f.fixture.Space, id, heads[f.fixture.Space])
		return err
	}
	promoted := false
	f.hook.set(func() { // before the first write
		f.hook.set(func() { // before the second write
			promoted = true
			if err := server.ChangeGeneration(t.Context()); err != nil {
				t.Error(err)
			}
		}, nil)
	}, nil)
	storetest.WantError(t, copyContent(), redis.ErrStale)
	if !promoted {
		t.Error("the content was copied in one write")
	}
	storetest.WantError(t, copyContent(), nil)
}
