// Package align owns the search for what two sequences have in common: which
// element of one is which element of the other, and what changed in between.
//
// Package merge aligns the sentences and lines of two versions, package diff words
// and lines, package content the words of a text that somebody commented on. Each
// says by Rules what it needs; InOrder, Hunks and Invert serve them all, and package
// server where siblings were reordered.
//
// It is pure and deterministic: no I/O, no clock, no randomness. It may import the
// standard library and the library go-diff, and no package of this module.
//
// Its laws: partners are equal; they are in the same order on both sides; what two
// sequences begin and end with has its partner there; equal sequences have partners
// throughout.
package align
