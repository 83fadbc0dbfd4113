// Package owned knows which records belong to a record, and goes through them.
//
// Change requests and comments belong to a space, reviews to a change request,
// replies to a comment. Records lists all that a space has, Discard removes a
// record with what it implies, Remove all that a space has, in as many
// transactions as it takes; DropContent removes the objects of a space.
//
// Purge and transfers call it, and store/usage, which counts. It may import store
// and the rooms below it.
package owned
