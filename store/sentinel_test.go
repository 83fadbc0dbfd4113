package store_test

import (
	"testing"

	"docspace.dev/wsd/store/storetest"
)

func TestSentinelWritersContinueAfterMasterIsKilled(t *testing.T) {
	t.Parallel()
	storetest.NeedServer(t)
	sentinel, err := storetest.StartSentinel(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sentinel.Close)
	l := newWriteLoad(t, storetest.Server("sentinel", sentinel.URL()).Open(t))
	victim, err := sentinel.Master(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	l.killAndCheck(victim)
	if now, err := sentinel.Master(t.Context()); err != nil || now == victim {
		t.Errorf("the sentinels still name the master that was killed, %v", err)
	}
}
