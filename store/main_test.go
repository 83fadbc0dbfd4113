package store_test

import (
	"context"
	"os"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// suite provides the Redis servers of this test binary. It is set by TestMain.
var suite *storetest.Suite

func TestMain(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		suite = s
		return m.Run()
	}, storetest.OnCluster, storetest.OnSentinel))
}

// ctx returns the context of direct Redis commands in tests.
func ctx() context.Context { return context.Background() }
