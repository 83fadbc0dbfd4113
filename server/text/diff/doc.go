// Package diff owns what changed between two texts, for people: blocks aligned
// by their ids, words inside edited blocks, lines for programs that patch.
//
// It is pure and deterministic: no I/O, no clock, no randomness; its cost is
// bounded for any two texts. It may import the standard library, the packages
// align and content, and the wire types.
//
// Its laws: the runs of a diff are both texts, byte for byte; equal texts differ
// in nothing; swapping the texts swaps added and removed; what is marked as
// formatting looks the same to a reader.
package diff
