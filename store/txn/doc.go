// Package txn is the transaction, and the reads beside it.
//
// It owns Update: a closure over a read set, committed by one script in one slot
// (commit.lua), with what is written to other slots just before (prepare.go:
// objects, claims, superset indexes), idempotency, due times and the outbox; and
// Batch, which makes many reads in one trip, the news of an organization's model
// among them (store/txn). Records and identifiers have their form here. What an organization uses of its quota is counted in the same script.
//
// It knows no resource: which keys there are, what a record means and where it is
// listed stands in package store, which embeds Store and Tx of this package and is
// what others open. The server names what it gets from there: Batch, Future,
// Record, Guard, UpdateOptions. It may import store/redis, store/objects,
// store/txn and store/txn.
package txn
