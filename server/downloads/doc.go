// Package downloads answers with bytes: the files of pages at signed addresses, and spaces and pages as PDF.
//
// The server mounts its operation and serves the signed addresses through it. It may import view, revision, export, auth,
// rest, access and the store.
package downloads
