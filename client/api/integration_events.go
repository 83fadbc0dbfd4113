package api

// Routes of the events of integrations.
var (
	ListIntegrationEvents = get[ListIntegrationEventsInput, LogPage[IntegrationEvent]]("integration-events.list",
		"/v1/integrations/{integrationName}/events", "List what has happened to the installations of an integration of yours, the "+
			"latest first.", withOperation("listIntegrationEvents"))
	GetIntegrationEvent = get[IntegrationEventRef, IntegrationEventDetails]("integration-events.get",
		"/v1/integrations/{integrationName}/events/{eventId}", "Show an event of an integration with its trace.",
		withOperation("getIntegrationEvent"))
)

// ListIntegrationEventsInput is the input of ListIntegrationEvents.
type ListIntegrationEventsInput struct {
	IntegrationRef
	ListOptions
}

// IntegrationEventRef identifies an event of an integration.
type IntegrationEventRef struct {
	IntegrationRef
	Event string `path:"eventId" pattern:"id"`
}

// IntegrationEvent is a change of an installation of an integration.
type IntegrationEvent struct {
	ID             string                  `json:"id" doc:"The position in the log: later events have greater ids."`
	IntegrationID  string                  `json:"integrationId" doc:"Name of the integration."`
	InstallationID string                  `json:"installationId"`
	CreatedAt      Time                    `json:"createdAt"`
	Payload        IntegrationEventPayload `json:"payload"`
	Status         string                  `json:"status" enum:"success" doc:"Changes that failed leave no event."`
}

var _ = declareColumns[IntegrationEvent]("id,createdAt=AT,payload.type=TYPE,installationId=INSTALLATION,payload.status=STATUS," +
	"payload.spaceId=SPACE,payload.siteId=SITE")

// IntegrationEventType is the kind of an IntegrationEvent.
type IntegrationEventType string

// Values of IntegrationEventType. A setup creates or changes an installation.
const (
	InstallationSetup        IntegrationEventType = "installation_setup"
	InstallationDeleted      IntegrationEventType = "installation_deleted"
	SpaceInstallationSetup   IntegrationEventType = "space_installation_setup"
	SpaceInstallationDeleted IntegrationEventType = "space_installation_deleted"
	SiteInstallationSetup    IntegrationEventType = "site_installation_setup"
	SiteInstallationDeleted  IntegrationEventType = "site_installation_deleted"
)

// Values returns the values of IntegrationEventType.
func (IntegrationEventType) Values() []IntegrationEventType {
	return []IntegrationEventType{
		InstallationSetup, InstallationDeleted, SpaceInstallationSetup, SpaceInstallationDeleted, SiteInstallationSetup,
		SiteInstallationDeleted,
	}
}

// IntegrationEventPayload describes the change of an IntegrationEvent.
type IntegrationEventPayload struct {
	EventID        string                    `json:"eventId" doc:"Id of the event."`
	Type           IntegrationEventType      `json:"type"`
	InstallationID string                    `json:"installationId"`
	SpaceID        string                    `json:"spaceId,omitzero" doc:"Only shown to admins of the organization of the installation."`
	SiteID         string                    `json:"siteId,omitzero" doc:"Only shown to admins of the organization of the installation."`
	Status         InstallationStatus        `json:"status,omitzero" doc:"The status after a setup; absent in events of earlier versions."`
	Previous       *IntegrationEventPrevious `json:"previous,omitzero" doc:"The state before a change or deletion, as far as the log has it."`
}

// IntegrationEventPrevious is the state of an installation before an IntegrationEvent. The log has no configurations.
type IntegrationEventPrevious struct {
	Status InstallationStatus `json:"status,omitzero" doc:"The status before a setup."`
}

// IntegrationEventDetails is the output of GetIntegrationEvent.
type IntegrationEventDetails struct {
	Event IntegrationEvent      `json:"event"`
	Trace IntegrationEventTrace `json:"trace"`
}

// IntegrationEventTrace contains the log lines of an IntegrationEvent.
type IntegrationEventTrace struct {
	Logs []IntegrationEventLog `json:"logs" doc:"One line, which names the operation."`
}

// IntegrationEventLog is a line of an IntegrationEventTrace.
type IntegrationEventLog struct {
	Message   string `json:"message" doc:"The operation; for admins of the organization of the installation also the id of the request."`
	Timestamp Time   `json:"timestamp" doc:"When it happened."`
	Level     string `json:"level" enum:"info" doc:"Always info."`
}
