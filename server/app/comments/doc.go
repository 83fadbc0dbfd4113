// Package comments keeps what people say about spaces, change requests and passages of pages, with replies and reactions,
// and finds the passage again in later texts.
//
// The server mounts its operations; reviews put the comments of a review through it. It may import access, auth,
// budgets, cache, content, documents, orgs, rest, revision, view, writeback and the store.
package comments
