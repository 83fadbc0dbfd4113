// Package postings is the search index of the spaces, as it lies in Redis.
//
// It owns the keys and packed forms of postings and words, the state that says
// which pages an index reflects, and the directory of each organization, which
// says which spaces may have a word. An Indexer brings the index of a space forward, in
// steps of which each holds only while the state is the one that it belongs to; a
// View looks words up, with the other reads of a Batch.
//
// The server calls it: the job that indexes, and the searches. What words and
// weights are, it does not know. Package store decides when an index is behind
// (Tx.MoveHead). It may import store/redis, store/objects and store/txn.
package postings
