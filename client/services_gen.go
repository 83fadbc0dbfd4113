// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

// Services groups the operations of wsd by resource. A Client embeds it: c.Spaces.List lists spaces.
type Services struct {
	Server                   ServerService                   // shows the version of the server
	User                     UserService                     // shows the caller
	Users                    UsersService                    // shows users
	Tokens                   TokensService                   // manages the caller's tokens
	Organizations            OrganizationsService            // manages organizations
	EmailDomains             EmailDomainsService             // shows the verification of the e-mail domains of organizations
	Subdomains               SubdomainsService               // finds organizations by their subdomain
	Members                  MembersService                  // manages the members of organizations
	MemberTokens             MemberTokensService             // lists the tokens of members, and ends them
	ServiceAccounts          ServiceAccountsService          // manages service accounts, the users for programs, and creates their tokens
	Teams                    TeamsService                    // manages teams and their members
	SAMLProviders            SAMLProvidersService            // manages the SAML providers of organizations
	OIDCProviders            OIDCProvidersService            // manages the OIDC providers of organizations
	Identities               IdentitiesService               // manages the identities of providers by which members sign in
	Invites                  InvitesService                  // manages invites by e-mail address
	LinkInvites              LinkInvitesService              // manages invite links
	Collections              CollectionsService              // manages collections
	Spaces                   SpacesService                   // manages spaces
	Names                    NamesService                    // finds spaces, collections, sites, teams and members by name
	Events                   EventsService                   // lists what has happened in an organization, and follows it
	Audit                    AuditService                    // shows who has changed what in an organization
	Trash                    TrashService                    // lists deleted resources that can be restored
	CollectionPermissions    CollectionPermissionsService    // manages the permissions of collections
	SpacePermissions         SpacePermissionsService         // manages the permissions of spaces
	Content                  ContentService                  // shows and imports the published content of a space
	Sources                  SourcesService                  // lists the import sources of a space
	ImportRuns               ImportRunsService               // manages imports that run in the background
	Pages                    PagesService                    // shows the history of pages
	Sites                    SitesService                    // manages docs sites
	SitePermissions          SitePermissionsService          // manages the permissions of docs sites
	SiteSections             SiteSectionsService             // manages the sections of docs sites
	SiteSectionGroups        SiteSectionGroupsService        // manages the section groups of docs sites
	SiteSpaces               SiteSpacesService               // manages the spaces that docs sites show
	ShareLinks               ShareLinksService               // manages the share links of docs sites
	Comments                 CommentsService                 // manages the comments of a space
	Replies                  RepliesService                  // manages the replies to comments of a space
	Revisions                RevisionsService                // reads and restores the revisions of a space
	ChangeRequests           ChangeRequestsService           // manages change requests
	ChangeRequestContent     ChangeRequestContentService     // shows, edits and imports the content of a change request
	ChangeRequestComments    ChangeRequestCommentsService    // manages the comments of a change request
	ChangeRequestReplies     ChangeRequestRepliesService     // manages the replies to comments of a change request
	ChangeRequestReviews     ChangeRequestReviewsService     // manages the reviews of a change request
	Transfers                TransfersService                // shows the transfers of an organization, and takes them back
	Translations             TranslationsService             // manages translation settings
	Integrations             IntegrationsService             // publishes and finds integrations
	IntegrationEvents        IntegrationEventsService        // shows what has happened to the installations of integrations
	IntegrationInstallations IntegrationInstallationsService // manages the installations of integrations
	InstallationSpaces       InstallationSpacesService       // manages the installations of integrations on spaces
	InstallationSites        InstallationSitesService        // manages the installations of integrations on sites
	InstallationTokens       InstallationTokensService       // makes tokens for installations
	OpenAPISpecs             OpenAPISpecsService             // manages OpenAPI specifications
}

// newServices returns the services that call through c.
func newServices(c *Client) Services {
	return Services{
		Server:                   ServerService{c},
		User:                     UserService{c},
		Users:                    UsersService{c},
		Tokens:                   TokensService{c},
		Organizations:            OrganizationsService{c},
		EmailDomains:             EmailDomainsService{c},
		Subdomains:               SubdomainsService{c},
		Members:                  MembersService{c},
		MemberTokens:             MemberTokensService{c},
		ServiceAccounts:          ServiceAccountsService{c},
		Teams:                    TeamsService{c},
		SAMLProviders:            SAMLProvidersService{c},
		OIDCProviders:            OIDCProvidersService{c},
		Identities:               IdentitiesService{c},
		Invites:                  InvitesService{c},
		LinkInvites:              LinkInvitesService{c},
		Collections:              CollectionsService{c},
		Spaces:                   SpacesService{c},
		Names:                    NamesService{c},
		Events:                   EventsService{c},
		Audit:                    AuditService{c},
		Trash:                    TrashService{c},
		CollectionPermissions:    CollectionPermissionsService{c},
		SpacePermissions:         SpacePermissionsService{c},
		Content:                  ContentService{c},
		Sources:                  SourcesService{c},
		ImportRuns:               ImportRunsService{c},
		Pages:                    PagesService{c},
		Sites:                    SitesService{c},
		SitePermissions:          SitePermissionsService{c},
		SiteSections:             SiteSectionsService{c},
		SiteSectionGroups:        SiteSectionGroupsService{c},
		SiteSpaces:               SiteSpacesService{c},
		ShareLinks:               ShareLinksService{c},
		Comments:                 CommentsService{c},
		Replies:                  RepliesService{c},
		Revisions:                RevisionsService{c},
		ChangeRequests:           ChangeRequestsService{c},
		ChangeRequestContent:     ChangeRequestContentService{c},
		ChangeRequestComments:    ChangeRequestCommentsService{c},
		ChangeRequestReplies:     ChangeRequestRepliesService{c},
		ChangeRequestReviews:     ChangeRequestReviewsService{c},
		Transfers:                TransfersService{c},
		Translations:             TranslationsService{c},
		Integrations:             IntegrationsService{c},
		IntegrationEvents:        IntegrationEventsService{c},
		IntegrationInstallations: IntegrationInstallationsService{c},
		InstallationSpaces:       InstallationSpacesService{c},
		InstallationSites:        InstallationSitesService{c},
		InstallationTokens:       InstallationTokensService{c},
		OpenAPISpecs:             OpenAPISpecsService{c},
	}
}
