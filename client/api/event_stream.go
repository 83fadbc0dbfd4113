package api

import "encoding/json"

// MediaEventStream is the media type of streams of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
const MediaEventStream = "text/event-stream"

// TailEvents is the route of the stream of events of an organization.
var TailEvents = get[TailEventsInput, EventMessage]("events.tail", "/v1/orgs/{organizationId}/events/stream",
	"Follow what happens in an organization, as far as you may read what it is about: server-sent events, the oldest first.", markStream)

// TailEventsInput is the input of TailEvents.
type TailEventsInput struct {
	Organization string         `path:"organizationId" pattern:"id"`
	After        string         `query:"after" len:"..40" doc:"The id of an event or of a message after which the stream begins, unless the header Last-Event-ID has one. Without one it begins at since, else with what happens from now on; with follow=false, at the oldest event."`
	Follow       Optional[bool] `query:"follow" default:"true" doc:"false ends the stream at the newest event; until takes it."`
	EventFilter
}

// EventMessage is a message of the stream of events.
type EventMessage struct {
	Type  EventMessageType `json:"type"`
	ID    string           `json:"id,omitzero" doc:"The position in the log, from which the stream can be continued."`
	Event *Event           `json:"event,omitzero"`
	Gap   *EventGap        `json:"gap,omitzero"`
}

var _ = declareColumns[EventMessage]("event.id=ID,event.at=AT,event.by.displayName=BY,event.kind=KIND,event.target.title=ON," +
	"event.target.id=ID OF,event.changed=CHANGED")

// EventMessageType is the kind of a message of the stream of events.
type EventMessageType string

// Values of EventMessageType.
const (
	EventMessageEvent    EventMessageType = "event"          // something happened
	EventMessagePosition EventMessageType = "position"       // nothing that the caller sees happened up to this position
	EventMessageGap      EventMessageType = "gap"            // events after the position before are no longer in the log
	EventMessageAccess   EventMessageType = "access.changed" // the caller can no longer read something
)

// Values returns the values of EventMessageType.
func (EventMessageType) Values() []EventMessageType {
	return []EventMessageType{EventMessageEvent, EventMessagePosition, EventMessageGap, EventMessageAccess}
}

// EventGap says which events are still in the log. Both ids are empty if there are none.
type EventGap struct {
	Oldest string `json:"oldest,omitzero" doc:"Id of the oldest event in the log."`
	Newest string `json:"newest,omitzero" doc:"Id of the newest one, after which the stream goes on."`
}

// Fields returns the name, the id and the data of the server-sent event that carries the message. A message of the type event has
// no name, and one of the type position no data.
func (m EventMessage) Fields() (name, id string, data []byte, err error) {
	switch m.Type {
	case EventMessageEvent:
		data, err = json.Marshal(m.Event)
	case EventMessageGap:
		name = string(m.Type)
		data, err = json.Marshal(m.Gap)
	case EventMessageAccess:
		name, data = string(m.Type), []byte("{}")
	case EventMessagePosition:
	}
	return name, m.ID, data, err
}

// SetFields sets the message from the fields of a server-sent event. Messages that this version does not know become positions. It
// returns an error if the data is not that of the message.
func (m *EventMessage) SetFields(name, id string, data []byte) error {
	*m = EventMessage{Type: EventMessagePosition, ID: id}
	switch {
	case name == "" && len(data) > 0:
		m.Type, m.Event = EventMessageEvent, &Event{}
		return json.Unmarshal(data, m.Event)
	case name == string(EventMessageGap):
		m.Type, m.Gap = EventMessageGap, &EventGap{}
		return json.Unmarshal(data, m.Gap)
	case name == string(EventMessageAccess):
		m.Type = EventMessageAccess
	}
	return nil
}
