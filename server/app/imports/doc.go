// Package imports imports content from archives and websites into spaces and change requests, and stores the source
// of each imported page and file.
//
// A repeated import is a three-way merge: the base is the last import, ours the current content, and theirs the
// present content of the source. DESIGN.md describes how pages of a source are matched and what happens to those that
// the source does not contain any more.
package imports
