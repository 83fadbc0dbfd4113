// Package fsck checks every invariant of the stored data.
//
// Run checks that keys are in the catalogue, records decode, indexes, access entries and counts match the records,
// and every object that a head reaches is stored. It can repair derived data and sweep unreachable objects. The
// entries that a record implies are obtained from the store by running the code that writes the record
// (Store.DerivedData). It is used by wsd fsck, by the repair of unreadable spaces and by tests, not by requests.
package fsck
