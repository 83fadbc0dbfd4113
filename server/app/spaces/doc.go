// Package spaces answers for spaces and collections: where they stand, how they are moved and deleted, and who has which
// role in them.
//
// The server mounts its operations; rooms above make spaces with it (sites, lifecycle) and read their records through
// it. It may import access, auth, content, orgs, rest, revision, view and the store.
package spaces
