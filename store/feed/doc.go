// Package feed keeps a model of each organization in memory, never older than the
// batch of reads that asked for it.
//
// It owns the log of changes that commits append to, how every Batch that names an
// organization reads the news of it with its other values, the reload when they
// cannot be followed, and the byte budget of the models. What the entries mean it
// does not know: that is the Model which server/core/access makes.
//
// Package txn calls it, for Batch.Follow and Batch.News; handlers get a Feed from
// there. It may import store/redis.
package feed
