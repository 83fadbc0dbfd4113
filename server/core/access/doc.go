// Package access implements the access model of an organization. A Model keeps the authorization data in memory: the tree of
// collections and spaces, members with their roles, teams, and published sites. It is up to date for every decision. View gives
// access to a model under its lock. The Dependencies of a decision have to be checked again by the transaction of the request.
// DESIGN.md describes the design.
package access
