// Package pages answers for content: pages and their texts, files, reusable contents and variables, their history, and
// edits, those of services that push among them.
//
// The server mounts its operations. Edits of a change request go through reviews, so it stands above them; what a
// computed page shows is made above it, by a Computer. It may import access, auth, budgets, content, documents,
// fetch, links, merge, reading, rest, reviews, revision, view, writeback and the store.
package pages
