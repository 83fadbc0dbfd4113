// Package events implements the timeline of a change request. It is derived from the events that every commit appends
// to the stream of the organization, and available to callers who may comment in the space. A request scans a bounded
// number of events; the returned cursor continues the scan.
package events
