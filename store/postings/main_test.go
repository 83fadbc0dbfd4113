package postings_test

import (
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
	}, storetest.OnCluster))
}
