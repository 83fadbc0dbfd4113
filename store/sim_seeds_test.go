//go:build !race

package store_test

// simSeeds is how many runs a simulation has.
const simSeeds = 150
