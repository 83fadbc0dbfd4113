// Package store keeps everything that wsd knows in Redis.
//
// It owns the names of the keys (keys.go is the catalogue), the one way to
// change them (Store.Update: a closure over a read set, committed by one
// script), records, ordered indexes, immutable objects and the persistent maps
// made of them, the shape that authorization is computed from, and the ways to
// run Redis: by URL, as a supervised child, or in memory.
//
// It knows Redis and not documentation: what a space or a comment is stands in
// the resource files, which use nothing but what is exported here. It may
// import client/api and no other package of this module.
package store
