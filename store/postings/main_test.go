package postings_test

import (
	"os"
	"testing"

	"docspace.dev/wsd/store/storetest"
)

// suite is the engines of this test binary; set once, before any test.
var suite *storetest.Suite

func TestMain(m *testing.M) {
	os.Exit(storetest.Main(func(s *storetest.Suite) int {
		suite = s
		return m.Run()
	}, storetest.OnCluster))
}
