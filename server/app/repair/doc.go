// Package repair mends content whose objects are lost: only the page, file or part of a tree that cannot be read goes back
// to its last readable state, and what is lost is listed.
//
// wsd fsck --repair calls it with what fsck found. It may import budgets, content, rest, reviews, revision, view and
// the store.
package repair
