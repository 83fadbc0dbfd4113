// Package indexing searches the texts of spaces, for those who may read them, and keeps the postings that it searches.
//
// An index follows the head of its space: a job brings it there, or the search that finds it behind. The server mounts
// the searches and runs the jobs. It may import access, auth, cache, content, reading, rest, revision, search, view and the
// store.
package search
