// Package lifecycle takes spaces and collections through what outlives a request: the purge after the trash, the transfer
// to another organization and back, the duplicate, and the end of an organization.
//
// The server mounts its operations and runs its jobs. It touches what the other features keep, so it stands above them.
// It may import access, auth, budgets, orgs, rest, revision, sites, spaces, view and the store.
package lifecycle
