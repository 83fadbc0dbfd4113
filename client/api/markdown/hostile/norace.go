//go:build !race

package hostile

const instrumented = 1
