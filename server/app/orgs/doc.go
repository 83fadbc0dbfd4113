// Package orgs answers for organizations: their settings and hostnames, members, teams and identity providers, and
// for the users that are in them, with their tokens.
//
// The server mounts its operations; rooms above ask it what an organization is to a caller, and what it allows. It may
// import access, auth, budgets, rest, revision, rules, view and the store.
package orgs
