// Package fsck holds every invariant of the store against the data.
//
// It owns the check (Run): keys are in the catalogue, records decode, indexes,
// access entries and counts say what the records imply, and every object that a
// head reaches is there; the repair of what is derived; and the sweep of objects
// that nothing reaches. What a record implies it asks the store, which runs the
// function that writes such a record (Store.Implied): nothing is said twice.
//
// The command wsd fsck calls it, the repair of unreadable spaces, and the tests as
// their last word. A request never does. It may import store and all rooms below
// it, and store, which counts.
package fsck
