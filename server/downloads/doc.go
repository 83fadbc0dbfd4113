// Package downloads answers with bytes: the files of pages at signed addresses, and spaces and pages as PDF.
//
// The server mounts its operation and serves the signed addresses through it. It may import auth, budgets, cache,
// content, export, reading, rest, revision, view and the store.
package downloads
