// Package merge owns the three-way merge: of page trees page by page, of page
// texts block by block, and inside an edited block sentence by sentence (line by
// line where lines matter).
//
// It is pure and deterministic: no I/O but the Load function it is handed, no
// clock, no randomness; maps are walked in sorted order. It may import the
// standard library and the packages align and content.
//
// Its laws: swapping the sides swaps nothing but their names; a side that
// changed nothing changes nothing; what only one side changed is taken byte for
// byte; a word that a side inserted is in the result or in a conflict, a word
// that a side deleted is gone or in a conflict. What cannot be decided is a
// Conflict, never a guess: over the sentences or lines that collide, else over the
// passage between unchanged blocks, and over a whole page where that does not do.
package merge
