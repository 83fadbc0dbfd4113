package api

import "encoding/json"

// Routes of the event log of an organization.
var (
	ListEvents = get[ListEventsInput, LogPage[Event]]("events.list", "/v1/orgs/{organizationId}/events",
		"List what has happened in an organization, as far as you may read what it is about: the latest first.")
	ListAudit = get[ListAuditInput, LogPage[AuditEvent]]("audit.list", "/v1/orgs/{organizationId}/audit-events",
		"List who has changed what in an organization, the latest first.", withOperation("listOrganizationAuditEvents"))
	GetAudit = get[AuditEventRef, AuditEventDetails]("audit.get", "/v1/orgs/{organizationId}/audit-events/{auditEventId}",
		"Show a change with its request, the address of the client and what was there before.", withOperation("getOrganizationAuditEvent"))
	OldestAudit = get[OrganizationRef, EventLog]("audit.oldest", "/v1/orgs/{organizationId}/audit-event-log",
		"Show how far the event log of an organization goes back, its size and how much of it is kept.")
	ListAuditActions = get[OrganizationRef, AuditEventActions]("audit.list-actions", "/v1/orgs/{organizationId}/audit-event-actions",
		"List the actions of audit events.", withOperation("listOrganizationAuditEventActions"))
)

// LogPage is the envelope of a list of the entries of a log. A request reads a bounded number of entries, so a page may be short or
// empty although others follow, and the number of all entries is not known.
type LogPage[T any] struct {
	Next  *Next `json:"next,omitzero" doc:"Where to go on; absent on the last page. A page may be empty although others follow."`
	Items []T   `json:"items"`
}

// ListEventsInput is the input of ListEvents.
type ListEventsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	EventFilter
	ListOptions
}

// EventFilter selects events. Empty members select all.
type EventFilter struct {
	Actor  string `query:"actor" pattern:"id" doc:"Only what this user or installation did."`
	Kind   string `query:"kind" len:"..100" doc:"Only this kind, as in members.update, or all kinds of a resource, as in members."`
	Object string `query:"object" pattern:"id" doc:"Only what is about the object with this id."`
	Space  string `query:"space" pattern:"id" doc:"Only what is in this space."`
	Since  string `query:"since" format:"date-time" len:"..40" doc:"Only what happened at this time or later."`
	Until  string `query:"until" format:"date-time" len:"..40" doc:"Only what happened before this time."`
}

// Event is an entry of the event log. Events written by earlier versions of wsd have fewer members.
type Event struct {
	Object         string                     `json:"object" enum:"event"`
	ID             string                     `json:"id" doc:"The position in the log: later events have greater ids."`
	At             Time                       `json:"at" doc:"When it happened."`
	Kind           string                     `json:"kind" doc:"The operation, job or command, as in spaces.update."`
	By             *User                      `json:"by,omitzero" doc:"Absent where nobody asked for it: jobs, and commands on the machine of the server."`
	Installation   string                     `json:"installation,omitzero" doc:"Id of the installation that did it."`
	Target         *EventTarget               `json:"target,omitzero" doc:"What it is about; absent where that is not shown to you."`
	Space          string                     `json:"space,omitzero" doc:"Id of the space that it is in."`
	Site           string                     `json:"site,omitzero" doc:"Id of the site that it is in."`
	Collection     string                     `json:"collection,omitzero" doc:"Id of the collection that it is about."`
	ChangeRequest  string                     `json:"changeRequest,omitzero" doc:"Id or number of the change request that it is in."`
	Page           string                     `json:"page,omitzero" doc:"Id of the page that it is about."`
	Comment        string                     `json:"comment,omitzero" doc:"Id of the thread that it is in."`
	Version        int                        `json:"version,omitzero" doc:"Version of the object afterwards."`
	Changed        []string                   `json:"changed,omitempty" doc:"Names of the members that changed."`
	Before         map[string]json.RawMessage `json:"before,omitempty" doc:"Values of the changed members before, where they are no text and short."`
	After          map[string]json.RawMessage `json:"after,omitempty" doc:"And their values afterwards."`
	Revision       string                     `json:"revision,omitzero" doc:"Id of the revision afterwards, where content changed."`
	RevisionBefore string                     `json:"revisionBefore,omitzero" doc:"The revision before the change."`
	Pages          int                        `json:"pages,omitzero" doc:"How many pages changed."`
	PageIDs        []string                   `json:"pageIds,omitempty" doc:"The first 20 of them; the changes between the two revisions are all of them."`
	Users          []User                     `json:"users,omitempty" doc:"People that it is about, such as those asked for a review."`
	Teams          []string                   `json:"teams,omitempty" doc:"Ids of the teams that it is about."`
	Count          int                        `json:"count,omitzero" doc:"How many times it happened since the event before, for refused requests."`
}

var _ = declareColumns[Event]("id,at,by.displayName=BY,kind,target.title=ON,target.id=ID,changed")

// EventTarget is the object that an event is about.
type EventTarget struct {
	Type  string `json:"type" doc:"As in space or change-request."`
	ID    string `json:"id"`
	Title string `json:"title,omitzero" doc:"The title or name that it has today, for spaces, collections, teams and people."`
}

// ListAuditInput is the input of ListAudit.
type ListAuditInput struct {
	Organization string        `path:"organizationId" pattern:"id"`
	From         string        `query:"from" format:"date-time" len:"..40" doc:"Only what happened at this time or later."`
	To           string        `query:"to" format:"date-time" len:"..40" doc:"Only what happened before this time."`
	Action       string        `query:"action" len:"..100" doc:"Only this action, as list-actions names it."`
	Actor        string        `query:"actor" pattern:"id" doc:"Only what this user or installation did; u_system is wsd itself and commands on the machine of the server."`
	Target       string        `query:"target" pattern:"id" doc:"Only what is about the object with this id."`
	Page         string        `query:"page" len:"..1024" doc:"Cursor from next.page of the answer before."`
	Limit        Optional[int] `query:"limit" range:"0..1000" default:"20" doc:"Items per page."`
}

// AuditEventRef identifies an event in the audit log.
type AuditEventRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Event        string `path:"auditEventId" pattern:"id"`
}

// AuditEvent is an entry of the event log in the form of the public API.
type AuditEvent struct {
	Object     string           `json:"object" enum:"audit-event"`
	ID         string           `json:"id"`
	OccurredAt Time             `json:"occurredAt" doc:"When it happened."`
	Action     string           `json:"action" doc:"What happened."`
	Actor      AuditEventActor  `json:"actor"`
	Source     AuditEventSource `json:"source" doc:"integration for installations, script for jobs and for commands on the machine of the server, else api."`
	Target     AuditEventTarget `json:"target"`
	URLs       LocationURLs     `json:"urls"`
}

var _ = declareColumns[AuditEvent]("id,occurredAt=AT,actor.label=ACTOR,action,target.type=TYPE,target.label=ON,target.id=TARGET")

// AuditEventSource is the way on which a change was made.
type AuditEventSource string

// Values of AuditEventSource.
const (
	AuditFromAPI         AuditEventSource = "api"
	AuditFromIntegration AuditEventSource = "integration"
	AuditFromScript      AuditEventSource = "script"
)

// Values returns the values of AuditEventSource.
func (AuditEventSource) Values() []AuditEventSource {
	return []AuditEventSource{AuditFromAPI, AuditFromIntegration, AuditFromScript}
}

// AuditEventActor is the user, installation or program that made a change.
type AuditEventActor struct {
	Type  AuditActorType `json:"type"`
	ID    string         `json:"id"`
	Label string         `json:"label" doc:"The name that a person has today; the operator's user and host for commands."`
}

// AuditActorType is the kind of an AuditEventActor.
type AuditActorType string

// Values of AuditActorType.
const (
	AuditUser         AuditActorType = "user"
	AuditInstallation AuditActorType = "installation"
	AuditSystem       AuditActorType = "system" // wsd itself, or the operator with a command
)

// Values returns the values of AuditActorType.
func (AuditActorType) Values() []AuditActorType {
	return []AuditActorType{AuditUser, AuditInstallation, AuditSystem}
}

// AuditEventTarget is the object of a change.
type AuditEventTarget struct {
	Type  string `json:"type"`
	ID    string `json:"id"`
	Label string `json:"label" doc:"The title at that time, or the name that a person has today; empty where it has none."`
}

// AuditEventDetails is an AuditEvent with all that is kept of it.
type AuditEventDetails struct {
	AuditEvent
	CorrelationID string       `json:"correlationId,omitzero" doc:"Id of the request, which is also in the log of the server."`
	SchemaVersion int          `json:"schemaVersion" doc:"Version of the form of payload."`
	Payload       AuditPayload `json:"payload"`
}

// AuditPayload contains the members of an audit event besides actor and target.
type AuditPayload struct {
	Event
	Token       string `json:"token,omitzero" doc:"Id of the token that was used."`
	Command     string `json:"command,omitzero" doc:"The command on the machine of the server."`
	Operator    string `json:"operator,omitzero" doc:"Who ran it: user of the operating system and host."`
	Address     string `json:"address,omitzero" doc:"Address of the client."`
	UserAgent   string `json:"userAgent,omitzero" doc:"User-Agent of the client; absent if the server does not keep it."`
	TitleBefore string `json:"titleBefore,omitzero" doc:"The title before, where it changed; at most 100 bytes."`
	TitleAfter  string `json:"titleAfter,omitzero" doc:"The title after the change."`
}

// AuditEventAction is an action of audit events.
type AuditEventAction struct {
	Object string `json:"object" enum:"audit-event-action"`
	ID     string `json:"id"`
	Label  string `json:"label"`
}

var _ = declareColumns[AuditEventAction]("id,label")

// AuditEventActions is the output of ListAuditActions.
type AuditEventActions struct {
	Items []AuditEventAction `json:"items"`
}
