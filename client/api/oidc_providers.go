package api

import "net/http"

// Routes of OIDC providers.
var (
	ListOIDCProviders = get[ListOIDCProvidersInput, Page[OIDCProvider]]("oidc-providers.list", "/v1/orgs/{organizationId}/oidc",
		"List the OIDC providers of an organization.")
	CreateOIDCProvider = create[CreateOIDCProviderInput, OIDCProvider]("oidc-providers.create", "/v1/orgs/{organizationId}/oidc",
		"Add an OIDC provider; it is pending until an admin has signed in by it.")
	GetOIDCProvider = get[OIDCProviderRef, OIDCProvider]("oidc-providers.get", "/v1/orgs/{organizationId}/oidc/{oidcProviderId}",
		"Show an OIDC provider, without its client secret.")
	UpdateOIDCProvider = patch[UpdateOIDCProviderInput, OIDCProvider]("oidc-providers.update",
		"/v1/orgs/{organizationId}/oidc/{oidcProviderId}",
		"Change an OIDC provider; another issuer, client or client secret is used when an admin has signed in by it.")
	DeleteOIDCProvider = remove[OIDCProviderRef]("oidc-providers.delete", "/v1/orgs/{organizationId}/oidc/{oidcProviderId}",
		http.StatusNoContent, "Delete an OIDC provider.")
)

// OIDCStatus is the status of an OIDC provider.
type OIDCStatus string

// Values of OIDCStatus.
const (
	OIDCActive  OIDCStatus = "active"
	OIDCPending OIDCStatus = "pending" // no admin has signed in by it
)

// Values returns the values of OIDCStatus.
func (OIDCStatus) Values() []OIDCStatus { return []OIDCStatus{OIDCActive, OIDCPending} }

// OIDCProviderRef identifies an OIDC provider.
type OIDCProviderRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	OIDCProvider string `path:"oidcProviderId" pattern:"id"`
}

// ListOIDCProvidersInput is the input of ListOIDCProviders.
type ListOIDCProvidersInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// CreateOIDCProviderInput is the input of CreateOIDCProvider.
type CreateOIDCProviderInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         OIDCProviderCreate
}

// OIDCProviderCreate is the body of CreateOIDCProvider.
type OIDCProviderCreate struct {
	Label string `json:"label" len:"1..30"`
	OIDCProviderSettings
}

// UpdateOIDCProviderInput is the input of UpdateOIDCProvider.
type UpdateOIDCProviderInput struct {
	OIDCProviderRef
	Body OIDCProviderPatch
}

// OIDCProviderPatch is the body of UpdateOIDCProvider.
type OIDCProviderPatch struct {
	Label Optional[string] `json:"label,omitzero" len:"1..30"`
	OIDCProviderSettings
}

// OIDCProviderSettings are the settings of an OIDC provider. Issuer, client and client secret can be replaced and not removed.
type OIDCProviderSettings struct {
	Issuer       Optional[string]         `json:"issuer,omitzero" len:"1..1024" format:"uri" doc:"How the provider names itself, exactly as in its discovery document. Begins with https://, or with http:// on the machine of the server."`
	ClientID     Optional[string]         `json:"clientId,omitzero" len:"1..256" doc:"The client that the provider has made for this service."`
	ClientSecret Optional[string]         `json:"clientSecret,omitzero" len:"1..1024" doc:"The secret of the client. Kept sealed and never answered."`
	DefaultTeam  Optional[string]         `json:"defaultTeam,omitzero" pattern:"optionalID" doc:"The team that people who join by this provider come into; an empty text: none."`
	DefaultRole  Optional[Role]           `json:"defaultRole,omitzero" null:"true" doc:"The role of people who join by this provider; null makes them guests."`
	TrustEmail   Optional[bool]           `json:"trustEmail,omitzero" doc:"Take e-mail addresses of the provider as verified, whatever it says about them. Only for an issuer of the organization alone."`
	TeamClaim    Optional[string]         `json:"teamClaim,omitzero" len:"0..256" doc:"The claim of the ID token with the groups of a person, such as groups; an empty text: none."`
	Teams        Optional[[]ProviderTeam] `json:"teams,omitzero" len:"0..200" unique:"true" doc:"The teams that the values of the claim stand for."`
}

// Validate checks the issuer, and that only an issuer of one tenant is trusted with e-mail addresses.
func (s OIDCProviderSettings) Validate() (wrong []FieldError) {
	issuer, ok := s.Issuer.Get()
	if reason := IssuerReason(issuer); ok && reason != "" {
		wrong = append(wrong, FieldError{Path: "issuer", Message: reason})
	} else if reason := SharedIssuerReason(issuer); reason != "" {
		if trust, _ := s.TrustEmail.Get(); trust {
			wrong = append(wrong, FieldError{Path: "trustEmail", Message: "must be false: " + reason})
		}
	}
	return wrong
}

// OIDCProviderFields holds the stored members of an OIDCProvider.
type OIDCProviderFields struct {
	Object          string     `json:"object" enum:"oidc-provider"`
	ID              string     `json:"id"`
	Label           string     `json:"label" len:"1..30"`
	Issuer          string     `json:"issuer,omitzero" format:"uri" doc:"Issuer of the provider."`
	ClientID        string     `json:"clientId,omitzero" doc:"Client id of wsd at the provider."`
	HasClientSecret bool       `json:"hasClientSecret" doc:"The secret itself is not answered."`
	DefaultRole     *Role      `json:"defaultRole" doc:"Null for guests."`
	TrustEmail      bool       `json:"trustEmail" doc:"Whether addresses of the provider are taken as verified."`
	TeamClaim       string     `json:"teamClaim,omitzero" doc:"Claim with the names of teams; absent if teams are not taken from the provider."`
	CreatedAt       Time       `json:"createdAt"`
	Status          OIDCStatus `json:"status"`
}

// Complete reports whether the settings needed to sign in are set: issuer, client id and client secret.
func (f OIDCProviderFields) Complete() bool {
	return f.Issuer != "" && f.ClientID != "" && f.HasClientSecret
}

// OIDCProvider is an identity provider that signs people in with OpenID Connect.
type OIDCProvider struct {
	OIDCProviderFields
	Untried     bool           `json:"untried,omitzero" doc:"The settings have changed and no admin has signed in by them: people sign in by the settings before."`
	DefaultTeam *Team          `json:"defaultTeam,omitzero"`
	Teams       []ProviderTeam `json:"teams" doc:"Without those whose team is deleted."`
	Service     OIDCService    `json:"service" doc:"What the provider has to know of this service."`
	URLs        LocationURLs   `json:"urls"`
}

var _ = declareColumns[OIDCProvider]("id,label,status,issuer,defaultTeam.title=TEAM,defaultRole=ROLE,createdAt")

// OIDCService are the URLs of wsd for an OIDC provider.
type OIDCService struct {
	RedirectURL string `json:"redirectURL" format:"uri" doc:"To enter at the provider as the redirect URI of the client."`
	StartURL    string `json:"startURL" format:"uri" doc:"Where people start to sign in."`
}
