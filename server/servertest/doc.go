// Package servertest provides the test environment of the server: a World is a server on a store of its own, with an
// organization of people in every role, a sample of every resource, and helpers for common steps.
//
// NewSampleWorld and EachSampleWorld return copies of the sample organization. Story and Each run a test on every engine (under
// -short, the emulation only); Do calls an operation that must succeed, Refused one that must fail, Try either. A
// test package calls Main from its TestMain. When a test ends, fsck checks its store.
package servertest
