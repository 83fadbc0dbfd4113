//go:build race

package hostile

// instrumented is how much more is allocated with the race detector.
const instrumented = 2
