package storetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// Environment variables of campaigns. Without campaignVariable, tests run as in go test ./...
const (
	campaignVariable = "WSD_TEST_CAMPAIGN" // name of a campaign, or all, engines or sample
	runsVariable     = "WSD_TEST_RUNS"     // replaces the size
	percentVariable  = "WSD_TEST_PERCENT"  // percentage of the full size, at least the sample
	seedVariable     = "WSD_TEST_SEED"     // replaces the seed
)

// sampleSeed is the seed of samples.
const sampleSeed = 1

// Campaign returns the size and the seed of a test that could run for hours. The size is sample in go test ./... and
// in .ci/run, and full in make campaign NAME=name, which skips other campaigns. The seed of a sample is fixed, so
// that a failure indicates a change. The seed of a campaign is random and logged; SEED= repeats it, RUNS= sets the
// size, PERCENT= a share of the full one. Names of tests that call Campaign or LongCampaign end in Campaign, and name
// is a literal, which make nightly searches for.
func Campaign(tb testing.TB, name string, sample, full int) (n int, seed uint64) {
	tb.Helper()
	n, seed, _ = campaign(tb, name, sample, full)
	return n, seed
}

// LongCampaign is Campaign for tests that are too slow for go test ./..., where they are skipped. .ci/run runs their
// sample.
func LongCampaign(tb testing.TB, name string, sample, full int) (n int, seed uint64) {
	tb.Helper()
	n, seed, asked := campaign(tb, name, sample, full)
	if !asked {
		tb.Skipf("runs in .ci/run and in make campaign NAME=%s", name)
	}
	return n, seed
}

// campaign returns the number of runs and the seed of a campaign, and whether the environment selects campaigns.
func campaign(tb testing.TB, name string, sample, full int) (n int, seed uint64, asked bool) {
	tb.Helper()
	wanted := os.Getenv(campaignVariable)
	switch wanted {
	case "", "sample", "engines":
		n, seed = sample, sampleSeed
	case name, "all":
		n, seed = full, rand.Uint64() //nolint:gosec // of a test
		if percent, ok := number(tb, percentVariable); ok {
			n = max(sample, full*int(percent)/100) //nolint:gosec // small
		}
	default:
		tb.Skipf("not campaign %s", wanted)
	}
	if runs, ok := number(tb, runsVariable); ok && wanted != "" {
		n = int(runs) //nolint:gosec // small
	}
	if given, ok := number(tb, seedVariable); ok {
		seed = given
	}
	tb.Logf("campaign %s: %d of %d, seed %d", name, n, full, seed)
	return n, seed, wanted != ""
}

// number returns a numeric environment variable and whether it is set.
func number(tb testing.TB, variable string) (n uint64, ok bool) {
	tb.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return 0, false
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		tb.Fatalf("%s: %v", variable, err)
	}
	return n, true
}
