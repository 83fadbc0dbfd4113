package api

import "net/http"

// Routes of service accounts: users for programs, which belong to one organization.
var (
	ListServiceAccounts = get[ListServiceAccountsInput, Page[ServiceAccount]]("service-accounts.list",
		"/v1/orgs/{organizationId}/service-accounts", "List the service accounts of an organization: its users for programs.")
	CreateServiceAccount = create[CreateServiceAccountInput, ServiceAccount]("service-accounts.create",
		"/v1/orgs/{organizationId}/service-accounts",
		"Create a service account: a member for a program, without an e-mail address, whose tokens only admins create.")
	GetServiceAccount = get[ServiceAccountRef, ServiceAccount]("service-accounts.get",
		"/v1/orgs/{organizationId}/service-accounts/{serviceAccountId}", "Show a service account.")
	UpdateServiceAccount = patch[UpdateServiceAccountInput, ServiceAccount]("service-accounts.update",
		"/v1/orgs/{organizationId}/service-accounts/{serviceAccountId}", "Change the name or the role of a service account.")
	DeleteServiceAccount = remove[ServiceAccountRef]("service-accounts.delete",
		"/v1/orgs/{organizationId}/service-accounts/{serviceAccountId}", http.StatusResetContent,
		"End a service account and its tokens; what it wrote keeps its name.")
	CreateServiceAccountToken = create[CreateServiceAccountTokenInput, Token]("service-accounts.create-token",
		"/v1/orgs/{organizationId}/service-accounts/{serviceAccountId}/tokens",
		"Create a token of a service account; its secret is shown once.", markSecret)
)

// ListServiceAccountsInput is the input of ListServiceAccounts.
type ListServiceAccountsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// ServiceAccountRef identifies a service account of an organization.
type ServiceAccountRef struct {
	Organization   string `path:"organizationId" pattern:"id"`
	ServiceAccount string `path:"serviceAccountId" pattern:"id"`
}

// CreateServiceAccountInput is the input of CreateServiceAccount.
type CreateServiceAccountInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         ServiceAccountCreate
}

// ServiceAccountCreate is the body of CreateServiceAccount.
type ServiceAccountCreate struct {
	DisplayName string         `json:"displayName" len:"1..64" doc:"The name that is shown with what it writes."`
	Role        Optional[Role] `json:"role,omitzero" null:"true" doc:"Its role in the organization; null makes it a guest. Default: read."`
}

// UpdateServiceAccountInput is the input of UpdateServiceAccount.
type UpdateServiceAccountInput struct {
	ServiceAccountRef
	Body ServiceAccountPatch
}

// ServiceAccountPatch is the body of UpdateServiceAccount.
type ServiceAccountPatch struct {
	DisplayName Optional[string] `json:"displayName,omitzero" len:"1..64" doc:"The name that is shown with what it has written and writes."`
	Role        Optional[Role]   `json:"role,omitzero" null:"true" doc:"Its role in the organization; null makes it a guest."`
}

// CreateServiceAccountTokenInput is the input of CreateServiceAccountToken.
type CreateServiceAccountTokenInput struct {
	ServiceAccountRef
	Body ServiceAccountTokenCreate
}

// ServiceAccountTokenCreate is the body of CreateServiceAccountToken.
type ServiceAccountTokenCreate struct {
	Name      string           `json:"name" len:"1..64" doc:"What the token is for."`
	Scopes    []Scope          `json:"scopes,omitzero" len:"1..3" unique:"true" doc:"Default: read."`
	ExpiresAt Optional[Time]   `json:"expiresAt,omitzero" ends:"true" doc:"When the token stops working, at most 366 days from now. Default: 90 days from now."`
	Spaces    []string         `json:"spaces,omitzero" len:"1..100" each:"1..64" unique:"true" doc:"Ids of the only spaces that the token opens. It then neither opens sites nor changes the organization. Default: all that the role of the account opens."`
	Groups    []OperationGroup `json:"groups,omitzero" len:"1..100" unique:"true" doc:"The only operations that the token may call, by the first word of their names: comments, change-request-comments, events. Default: all that its scopes allow."`
}

// OperationGroup is the part of the names of operations before the dot, such as comments.
type OperationGroup string

// Values returns the groups of all operations that may succeed, sorted.
func (OperationGroup) Values() []OperationGroup {
	var groups []OperationGroup
	for _, r := range Rows() {
		if group := OperationGroup(r.Resource()); len(groups) == 0 || groups[len(groups)-1] != group {
			groups = append(groups, group)
		}
	}
	return groups
}

// ServiceAccountFields holds the members of a ServiceAccount without its creator.
type ServiceAccountFields struct {
	Object      string `json:"object" enum:"service-account"`
	ID          string `json:"id" doc:"The id of its user."`
	DisplayName string `json:"displayName"`
	Role        *Role  `json:"role" doc:"Null for guests, who have only what they were given by name."`
	CreatedAt   Time   `json:"createdAt"`
	Disabled    bool   `json:"disabled" doc:"Whoever runs the server has disabled the account: it gives no access until it is enabled again."`
	LastSeenAt  Time   `json:"lastSeenAt,omitzero" doc:"When a token of the account was last used, to the minute; absent if never."`
}

// ServiceAccount is a user for a program.
type ServiceAccount struct {
	ServiceAccountFields
	CreatedBy User `json:"createdBy" doc:"Who created it. It stays when they leave."`
}

var _ = declareColumns[ServiceAccount]("id,displayName,role,createdBy.displayName=CREATED BY,createdAt,lastSeenAt")
