// Package store is the database of wsd: all resources, stored in Redis.
//
// It owns the catalogue of keys (keys.go) and, per resource, a file with its document, the index members and access
// entries derived from it, and its reads and writes in a transaction. It also owns the heads of content, the job
// queue and multi-transaction operations such as transfers and purges. Open returns a Store; Store and Tx embed those
// of store/txn.
package store
