// Package documents converts Markdown to the document form of a text, a tree of nodes, and reports the positions of the
// tree's blocks in the text. docs/documents.md specifies the tree; package writeback implements the opposite direction.
//
// It is pure: the same bytes give the same result on every machine, without I/O, clock or randomness.
package documents
