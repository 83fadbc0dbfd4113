// Package revision stores the content of spaces and change requests: page trees, texts, files, reusable contents and
// variables. Revisions are immutable objects; a Worktree is the next revision under construction; a Diff compares two
// revisions. All packages that read or write content use it. See DESIGN.md for its invariants.
package revision
