// Package store keeps everything that wsd knows in Redis.
//
// It owns the catalogue of the keys (keys.go), one file per resource with its
// document, what it implies in indexes and in the model of its organization, and
// how it is read and written in a transaction; the heads of content; and Open,
// where a database begins: Store and Tx embed those of store/txn and add the
// resources.
//
// The server and the commands of wsd call it, and the rooms above it, which do
// what takes several transactions: store, store, store and
// store/fsck. It may import client/api and the rooms below it: store,
// store/postings, store/txn, store/objects and store/redis.
package store
