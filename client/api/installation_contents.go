package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
)

// Routes of the spaces and sites that integrations are installed on.
var (
	ListInstallationSpaces = get[ListInstallationContentsInput, Page[IntegrationSpaceInstallation]]("installation-spaces.list",
		"/v1/integrations/{integrationName}/installations/{installationId}/spaces", "List the spaces that an installation is for.",
		withOperation("listIntegrationInstallationSpaces"))
	CreateInstallationSpace = create[CreateInstallationSpaceInput, IntegrationSpaceInstallation]("installation-spaces.create",
		"/v1/integrations/{integrationName}/installations/{installationId}/spaces", "Install an integration on a space, beside those "+
			"that it was selected for.", withOperation("installIntegrationOnSpace"))
	GetInstallationSpace = get[GetInstallationSpaceInput, IntegrationSpaceInstallation]("installation-spaces.get",
		"/v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId}", "Show an installation on a space.",
		withOperation("getIntegrationSpaceInstallation"))
	UpdateInstallationSpace = patch[UpdateInstallationSpaceInput, IntegrationSpaceInstallation]("installation-spaces.update",
		"/v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId}", "Configure an installation on a space.",
		withOperation("updateIntegrationSpaceInstallation"))
	DeleteInstallationSpace = remove[InstallationSpaceRef]("installation-spaces.delete",
		"/v1/integrations/{integrationName}/installations/{installationId}/spaces/{spaceId}", http.StatusNoContent,
		"Uninstall an integration from a space; its configuration there is gone.", withOperation("uninstallIntegrationFromSpace"))

	ListInstallationSites = get[ListInstallationContentsInput, Page[IntegrationSiteInstallation]]("installation-sites.list",
		"/v1/integrations/{integrationName}/installations/{installationId}/sites", "List the sites that an installation is for.",
		withOperation("listIntegrationInstallationSites"))
	CreateInstallationSite = create[CreateInstallationSiteInput, IntegrationSiteInstallation]("installation-sites.create",
		"/v1/integrations/{integrationName}/installations/{installationId}/sites", "Install an integration on a site, beside those that "+
			"it was selected for.", withOperation("installIntegrationOnSite"))
	GetInstallationSite = get[GetInstallationSiteInput, IntegrationSiteInstallation]("installation-sites.get",
		"/v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId}", "Show an installation on a site.",
		withOperation("getIntegrationSiteInstallation"))
	UpdateInstallationSite = patch[UpdateInstallationSiteInput, IntegrationSiteInstallation]("installation-sites.update",
		"/v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId}", "Configure an installation on a site.",
		withOperation("updateIntegrationSiteInstallation"))
	DeleteInstallationSite = remove[InstallationSiteRef]("installation-sites.delete",
		"/v1/integrations/{integrationName}/installations/{installationId}/sites/{siteId}", http.StatusNoContent,
		"Uninstall an integration from a site; its configuration there is gone.", withOperation("uninstallIntegrationFromSite"))
)

// MaxSelected is the maximum number of spaces, and of sites, that an installation can be installed on individually:
// uninstalling removes them in a single transaction.
const MaxSelected = 400

// Extended selects whether a response has the whole space or site or only its id.
type Extended struct {
	Extended bool `query:"extended" doc:"Answer the space or site itself, rather than its id."`
}

// ListInstallationContentsInput is the input of ListInstallationSpaces and ListInstallationSites.
type ListInstallationContentsInput struct {
	InstallationRef
	ListOptions
	Extended
}

// InstallationSpaceRef identifies an installation on a space.
type InstallationSpaceRef struct {
	InstallationRef
	Space string `path:"spaceId" pattern:"id"`
}

// InstallationSiteRef identifies an installation on a site.
type InstallationSiteRef struct {
	InstallationRef
	Site string `path:"siteId" pattern:"id"`
}

// CreateInstallationSpaceInput is the input of CreateInstallationSpace.
type CreateInstallationSpaceInput struct {
	InstallationRef
	Extended
	Body InstallationSpaceCreate
}

// InstallationSpaceCreate is the body of CreateInstallationSpace.
type InstallationSpaceCreate struct {
	Space string `json:"space" pattern:"id" doc:"A space of the organization. Where the installation is for it already, that is answered."`
}

// CreateInstallationSiteInput is the input of CreateInstallationSite.
type CreateInstallationSiteInput struct {
	InstallationRef
	Extended
	Body InstallationSiteCreate
}

// InstallationSiteCreate is the body of CreateInstallationSite.
type InstallationSiteCreate struct {
	Site string `json:"siteId" pattern:"id" doc:"A site of the organization. Where the installation is for it already, that is answered."`
}

// GetInstallationSpaceInput is the input of GetInstallationSpace.
type GetInstallationSpaceInput struct {
	InstallationSpaceRef
	Extended
}

// GetInstallationSiteInput is the input of GetInstallationSite.
type GetInstallationSiteInput struct {
	InstallationSiteRef
	Extended
}

// UpdateInstallationSpaceInput is the input of UpdateInstallationSpace.
type UpdateInstallationSpaceInput struct {
	InstallationSpaceRef
	Extended
	Body InstallationContentPatch
}

// UpdateInstallationSiteInput is the input of UpdateInstallationSite.
type UpdateInstallationSiteInput struct {
	InstallationSiteRef
	Extended
	Body InstallationContentPatch
}

// InstallationContentPatch is the body of UpdateInstallationSpace and UpdateInstallationSite.
type InstallationContentPatch struct {
	ExternalIDs   Optional[[]string]                   `json:"externalIds,omitzero" len:"0..5" each:"1..256" unique:"true" doc:"What it is called elsewhere."`
	Configuration Optional[map[string]json.RawMessage] `json:"configuration,omitzero" len:"0..100" keys:"..100" each:"..65536" doc:"The whole configuration for it: what is left out, it no longer has."`
}

// InstallationContentFields holds the stored members of an installation on a space or site.
type InstallationContentFields struct {
	Configuration map[string]json.RawMessage `json:"configuration" doc:"Values of the configuration, as the integration declares it."`
	ExternalIDs   []string                   `json:"externalIds" doc:"Ids of other systems, by which the installation can be found."`
}

// IntegrationContentInstallation holds the common members of installations on spaces and on sites.
type IntegrationContentInstallation struct {
	InstallationContentFields
	Integration  string             `json:"integration" doc:"Name of the integration."`
	Installation string             `json:"installation"`
	Status       InstallationStatus `json:"status"`
}

// InstallationContentURLs are the URLs of an installation on a space or site.
type InstallationContentURLs struct {
	Location              string `json:"location"`
	PublicEndpoint        string `json:"publicEndpoint" doc:"Answers 501 whoever calls it: wsd keeps code and runs none."`
	PublicContentEndpoint string `json:"publicContentEndpoint" doc:"As publicEndpoint, of the installation there."`
}

// IntegrationSpaceInstallation is an installation on one space.
type IntegrationSpaceInstallation struct {
	IntegrationContentInstallation
	Space Whole[Space]            `json:"space" doc:"The id of the space; with extended the space."`
	URLs  InstallationContentURLs `json:"urls"`
}

var _ = declareColumns[IntegrationSpaceInstallation]("space,status,externalIds")

// IntegrationSiteInstallation is an installation on one site.
type IntegrationSiteInstallation struct {
	IntegrationContentInstallation
	Site Whole[Site]             `json:"site" doc:"The id of the site; with extended the site."`
	URLs InstallationContentURLs `json:"urls"`
}

var _ = declareColumns[IntegrationSiteInstallation]("site,status,externalIds")

// Whole is a resource, represented by its id or, on request, by the resource itself.
type Whole[T any] struct {
	ID    string
	Thing *T // nil if only the id was requested
}

// textOrObject declares that the value is a string or a Thing.
func (Whole[T]) textOrObject() (text, object reflect.Type) {
	return reflect.TypeFor[string](), reflect.TypeFor[T]()
}

// MarshalJSON implements json.Marshaler.
func (w Whole[T]) MarshalJSON() ([]byte, error) {
	if w.Thing != nil {
		return json.Marshal(w.Thing)
	}
	return json.Marshal(w.ID)
}

// UnmarshalJSON implements json.Unmarshaler.
func (w *Whole[T]) UnmarshalJSON(data []byte) error {
	*w = Whole[T]{}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) {
		return json.Unmarshal(data, &w.ID)
	}
	var named struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	w.ID = named.ID
	return json.Unmarshal(data, &w.Thing)
}
