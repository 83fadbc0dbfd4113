// Package imports brings content from elsewhere into spaces and change requests, and keeps what each import belongs to:
// its source.
//
// Importing a source again is a three-way merge: its base is what the last import brought, ours what is here now, and
// theirs what the source has now. DESIGN.md says how the pages of a source are found again and what becomes of those that
// are gone. It may import access, auth, budgets, conflicts, content, fetch, importer, links, merge, rest, reviews, revision,
// split, view and the store.
package imports
