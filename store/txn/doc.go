// Package txn implements transactions and batched reads on Redis.
//
// Update runs a closure over a read set and commits it with one script in one slot (commit.lua), including
// idempotency, due times, the outbox and quota accounting. Writes to other slots (objects, claims, superset indexes)
// happen before the commit. Batch sends many reads in one trip and keeps the in-memory access models current. The
// package defines records and identifiers but no resources; package store embeds its Store and Tx and defines keys
// and meaning.
package txn
