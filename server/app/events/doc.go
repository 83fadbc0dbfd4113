// Package events implements what is read from the event log of an organization, to which every commit appends an entry: the timeline
// of a change request, the list of events and the audit log. A request reads a bounded number of entries; the returned cursor
// continues. Callers see the events of what they may read at the time of the request, see ReadingNeed.
package events
