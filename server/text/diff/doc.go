// Package diff computes the changes between two texts for display: blocks matched by id, words inside edited blocks, and
// lines in the unified format.
//
// It is pure and deterministic, and its cost is bounded for any two texts. The runs of a diff contain both texts byte for
// byte, equal texts have no changes, swapping the texts swaps added and removed, and changes marked as formatting do not
// change the rendered page.
package diff
