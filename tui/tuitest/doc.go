// Package tuitest runs the screen in tests: a Server keeps its state in memory, a Screen types keys and shows the result,
// and a Reviewer opens several screens over a journal on disk.
//
// Tests of package tui and of the packages of its pages use it, as external tests.
package tuitest
