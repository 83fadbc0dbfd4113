// Package eventlog defines the entries of the event log of an organization. Every commit of an operation, job or command appends
// one, and the timeline, the list of events and the audit log are read from them.
package eventlog
