//go:build race

package store_test

// simSeeds is how many runs a simulation has: fewer, as the race detector makes
// each take several times as long.
const simSeeds = 40
