//go:build race

package store_test

// The race detector makes each run of a simulation take several times as long.
const simHistories = 20 // of the sample
