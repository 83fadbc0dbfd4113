// Package align finds common subsequences: it pairs the equal elements of two sequences, and returns the changes between
// them as hunks. Rules select the algorithm and its cost limits for the needs of merges, diffs and comments.
//
// It is pure and deterministic. Partners are equal and in the same order on both sides; the common beginning and end of two
// sequences is always paired.
package align
