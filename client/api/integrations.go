package api

import (
	"encoding/json"
	"net/http"
)

// Routes of integrations.
var (
	ListIntegrations = get[ListIntegrationsInput, Page[Integration]]("integrations.list", "/v1/integrations",
		"List the integrations that can be installed: the public ones and those of your organizations.", withOperation("listIntegrations"))
	GetIntegration = get[IntegrationRef, Integration]("integrations.get", "/v1/integrations/{integrationName}",
		"Show an integration.", withOperation("getIntegrationByName"))
	PublishIntegration = post[PublishIntegrationInput, Integration]("integrations.publish", "/v1/integrations/{integrationName}",
		"Publish an integration, or the next version of one.", withBodyLimit(ContentBodyLimit), withOperation("publishIntegration"))
	UnpublishIntegration = remove[IntegrationRef]("integrations.unpublish", "/v1/integrations/{integrationName}", http.StatusNoContent,
		"Unpublish an integration: its installations pause, its name stays yours.", withOperation("unpublishIntegration"))
)

// ListIntegrationsInput is the input of ListIntegrations.
type ListIntegrationsInput struct {
	ListOptions
	Search         string              `query:"search" len:"0..512" doc:"Only those with this text in their name or title."`
	Category       IntegrationCategory `query:"category" doc:"Only those in this category."`
	BlockDomain    string              `query:"blockDomain" pattern:"integration" len:"1..100" doc:"Only those with a block that unfurls links to this domain."`
	Blocks         Optional[bool]      `query:"blocks" doc:"Only those with blocks, or only those without."`
	ContentSources Optional[bool]      `query:"contentSources" doc:"Only those with content sources, or only those without."`
	Owner          string              `query:"owner" pattern:"id" doc:"Only those of this organization."`
	Scope          IntegrationScope    `query:"scope" doc:"Only those that ask for this scope."`
	Target         IntegrationTarget   `query:"target" doc:"Only those that can be installed there."`
}

// IntegrationRef identifies an integration.
type IntegrationRef struct {
	Integration string `path:"integrationName" pattern:"integration" len:"1..100"`
}

// IntegrationCategory is a category of integrations.
type IntegrationCategory string

// Values returns the categories.
func (IntegrationCategory) Values() []IntegrationCategory {
	return []IntegrationCategory{"analytics", "collaboration", "content", "gitsync", "marketing", "visitor-auth", "other"}
}

// IntegrationScope is a permission that an integration requests.
type IntegrationScope string

// Values returns the scopes.
func (IntegrationScope) Values() []IntegrationScope {
	return []IntegrationScope{
		"space:views:read", "space:content:read", "space:content:write", "space:metadata:read", "space:metadata:write",
		"space:script:inject", "space:script:cookies", "space:git:sync", "space:visitor:auth",
		"site:metadata:read", "site:views:read", "site:script:inject", "site:script:cookies", "site:visitor:auth",
		"site:adaptive:read", "site:adaptive:write", "openapi:read", "openapi:write", "conversations:ingest",
	}
}

// IntegrationTarget is a kind of resource that an integration can be installed on.
type IntegrationTarget string

// Values of IntegrationTarget.
const (
	TargetAll          IntegrationTarget = "all"
	TargetSite         IntegrationTarget = "site"
	TargetSpace        IntegrationTarget = "space"
	TargetOrganization IntegrationTarget = "organization"
)

// Values returns the targets.
func (IntegrationTarget) Values() []IntegrationTarget {
	return []IntegrationTarget{TargetAll, TargetSite, TargetSpace, TargetOrganization}
}

// IntegrationVisibility is the audience of an integration.
type IntegrationVisibility string

// Values of IntegrationVisibility.
const (
	IntegrationPublic   IntegrationVisibility = "public"   // listed for everyone
	IntegrationUnlisted IntegrationVisibility = "unlisted" // accessible to anyone who knows its name
	IntegrationPrivate  IntegrationVisibility = "private"  // visible to members of the owning organization
)

// Values returns the visibilities.
func (IntegrationVisibility) Values() []IntegrationVisibility {
	return []IntegrationVisibility{IntegrationPublic, IntegrationPrivate, IntegrationUnlisted}
}

// IntegrationFields holds the stored members of an Integration.
type IntegrationFields struct {
	Object                string                    `json:"object" enum:"integration"`
	Name                  string                    `json:"name"`
	Version               int                       `json:"version" doc:"Counts the versions that were published."`
	Title                 string                    `json:"title" len:"2..30"`
	Description           string                    `json:"description" len:"0..100"`
	Summary               string                    `json:"summary,omitzero" format:"markdown" len:"0..2048"`
	Target                IntegrationTarget         `json:"target"`
	Verified              bool                      `json:"verified" doc:"Always false: wsd verifies nobody."`
	Visibility            IntegrationVisibility     `json:"visibility"`
	Scopes                []IntegrationScope        `json:"scopes" doc:"Scopes that installations give to tokens of the integration."`
	Categories            []IntegrationCategory     `json:"categories"`
	Blocks                []IntegrationBlock        `json:"blocks,omitzero" doc:"Blocks that the integration adds to the editor."`
	ContentSources        []IntegrationSource       `json:"contentSources,omitzero" doc:"Sources of content that the integration provides."`
	Configurations        IntegrationConfigurations `json:"configurations,omitzero" doc:"Declarations of the values that an installation is configured with."`
	ExternalLinks         []IntegrationLink         `json:"externalLinks"`
	ContentSecurityPolicy string                    `json:"contentSecurityPolicy,omitzero" doc:"Content-Security-Policy of the pages of the integration."`
}

// Integration is an extension that organizations can install.
type Integration struct {
	IntegrationFields
	PreviewImages []string               `json:"previewImages" doc:"Addresses, valid for an hour."`
	Owner         Organization           `json:"owner"`
	URLs          IntegrationURLs        `json:"urls"`
	Permissions   IntegrationPermissions `json:"permissions"`
}

var _ = declareColumns[Integration]("name,version,title,visibility,target,owner.title=OWNER")

// IntegrationURLs are the URLs of an integration.
type IntegrationURLs struct {
	Location       string `json:"location"`
	Icon           string `json:"icon,omitzero" doc:"Valid for an hour."`
	App            string `json:"app"`
	Assets         string `json:"assets,omitzero" doc:"The script as it was published, for admins of the owner; valid for an hour while they are one."`
	PublicEndpoint string `json:"publicEndpoint" doc:"Answers 501 whoever calls it: wsd keeps code and runs none."`
}

// IntegrationPermissions are the permissions of the caller on an integration.
type IntegrationPermissions struct {
	Admin   bool `json:"admin"`
	Install bool `json:"install" doc:"Whether the caller may install it."`
}

// IntegrationBlock is a block type that an integration adds to pages.
type IntegrationBlock struct {
	ID          string               `json:"id" len:"1..100"`
	Title       string               `json:"title" len:"2..40"`
	Description string               `json:"description,omitzero" len:"0..150"`
	Icon        string               `json:"icon,omitzero" format:"uri" len:"0..2048"`
	URLUnfurl   []string             `json:"urlUnfurl,omitzero" len:"0..100" each:"..2048" doc:"Patterns of the links that become such a block, as in https://*.example.com/**."`
	Markdown    *IntegrationMarkdown `json:"markdown,omitzero"`
}

// IntegrationMarkdown defines the Markdown of a block.
type IntegrationMarkdown struct {
	Codeblock string `json:"codeblock" len:"0..100" doc:"Language of the code block."`
	Body      string `json:"body" len:"0..100" doc:"Property that holds its text."`
}

// IntegrationSource is a type of content computed by an integration.
type IntegrationSource struct {
	ID            string                `json:"id" len:"1..100"`
	Title         string                `json:"title" len:"2..40"`
	Description   string                `json:"description,omitzero" len:"0..150"`
	Icon          string                `json:"icon,omitzero" format:"uri" len:"0..2048"`
	Configuration *IntegrationComponent `json:"configuration,omitzero"`
}

// IntegrationComponent identifies the component of an integration that requests a configuration.
type IntegrationComponent struct {
	ComponentID string `json:"componentId" len:"1..100"`
}

// IntegrationLink is an external link of an integration.
type IntegrationLink struct {
	URL   string `json:"url" format:"uri" len:"1..2048"`
	Label string `json:"label" len:"1..100"`
}

// IntegrationConfigurations defines the configurations of an integration by target.
type IntegrationConfigurations struct {
	Account *IntegrationConfiguration `json:"account,omitzero"`
	Space   *IntegrationConfiguration `json:"space,omitzero"`
	Site    *IntegrationConfiguration `json:"site,omitzero"`
}

// IntegrationConfiguration is a set of properties, or a component that requests them.
type IntegrationConfiguration struct {
	Properties  map[string]IntegrationProperty `json:"properties,omitzero" len:"0..100" keys:"..100" doc:"Declarations of the values by name."`
	Required    []string                       `json:"required,omitzero" len:"0..100" each:"..100" doc:"Names of the values that must be set."`
	ComponentID string                         `json:"componentId,omitzero" len:"0..100"`
}

// IntegrationPropertyType is the type of a property.
type IntegrationPropertyType string

// Values of IntegrationPropertyType. A button has no value.
const (
	PropertyString  IntegrationPropertyType = "string"
	PropertyNumber  IntegrationPropertyType = "number"
	PropertyBoolean IntegrationPropertyType = "boolean"
	PropertyButton  IntegrationPropertyType = "button"
)

// Values returns the values of IntegrationPropertyType.
func (IntegrationPropertyType) Values() []IntegrationPropertyType {
	return []IntegrationPropertyType{PropertyString, PropertyNumber, PropertyBoolean, PropertyButton}
}

// IntegrationProperty is a property of a configuration.
type IntegrationProperty struct {
	Type          IntegrationPropertyType `json:"type"`
	Title         string                  `json:"title,omitzero" len:"0..30"`
	Description   string                  `json:"description,omitzero" len:"0..100"`
	Default       json.RawMessage         `json:"default,omitzero" len:"..65536" doc:"A value of the type."`
	CompletionURL string                  `json:"completion_url,omitzero" len:"0..2048" doc:"Of a string: where values are suggested."`
	Enum          []string                `json:"enum,omitzero" len:"1..100" each:"..2048" doc:"Of a string: the values that are possible."`
	CallbackURL   string                  `json:"callback_url,omitzero" len:"0..2048" doc:"Of a button."`
	ButtonText    string                  `json:"button_text,omitzero" len:"0..100" doc:"Of a button."`
}
