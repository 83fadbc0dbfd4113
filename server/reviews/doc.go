// Package reviews answers for change requests: what they change, who reviews them, whether they may be merged, the merge
// itself and what is done about its conflicts.
//
// The server mounts its operations; rooms above load requests through it. It may import comments, links, orgs, view,
// revision, rest, access and the store: of what merges and compares it calls merge and diff, which are pure.
package reviews
