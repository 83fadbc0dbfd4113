//go:build race

package hostile

// raceFactor is the factor by which the race detector increases allocations.
const raceFactor = 2
