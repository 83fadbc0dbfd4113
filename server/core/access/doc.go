// Package access says who may do what in an organization. A Model is what that takes, kept in memory and never stale
// when it decides: the tree of collections and spaces, who is a member with which roles, what is published to whom.
//
// The store feeds it from the organization's log of changes and lends it out under a lock (Look). Whatever a decision
// rested on comes along as Dependencies, which the transaction of the request checks again.
//
// The pipeline of requests asks it before any handler runs; rooms that list, count or grant ask it after. It may import
// adaptive and the store.
package access
