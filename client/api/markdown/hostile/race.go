//go:build race

package hostile

// instrumented is the factor by which the race detector increases allocations.
const instrumented = 2
