package api

// EventLog describes the event log of an organization.
type EventLog struct {
	Object      string       `json:"object" enum:"event-log"`
	Oldest      *OldestEvent `json:"oldest,omitzero" doc:"Absent if there are no events."`
	Entries     int64        `json:"entries" doc:"How many events there are."`
	Bytes       int64        `json:"bytes,omitzero" doc:"What they take in memory, estimated; absent if that is not known."`
	MaxBytes    int64        `json:"maxBytes,omitzero" doc:"A tenth of the quota of the organization: the oldest events are removed if all take more. Absent without a quota."`
	KeptDays    int64        `json:"keptDays" doc:"For how many days events are kept."`
	KeptEntries int64        `json:"keptEntries" doc:"How many events are kept at most."`
}

// OldestEvent is the oldest event of a log.
type OldestEvent struct {
	ID string `json:"id"`
	At Time   `json:"at" doc:"When it happened."`
}
