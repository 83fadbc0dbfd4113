// Package progress owns what somebody keeps of reviews for themselves alone: which changes they have read, how far they
// looked at the timeline, and the queries that they saved. Nobody else sees any of it, admins neither: it leaves no event,
// and nothing of a change request moves with it.
//
// The server mounts its operations and runs its job. It may import api, auth, budgets, rest, revision, view and the
// store.
package progress
