// Package sortkey makes the keys by which siblings are in order.
//
// It owns fractional keys: Between finds one between two others, so that a move
// writes one key and no sibling's; Spread makes many anew when some have become
// long. Member is a key with the identifier behind it, as an order has them.
//
// The transaction calls it (txn.Tx.Place), the store, and the server where pages
// and site sections are in order. It may import store/redis, for its errors.
package sortkey
