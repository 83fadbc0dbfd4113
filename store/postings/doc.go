// Package postings implements the search index of spaces as stored in Redis.
//
// It owns the keys and encodings of postings and words, the state of each index, and the directory of each
// organization, which lists the spaces that may contain a word. An Indexer updates the index of a space in steps,
// each conditional on the state it started from. A View looks up words as part of a Batch. Terms and weights are
// opaque to the package.
package postings
