// Package revision holds the content of a space or change request: trees of pages, texts, files, reusable contents and
// variables. Revisions are immutable objects; a Worktree is what an edit, an import or a merge makes of one until it is
// committed as the next; a Diff is what differs between two.
//
// Every room that reads or writes content goes through it. It knows no HTTP request and answers nothing by itself but
// errors: how content looks on the wire is the business of the rooms above. It may import cache, content, merge, the
// store and, to read heads together with a request, rest.
package revision
