// Package integrations answers for integrations, where they are published and where they are installed.
//
// The server mounts its operations. It may import orgs, view, auth, rest, access and the store.
package integrations
