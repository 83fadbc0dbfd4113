// Package inbox answers which change requests there are and which concern whoever asks: lists of a space and of an
// organization, each request with a summary, why it concerns the caller, and how many do.
//
// A list never computes. What takes a while to find out is computed by a job of this room and kept beside the heads with the
// revisions that it is of; reviews, threads, rules and roles are read when somebody asks. The server mounts its operations
// and runs its job. It may import access, auth, rest, reviews, revision, view and the store.
package inbox
