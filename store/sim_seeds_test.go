//go:build !race

package store_test

const (
	simHistories = 50  // of the sample
	simSeeds     = 150 // within which a fault has to be found
)
