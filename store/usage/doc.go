// Package usage counts what an organization stores.
//
// The commit of each transaction keeps the count; this package makes it anew: for
// organizations that were stored before there was a count, after what a failover
// lost, and where fsck finds a difference (Recount). It also weighs what a transfer
// will bring (Weigh).
//
// The server's job of the kind Kind calls it, transfers, and store/fsck. It may
// import store and the rooms below it, and store/owned.
package usage
