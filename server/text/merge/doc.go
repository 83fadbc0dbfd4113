// Package merge implements the three-way merge of page trees page by page, of page texts block by block, and of edited
// blocks sentence by sentence, or line by line for tables and code.
//
// It is pure and deterministic. Merging is symmetric: swapping the sides only swaps their names. A side without changes
// has no effect, a change of only one side is taken byte for byte, and a change that both sides made alike counts once.
// Where one side of a sentence or of an insertion has all changes of the other and more, its text is taken. A word that
// a side inserted or deleted is inserted or deleted in the result, or it is part of a Conflict. Whatever cannot be
// decided is a Conflict, over the colliding sentences or lines, else over the passage between unchanged blocks, else
// over the whole page.
package merge
