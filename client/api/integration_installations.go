package api

import (
	"encoding/json"
	"net/http"
)

// Routes of the installations of integrations.
var (
	ListIntegrationInstallations = get[ListInstallationsInput, Page[IntegrationInstallation]]("integration-installations.list",
		"/v1/integrations/{integrationName}/installations", "List the installations of an integration in your organizations; its owner's "+
			"admins see all.", withOperation("listIntegrationInstallations"))
	CreateIntegrationInstallation = create[CreateInstallationInput, IntegrationInstallation]("integration-installations.create",
		"/v1/integrations/{integrationName}/installations", "Install an integration in an organization.",
		withOperation("installIntegration"))
	GetIntegrationInstallation = get[InstallationRef, IntegrationInstallation]("integration-installations.get",
		"/v1/integrations/{integrationName}/installations/{installationId}", "Show an installation.",
		withOperation("getIntegrationInstallationById"))
	UpdateIntegrationInstallation = patch[UpdateInstallationInput, IntegrationInstallation]("integration-installations.update",
		"/v1/integrations/{integrationName}/installations/{installationId}", "Configure an installation.",
		withOperation("updateIntegrationInstallation"))
	DeleteIntegrationInstallation = remove[InstallationRef]("integration-installations.delete",
		"/v1/integrations/{integrationName}/installations/{installationId}", http.StatusResetContent,
		"Uninstall an integration; its configuration is gone.", withOperation("uninstallIntegration"))

	CreateInstallationToken = post[InstallationRef, TemporaryToken]("installation-tokens.create",
		"/v1/integrations/{integrationName}/installations/{installationId}/tokens", "Make a token for an installation: for an hour, it "+
			"opens what the scopes of the integration and the selections of the installation name.", markSecret,
		withOperation("createIntegrationInstallationToken"))
)

// TemporaryToken is a token that expires.
type TemporaryToken struct {
	Token string `json:"token" doc:"The credential itself; only in the answer that made it."`
}

// ListInstallationsInput is the input of ListIntegrationInstallations.
type ListInstallationsInput struct {
	IntegrationRef
	ListOptions
	ExternalID string `query:"externalId" len:"1..256" doc:"Only those with this external id."`
}

// InstallationRef identifies an installation.
type InstallationRef struct {
	IntegrationRef
	Installation string `path:"installationId" pattern:"id"`
}

// CreateInstallationInput is the input of CreateIntegrationInstallation.
type CreateInstallationInput struct {
	IntegrationRef
	Body InstallationCreate
}

// InstallationCreate is the body of CreateIntegrationInstallation.
type InstallationCreate struct {
	Organization string `json:"organization" pattern:"id" doc:"Where to install it: once in each organization."`
}

// UpdateInstallationInput is the input of UpdateIntegrationInstallation.
type UpdateInstallationInput struct {
	InstallationRef
	Body InstallationPatch
}

// InstallationPatch is the body of UpdateIntegrationInstallation.
type InstallationPatch struct {
	ExternalIDs    Optional[[]string]                   `json:"externalIds,omitzero" len:"0..5" each:"1..256" unique:"true" doc:"What the installation is called elsewhere."`
	Configuration  Optional[map[string]json.RawMessage] `json:"configuration,omitzero" len:"0..100" keys:"..100" each:"..65536" doc:"The whole configuration: what is left out, it no longer has."`
	SpaceSelection Optional[InstallationSelection]      `json:"space_selection,omitzero"`
	SiteSelection  Optional[InstallationSelection]      `json:"site_selection,omitzero"`
}

// InstallationSelection selects the spaces or sites of an installation.
type InstallationSelection string

// Values of InstallationSelection.
const (
	SelectAll      InstallationSelection = "all"
	SelectSelected InstallationSelection = "selected"
)

// Values returns the selections.
func (InstallationSelection) Values() []InstallationSelection {
	return []InstallationSelection{SelectAll, SelectSelected}
}

// InstallationStatus is the state of an installation.
type InstallationStatus string

// Values of InstallationStatus.
const (
	InstallationActive  InstallationStatus = "active"
	InstallationPending InstallationStatus = "pending" // the configuration is incomplete
	InstallationPaused  InstallationStatus = "paused"  // the integration is not published
)

// Values returns the values of InstallationStatus.
func (InstallationStatus) Values() []InstallationStatus {
	return []InstallationStatus{InstallationActive, InstallationPending, InstallationPaused}
}

// InstallationFields holds the stored members of an IntegrationInstallation.
type InstallationFields struct {
	ID             string                     `json:"id"`
	SpaceSelection InstallationSelection      `json:"space_selection"`
	SiteSelection  InstallationSelection      `json:"site_selection"`
	Configuration  map[string]json.RawMessage `json:"configuration" doc:"Values of the configuration, as the integration declares it."`
	ExternalIDs    []string                   `json:"externalIds" doc:"Ids of other systems, by which the installation can be found."`
	CreatedAt      Time                       `json:"createdAt"`
	UpdatedAt      Time                       `json:"updatedAt"`
	Target         InstallationTarget         `json:"target"`
}

// InstallationTarget is the organization that an integration is installed in.
type InstallationTarget struct {
	Organization string `json:"organization"`
}

// IntegrationInstallation is an integration installed in an organization.
type IntegrationInstallation struct {
	InstallationFields
	Status InstallationStatus `json:"status"`
	Spaces int                `json:"spaces" doc:"How many spaces it is for."`
	URLs   InstallationURLs   `json:"urls"`
}

// InstallationURLs are the URLs of an installation.
type InstallationURLs struct {
	AppURLs
	PublicEndpoint string `json:"publicEndpoint" doc:"Answers 501 whoever calls it: wsd keeps code and runs none."`
}

var _ = declareColumns[IntegrationInstallation]("id,status,target.organization=ORGANIZATION,spaces,externalIds,updatedAt")
