// Package reviews answers for change requests: what they change, who reviews them, whether they may be merged, the merge
// itself and what is done about its conflicts.
//
// The server mounts its operations; rooms above load requests through it. It may import access, align, auth, budgets,
// comments, conflicts, content, diff, documents, links, merge, orgs, rest, revision, rules, view, writeback and the store.
package review
