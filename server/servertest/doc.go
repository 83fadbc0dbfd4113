// Package servertest is the world that tests of the server live in: a server on a store of its own, an organization with
// people in every role, a sample of every resource, and the steps that stories are told in.
//
// Sampled and EachSampled give a test a world with a copy of the sample organization, which is made once for a test
// binary; Original does so for worlds that a test has made. Under -short every engine is the emulation.
//
// A package of stories calls Main from its TestMain. Story runs a test on every engine, Each on every engine with a
// world of its own; Do calls an operation as somebody and fails the test unless it succeeds, Refused unless it is
// refused, Try leaves that to the test. When a test ends, its store is checked by fsck. It may import access, budgets,
// documentstest, domains, fetch, importer, orgs, rest, server and the store.
package servertest
