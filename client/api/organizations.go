package api

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Routes of organizations.
var (
	ListOrganizations = get[ListOrganizationsInput, Page[Organization]]("organizations.list", "/v1/orgs", "List your organizations.",
		withOperation("listOrganizationsForAuthenticatedUser"))
	CreateOrganization = create[CreateOrganizationInput, Organization]("organizations.create", "/v1/orgs",
		"Create an organization; you become its first admin.", withOperation("createOrganization"))
	UpdateOrganization = patch[UpdateOrganizationInput, Organization]("organizations.update", "/v1/orgs/{organizationId}",
		"Change the settings of an organization.", withOperation("updateOrganizationById"))
	DeleteOrganization = remove[DeleteOrganizationInput]("organizations.delete", "/v1/orgs/{organizationId}", http.StatusResetContent,
		"Delete an organization with all that it has; its admins can restore it for 7 days.")
	JoinOrganization = post[OrganizationRef, Organization]("organizations.join", "/v1/orgs/{organizationId}/join",
		"Join an organization that is open to your e-mail domain, with its default role.")
	FindOrganization = get[EmailDomainRef, DomainOrganizations]("organizations.find", "/v1/email-domains/{emailDomain}/orgs",
		"List the organizations that are open to your own e-mail domain.", withOperation("getOrganizationsForEmailDomain"))
	GetOrganization = get[OrganizationRef, Organization]("organizations.get", "/v1/orgs/{organizationId}", "Show an organization.",
		withOperation("getOrganizationById"))
)

// ListOrganizationsInput is the input of ListOrganizations.
type ListOrganizationsInput struct {
	ListOptions
}

// OrganizationRef identifies an organization.
type OrganizationRef struct {
	Organization string `path:"organizationId" pattern:"id"`
}

// DeleteOrganizationInput is the input of DeleteOrganization.
type DeleteOrganizationInput struct {
	OrganizationRef
	Title string `query:"title" required:"true" len:"2..255" doc:"The exact title of the organization: it is not deleted by a slip."`
}

// EmailDomainRef identifies an e-mail domain.
type EmailDomainRef struct {
	EmailDomain string `path:"emailDomain" pattern:"domain"`
}

// DomainOrganizations is the result of FindOrganization.
type DomainOrganizations struct {
	Organizations []Organization `json:"organizations" doc:"The organizations whose members have an address of the domain."`
}

// UpdateOrganizationInput is the input of UpdateOrganization.
type UpdateOrganizationInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         OrganizationPatch
}

// OrganizationPatch is the body of UpdateOrganization.
type OrganizationPatch struct {
	Title          Optional[string]         `json:"title,omitzero" len:"2..255"`
	EmailDomains   Optional[[]string]       `json:"emailDomains,omitzero" len:"0..50" each:"..253" unique:"true" doc:"Who has a verified e-mail address of one of these may join, where it is proven (see email-domains). Kept in lower case."`
	Hostname       Optional[string]         `json:"hostname,omitzero" len:"3..32" pattern:"subdomain" doc:"Default hostname of public content; no other organization has it."`
	DefaultRole    Optional[Role]           `json:"defaultRole,omitzero" null:"true" doc:"Of people who join by their e-mail domain; null makes them guests."`
	DefaultContent Optional[DefaultContent] `json:"defaultContent,omitzero" null:"true"`
	Logo           Optional[string]         `json:"logo,omitzero" null:"true" len:"1..2048" format:"uri" doc:"Address of a picture."`
	SSO            Optional[bool]           `json:"sso,omitzero" doc:"Members sign in by an identity provider of the organization: other tokens of people do not work in it, except those of guests. true takes a caller who has signed in by one. It is false where an earlier version has stored true, which required nothing."`
	AI             Optional[bool]           `json:"ai,omitzero" doc:"Kept as set. wsd has no feature that depends on it."`
	MergeRules     Optional[MergeRules]     `json:"mergeRules,omitzero" doc:"Of the spaces that inherit them: what has to hold before a change request is merged."`
	InviteLinks    Optional[bool]           `json:"inviteLinks,omitzero" doc:"False stops the invite links that there are, and makes no new ones possible."`
	UseCase        Optional[UseCase]        `json:"useCase,omitzero" null:"true"`
	CommunityType  Optional[CommunityType]  `json:"communityType,omitzero" null:"true" doc:"Makes it a community; null makes it a business."`

	TokenMaxAgeDays Optional[int] `json:"tokenMaxAgeDays,omitzero" null:"true" range:"1..3650" doc:"Days after which tokens of people are refused here, counted from the creation of the token or, if another made it, of the first of those; null: never. Tokens of service accounts and of installations are not affected."`
}

// Validate checks the merge rules and the e-mail domains.
func (p OrganizationPatch) Validate() []FieldError {
	domains, _ := p.EmailDomains.Get()
	return slices.Concat(checkMergeRules(p.MergeRules, false), checkDomains(domains))
}

// Validate checks the e-mail domains.
func (c OrganizationCreate) Validate() []FieldError { return checkDomains(c.EmailDomains) }

// checkDomains reports e-mail domains that are invalid or differ only in case.
func checkDomains(domains []string) (wrong []FieldError) {
	seen := map[string]bool{}
	for i, domain := range domains {
		path, lower := fmt.Sprintf("emailDomains[%d]", i), strings.ToLower(domain)
		switch {
		case !Patterns["domain"].MatchString(lower):
			wrong = append(wrong, FieldError{Path: path, Message: "must be a domain, as in example.com"})
		case seen[lower] && !slices.Contains(domains[:i], domain): // equal domains are reported by the schema
			wrong = append(wrong, FieldError{Path: path, Message: "is given twice"})
		}
		seen[lower] = true
	}
	return wrong
}

// maxDomain is the maximum length of a domain name.
const maxDomain = 253

// DefaultContentType is the type of the default content of an organization.
type DefaultContentType string

// ContentSite is the type of a default content that is a docs site.
const ContentSite DefaultContentType = "site"

// Values returns the values of DefaultContentType.
func (DefaultContentType) Values() []DefaultContentType { return []DefaultContentType{ContentSite} }

// DefaultContent is the default content of an organization.
type DefaultContent struct {
	Type DefaultContentType `json:"type"`
	Site string             `json:"site" pattern:"id"`
}

// CreateOrganizationInput is the input of CreateOrganization.
type CreateOrganizationInput struct {
	WithDefaultSite bool   `query:"withDefaultSite" doc:"true is refused: sites are made with sites.create."`
	OpenAPIURL      string `query:"openapiUrl" secret:"true" len:"..2048" doc:"Refused: specifications are published with openapi-specs.create."`
	Body            OrganizationCreate
}

// CheckParams rejects withDefaultSite and openapiUrl, because wsd creates an organization without a site and a specification.
func (in CreateOrganizationInput) CheckParams() []FieldError {
	return slices.Concat(
		rejectParam("withDefaultSite", in.WithDefaultSite,
			"must be false: an organization is made without a site, which POST /v1/orgs/{organizationId}/sites makes"),
		rejectParam("openapiUrl", in.OpenAPIURL != "",
			"cannot be given: an organization is made without a specification, which POST /v1/orgs/{organizationId}/openapi publishes"))
}

// OrganizationCreate is the body of CreateOrganization.
type OrganizationCreate struct {
	Title         string        `json:"title" len:"2..255"`
	EmailDomains  []string      `json:"emailDomains,omitzero" len:"0..50" each:"..253" unique:"true" doc:"Who has a verified e-mail address of one of these may join, where it is proven (see email-domains). Kept in lower case."`
	UseCase       UseCase       `json:"useCase,omitzero"`
	CommunityType CommunityType `json:"communityType,omitzero" doc:"Makes it a community; default: a business."`
}

// OrganizationType is the type of an organization.
type OrganizationType string

// Values of OrganizationType.
const (
	OrganizationBusiness  OrganizationType = "business"
	OrganizationCommunity OrganizationType = "community"
)

// Values returns the values of OrganizationType.
func (OrganizationType) Values() []OrganizationType {
	return []OrganizationType{OrganizationBusiness, OrganizationCommunity}
}

// CommunityType is the type of a community.
type CommunityType string

// Values returns the kinds of communities.
func (CommunityType) Values() []CommunityType {
	return []CommunityType{"nonProfit", "openSource", "education"}
}

// Organization returns the type of the organization of a community, or "" if c is "".
func (c CommunityType) Organization() OrganizationType {
	if c == "" {
		return OrganizationBusiness
	}
	return OrganizationCommunity
}

// UseCase is the kind of documentation that an organization writes.
type UseCase string

// Values returns the use cases.
func (UseCase) Values() []UseCase {
	return []UseCase{
		"internalDocs", "docsSite", "audienceControlledSite", "productDocs", "teamKnowledgeBase", "designSystem", "openSourceDocs",
		"notes", "other",
	}
}

// OrganizationPlan is the plan of an organization.
type OrganizationPlan string

// PlanFree is the plan of every organization, because wsd has no paid plans.
const PlanFree OrganizationPlan = "free_2024"

// Values returns the plans of the public API.
func (OrganizationPlan) Values() []OrganizationPlan {
	return []OrganizationPlan{PlanFree, "plus_2024", "pro_2024", "enterprise_2024", "community_2024", "free", "plus", "pro"}
}

// TrialStatus is the state of a trial.
type TrialStatus string

// TrialNotApplicable is the state of every trial, because wsd has no trials.
const TrialNotApplicable TrialStatus = "notapplicable"

// Values returns the states of the public API.
func (TrialStatus) Values() []TrialStatus {
	return []TrialStatus{TrialNotApplicable, "none", "active", "ended", "expired"}
}

// OrganizationFields holds the stored members of an Organization.
type OrganizationFields struct {
	Object       string           `json:"object" enum:"organization"`
	ID           string           `json:"id"`
	Title        string           `json:"title" len:"2..255"`
	CreatedAt    Time             `json:"createdAt"`
	EmailDomains []string         `json:"emailDomains" doc:"Verified domains of the organization."`
	Type         OrganizationType `json:"type" doc:"Community where there is a communityType."`
	InviteLinks  bool             `json:"inviteLinks" doc:"Whether invite links work."`

	UseCase        UseCase         `json:"useCase,omitzero"`
	CommunityType  CommunityType   `json:"communityType,omitzero"`
	Hostname       string          `json:"hostname,omitzero" len:"3..32"`
	CustomHostname string          `json:"customHostname,omitzero" doc:"That of the site in defaultContent."`
	DefaultRole    *Role           `json:"defaultRole" doc:"Null for guests."`
	DefaultContent *DefaultContent `json:"defaultContent,omitzero"`
	SSO            bool            `json:"sso" doc:"Whether single sign-on is required of members."`
	AI             bool            `json:"ai" doc:"Kept as set. wsd has no feature that depends on it."`
	MergeRules     *MergeRules     `json:"mergeRules,omitzero" doc:"Absent: none."`

	TokenMaxAgeDays int `json:"tokenMaxAgeDays,omitzero" doc:"Days after which tokens of people are refused here; absent: never."`

	Plan         OrganizationPlan `json:"plan" doc:"Always free_2024: wsd sells nothing."`
	Trial        Trial            `json:"trial"`
	IsOnNewTrial bool             `json:"internal_isOnNewTrial" doc:"Deprecated, always true."`
}

// Organization is a tenant.
type Organization struct {
	OrganizationFields
	Billing     *Billing                `json:"billing,omitzero" doc:"Never there: wsd sells nothing."`
	Blocked     *Blocked                `json:"blocked,omitzero" doc:"Never there: wsd blocks nobody."`
	Migration   *BillingMigration       `json:"internal_billingMigration,omitzero" doc:"Never there: wsd sells nothing."`
	SSOEffect   *SSOEffect              `json:"ssoEffect,omitzero" doc:"Only in the answer to a dry run that requires single sign-on."`
	BreakGlass  []BreakGlass            `json:"breakGlass,omitzero" doc:"For admins: tokens by which the operator of the server lets an admin in without single sign-on, until they end."`
	URLs        OrganizationURLs        `json:"urls"`
	Permissions OrganizationPermissions `json:"permissions"`
}

// SSOEffect describes what requiring single sign-on does.
type SSOEffect struct {
	Stopped []StoppedMember `json:"stopped" doc:"Members whose tokens stop, except those that come of a sign-in by a provider."`
	Guests  int             `json:"guests" doc:"Number of guests, whose tokens go on."`
}

// StoppedMember is a member whose tokens stop.
type StoppedMember struct {
	User        string `json:"user" doc:"Id of the member."`
	DisplayName string `json:"displayName"`
	LastSeenAt  Time   `json:"lastSeenAt,omitzero" doc:"When the member was last active, to the minute; absent if never."`
	HasSignedIn bool   `json:"hasSignedIn" doc:"Has signed in by a provider of the organization."`
}

// BreakGlass is a token that works in an organization without single sign-on.
type BreakGlass struct {
	Token     string `json:"token" doc:"Its id."`
	User      string `json:"user" doc:"Id of the user."`
	ExpiresAt Time   `json:"expiresAt" doc:"When the token ends."`
}

var _ = declareColumns[Organization]("id,title,type,createdAt")

// OrganizationURLs are the URLs of an Organization.
type OrganizationURLs struct {
	Location string `json:"location"`
	App      string `json:"app"`
	Logo     string `json:"logo,omitzero"`
}

// Trial is the state of a trial. wsd has none.
type Trial struct {
	Status   TrialStatus `json:"status" doc:"Always notapplicable."`
	EndDate  Time        `json:"endDate,omitzero" doc:"Never there."`
	Decision string      `json:"decision,omitzero" enum:"downgrade" doc:"Never there."`
}

// OrganizationPermissions are the permissions of the caller on an organization.
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
