// Package references lists links and backlinks with what stands at both ends, as the caller may see it.
//
// It names spaces, pages, files, collections, people and change requests, so it stands above the rooms of all of these;
// the graph that it reads is made in links. The server mounts its operations. It may import access, auth, links, orgs,
// rest, reviews, revision, spaces, view and the store.
package references
