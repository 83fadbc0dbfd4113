// Package content implements the parts of a page's Markdown: its limits, its top-level blocks with ids that are stable
// across edits, its title and slug, its links, its expressions and its form as a tree.
//
// It is pure: the same bytes give the same result on every machine, without I/O, clock, randomness or mutable state.
// Bytes are never normalized: line endings, byte order marks and missing final newlines are preserved.
package content
