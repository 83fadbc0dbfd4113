package api

// Rows of organizations (interface, Organizations).
var (
	ListOrganizations  = get[ListOrganizationsInput, Page[Organization]]("organizations.list", "/v1/orgs", "List your organizations.")
	CreateOrganization = create[CreateOrganizationInput, Organization]("organizations.create", "/v1/orgs", "Create an organization; you become its first admin.")
	GetOrganization    = get[OrganizationRef, Organization]("organizations.get", "/v1/orgs/{organization}", "Show an organization.")
)

// ListOrganizationsInput is the input of ListOrganizations.
type ListOrganizationsInput struct {
	ListOptions
}

// OrganizationRef names an organization.
type OrganizationRef struct {
	Organization string `path:"organization" pattern:"id"`
}

// CreateOrganizationInput is the input of CreateOrganization.
type CreateOrganizationInput struct {
	Body OrganizationCreate
}

// OrganizationCreate is the body of CreateOrganization.
type OrganizationCreate struct {
	Title string `json:"title" len:"2..255"`
}

// OrganizationType is the kind of an organization.
type OrganizationType string

// The types of organizations.
const (
	OrganizationBusiness  OrganizationType = "business"
	OrganizationCommunity OrganizationType = "community"
)

// Values returns the types.
func (OrganizationType) Values() []OrganizationType {
	return []OrganizationType{OrganizationBusiness, OrganizationCommunity}
}

// OrganizationFields are the members of an Organization that are stored as they are answered.
type OrganizationFields struct {
	Object       string           `json:"object" enum:"organization"`
	ID           string           `json:"id"`
	Title        string           `json:"title" len:"2..255"`
	CreatedAt    Time             `json:"createdAt"`
	EmailDomains []string         `json:"emailDomains"`
	Type         OrganizationType `json:"type"`
	InviteLinks  bool             `json:"inviteLinks"`
	Plan         string           `json:"plan" doc:"Always free_2024: wsd sells nothing."`
	Trial        Trial            `json:"trial"`
	IsOnNewTrial bool             `json:"internal_isOnNewTrial" doc:"Deprecated, always true."`
}

// Organization is a tenant (interface, Organization).
type Organization struct {
	OrganizationFields
	URLs        AppURLs                 `json:"urls"`
	Permissions OrganizationPermissions `json:"permissions"`
}

// Trial is the state of a trial; there are none.
type Trial struct {
	Status string `json:"status" doc:"Always notapplicable."`
}

// OrganizationPermissions tells what the caller may do in an organization.
type OrganizationPermissions struct {
	View                bool `json:"view"`
	Admin               bool `json:"admin"`
	OwnTeam             bool `json:"ownTeam"`
	CreateContent       bool `json:"createContent"`
	CreateOpenAPISpec   bool `json:"createOpenAPISpec"`
	IngestConversations bool `json:"ingestConversations"`
	ViewBilling         bool `json:"viewBilling"`
	ListMembers         bool `json:"listMembers"`
	ListTeams           bool `json:"listTeams"`
	ListIntegrations    bool `json:"listIntegrations"`
}
