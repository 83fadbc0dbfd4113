// Package content owns what a page's Markdown is made of: its limits, its
// top-level blocks with identities that outlive edits, its title, its slug,
// its links, its expressions and its form as a tree.
//
// It is pure: the same bytes give the same answer on every machine, there is no
// I/O, no clock, no randomness and no mutable state. It may import the standard
// library, package align, the Markdown and YAML parsers, the slug library and the
// wire types; it may not import the store or the server. Bytes are never normalised: line ends,
// byte order marks and missing final newlines come back as they were given.
package content
