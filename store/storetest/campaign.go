package storetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// campaignVariable names the campaign that is run, "all" for each of them.
const campaignVariable = "WSD_TEST_CAMPAIGN"

// Campaign says how often a long test runs: sample times in go test ./..., full times in make campaign NAME=name,
// where campaigns of other names are skipped. Tests that ask have a name that ends in Campaign. seed is fixed for the
// sample, so that a failure stands; in a campaign it is new each time, printed, and repeated by SEED=. RUNS= makes a
// campaign shorter.
func Campaign(tb testing.TB, name string, sample, full int) (n int, seed uint64) {
	tb.Helper()
	wanted := os.Getenv(campaignVariable)
	switch wanted {
	case "", "engines":
		n, seed = sample, 1
	case name, "all":
		n, seed = full, rand.Uint64() //nolint:gosec // of a test
	default:
		tb.Skipf("not campaign %s", wanted)
	}
	if text := os.Getenv("WSD_TEST_RUNS"); text != "" && wanted != "" {
		given, err := strconv.Atoi(text)
		if err != nil {
			tb.Fatalf("WSD_TEST_RUNS: %v", err)
		}
		n = given
	}
	if text := os.Getenv("WSD_TEST_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			tb.Fatalf("WSD_TEST_SEED: %v", err)
		}
		seed = given
	}
	tb.Logf("campaign %s: %d of %d, seed %d", name, n, full, seed)
	return n, seed
}
