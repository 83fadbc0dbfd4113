// Package integrations answers for integrations, where they are published and where they are installed.
//
// The server mounts its operations. It may import access, auth, orgs, rest, revision, view and the store.
package integrations
