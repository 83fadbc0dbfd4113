// Package sites answers for published sites: what they show and to whom, their sections, permissions, share links,
// visitors and translations.
//
// The server mounts its operations; purge takes spaces off their sites through it. It may import access, adaptive,
// auth, content, orgs, rest, revision, spaces, view and the store.
package sites
