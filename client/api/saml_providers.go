package api

import "net/http"

// Routes of SAML providers.
var (
	ListSAMLProviders = get[ListSAMLProvidersInput, Page[SAMLProvider]]("saml-providers.list", "/v1/orgs/{organizationId}/saml",
		"List the SAML providers of an organization.", withOperation("listSAMLProvidersInOrganizationById"))
	CreateSAMLProvider = create[CreateSAMLProviderInput, SAMLProvider]("saml-providers.create", "/v1/orgs/{organizationId}/saml",
		"Add a SAML provider; it is pending until an admin has signed in by it.", withOperation("createOrganizationSAMLProvider"))
	GetSAMLProvider = get[SAMLProviderRef, SAMLProvider]("saml-providers.get", "/v1/orgs/{organizationId}/saml/{samlProviderId}",
		"Show a SAML provider.", withOperation("getOrganizationSAMLProviderById"))
	UpdateSAMLProvider = patch[UpdateSAMLProviderInput, SAMLProvider]("saml-providers.update",
		"/v1/orgs/{organizationId}/saml/{samlProviderId}", "Change a SAML provider.", withOperation("updateOrganizationSAMLProvider"))
	DeleteSAMLProvider = remove[SAMLProviderRef]("saml-providers.delete", "/v1/orgs/{organizationId}/saml/{samlProviderId}",
		http.StatusNoContent, "Delete a SAML provider.", withOperation("deleteOrganizationSAMLProvider"))

	ListSAMLProviderLogins = get[OrganizationRef, SSOLogins]("saml-providers.list-logins", "/v1/orgs/{organizationId}/sso",
		"List where to sign in: the providers that are active.", withOperation("listSSOProviderLoginsInOrganization"))
)

// SAMLStatus is the status of a SAML provider.
type SAMLStatus string

// Values of SAMLStatus.
const (
	SAMLActive  SAMLStatus = "active"
	SAMLPending SAMLStatus = "pending" // no admin has signed in by it
)

// Values returns the values of SAMLStatus.
func (SAMLStatus) Values() []SAMLStatus { return []SAMLStatus{SAMLActive, SAMLPending} }

// SAMLProviderRef identifies a SAML provider.
type SAMLProviderRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	SAMLProvider string `path:"samlProviderId" pattern:"id"`
}

// ListSAMLProvidersInput is the input of ListSAMLProviders.
type ListSAMLProvidersInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// CreateSAMLProviderInput is the input of CreateSAMLProvider.
type CreateSAMLProviderInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         SAMLProviderCreate
}

// SAMLProviderCreate is the body of CreateSAMLProvider.
type SAMLProviderCreate struct {
	Label string `json:"label" len:"1..30"`
	SAMLProviderSettings
}

// UpdateSAMLProviderInput is the input of UpdateSAMLProvider.
type UpdateSAMLProviderInput struct {
	SAMLProviderRef
	Body SAMLProviderPatch
}

// SAMLProviderPatch is the body of UpdateSAMLProvider.
type SAMLProviderPatch struct {
	Label Optional[string] `json:"label,omitzero" len:"1..30"`
	SAMLProviderSettings
}

// SAMLProviderSettings are the settings of a SAML provider. An empty text removes a setting, except ssoURL, which
// must be a URL.
type SAMLProviderSettings struct {
	EntityID    Optional[string] `json:"entityID,omitzero" len:"0..1024" doc:"How the provider names itself."`
	Certificate Optional[Text]   `json:"certificate,omitzero" len:"0..10000" doc:"The X.509 certificates that the provider signs with: up to three in PEM, so that a new one can be added before the old one goes, or one in plain base64. At least one must not have expired."`
	SSOURL      Optional[string] `json:"ssoURL,omitzero" len:"1..2048" format:"uri" doc:"Where the provider signs people in."`
	DefaultTeam Optional[string] `json:"defaultTeam,omitzero" pattern:"optionalID" doc:"The team that people who join by this provider come into; an empty text: none."`
	DefaultRole Optional[Role]   `json:"defaultRole,omitzero" null:"true" doc:"The role of people who join by this provider; null makes them guests."`

	SubjectAttribute Optional[string]         `json:"subjectAttribute,omitzero" len:"0..256" doc:"The name of the attribute that identifies a person for good; an empty text: the NameID, which must be persistent then."`
	EmailAttribute   Optional[string]         `json:"emailAttribute,omitzero" len:"0..256" doc:"The name of the attribute with the e-mail address; an empty text: the usual names, such as mail."`
	NameAttribute    Optional[string]         `json:"nameAttribute,omitzero" len:"0..256" doc:"The name of the attribute with the name of a person; an empty text: the usual names, such as displayName."`
	TeamAttribute    Optional[string]         `json:"teamAttribute,omitzero" len:"0..256" doc:"The name of the attribute with the groups of a person; an empty text: none."`
	Teams            Optional[[]ProviderTeam] `json:"teams,omitzero" len:"0..100" unique:"true" doc:"All teams that groups of people lead to: those that are left out go."`
}

// SAMLProviderFields holds the stored members of a SAMLProvider.
type SAMLProviderFields struct {
	Object      string     `json:"object" enum:"saml-provider"`
	ID          string     `json:"id"`
	Label       string     `json:"label" len:"1..30"`
	SSOURL      string     `json:"ssoURL,omitzero" format:"uri" doc:"Address of the provider to which people are sent."`
	EntityID    string     `json:"entityID,omitzero" doc:"Entity id of the provider."`
	Certificate Text       `json:"certificate,omitzero" doc:"Certificate of the provider, PEM."`
	DefaultRole *Role      `json:"defaultRole" doc:"Null for guests."`
	CreatedAt   Time       `json:"createdAt"`
	Status      SAMLStatus `json:"status"`

	SubjectAttribute string `json:"subjectAttribute,omitzero" doc:"Attribute that identifies the person in place of the NameID."`
	EmailAttribute   string `json:"emailAttribute,omitzero" doc:"Attribute with the e-mail address."`
	NameAttribute    string `json:"nameAttribute,omitzero" doc:"Attribute with the name of the person."`
	TeamAttribute    string `json:"teamAttribute,omitzero" doc:"Attribute with the names of teams; absent if teams are not taken from the provider."`
}

// Complete reports whether the settings needed to sign in are set: entity id, certificate and SSO URL.
func (f SAMLProviderFields) Complete() bool {
	return f.EntityID != "" && f.Certificate != "" && f.SSOURL != ""
}

// SAMLProvider is a SAML identity provider.
type SAMLProvider struct {
	SAMLProviderFields
	Untried                bool           `json:"untried,omitzero" doc:"The settings have changed and no admin has signed in by them: people sign in by the settings before."`
	CertificateFingerprint string         `json:"certificateFingerprint,omitzero" doc:"The SHA-256 of the first certificate, in hexadecimal: what providers show beside theirs."`
	CertificateExpiresAt   Time           `json:"certificateExpiresAt,omitzero" doc:"Until when the first certificate is valid."`
	DefaultTeam            *Team          `json:"defaultTeam,omitzero"`
	Teams                  []ProviderTeam `json:"teams,omitzero" doc:"Without teams that were deleted."`
	Service                SAMLService    `json:"service" doc:"What the provider has to know of this service."`
	URLs                   LocationURLs   `json:"urls"`
}

var _ = declareColumns[SAMLProvider]("id,label,status,ssoURL=URL,defaultTeam.title=TEAM,defaultRole=ROLE,createdAt")

// SAMLService are the service provider URLs of wsd for a SAML provider.
type SAMLService struct {
	ACSURL   string `json:"acsURL" format:"uri" doc:"Assertion consumer service: where the provider sends its answer."`
	StartURL string `json:"startURL" format:"uri" doc:"Where people start to sign in."`
	EntityID string `json:"entityID" doc:"Entity id of wsd for the provider, which is the address of its metadata."`
}

// SSOLogins are the sign-in options of an organization.
type SSOLogins struct {
	Items []SSOLogin `json:"items"`
}

// SSOLogin is a provider to sign in with.
type SSOLogin struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	StartURL string `json:"startURL" format:"uri" doc:"Where people start to sign in."`
}
