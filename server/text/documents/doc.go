// Package documents owns the form of a text as a tree: it writes Markdown as a document, and says where its
// blocks stand in the text. docs/documents.md says how each thing is written; package writeback goes the other way.
//
// It is pure: the same bytes give the same answer on every machine, there is no I/O, no clock and no randomness. Rooms
// that answer texts call it: pages, comments and reviews. It may import package content, which knows what a text is made
// of, the parsers of Markdown and HTML, and the wire types.
package documents
