// Code generated from the rows of client/api by client/generate. DO NOT EDIT.

package client

// Services are the operations of wsd by resource. A Client has them as its fields: c.Spaces.List lists spaces.
type Services struct {
	Server                   ServerService                   // shows what the server is
	User                     UserService                     // shows the caller
	Users                    UsersService                    // shows users
	Tokens                   TokensService                   // manages the caller's tokens
	Organizations            OrganizationsService            // manages organizations
	EmailDomains             EmailDomainsService             // shows how the e-mail domains of organizations are proven
	Subdomains               SubdomainsService               // finds organizations by their subdomain
	Members                  MembersService                  // manages the members of organizations
	Teams                    TeamsService                    // manages teams and who is in them
	SAMLProviders            SAMLProvidersService            // manages the SAML providers of organizations
	Invites                  InvitesService                  // manages invites by e-mail address
	LinkInvites              LinkInvitesService              // manages invite links
	Collections              CollectionsService              // manages collections
	Spaces                   SpacesService                   // manages spaces
	Trash                    TrashService                    // lists what was deleted and can be restored
	CollectionPermissions    CollectionPermissionsService    // manages who was given access to collections
	SpacePermissions         SpacePermissionsService         // manages who was given access to spaces
	Content                  ContentService                  // shows and imports what readers of a space see
	Sources                  SourcesService                  // lists what the pages and files of a space were imported from
	ImportRuns               ImportRunsService               // manages imports that run in the background
	Pages                    PagesService                    // tells what became of pages over time
	Sites                    SitesService                    // manages docs sites
	SitePermissions          SitePermissionsService          // manages who was given access to docs sites
	SiteSections             SiteSectionsService             // manages the sections of docs sites
	SiteSectionGroups        SiteSectionGroupsService        // manages the section groups of docs sites
	SiteSpaces               SiteSpacesService               // manages the spaces that docs sites show
	ShareLinks               ShareLinksService               // manages the share links of docs sites
	Comments                 CommentsService                 // manages the comments of a space
	Replies                  RepliesService                  // manages the replies to comments of a space
	Revisions                RevisionsService                // reads the revisions of a space, and goes back to them
	ChangeRequests           ChangeRequestsService           // manages change requests
	ChangeRequestContent     ChangeRequestContentService     // shows, edits and imports what a change request proposes
	ChangeRequestComments    ChangeRequestCommentsService    // manages the comments of a change request
	ChangeRequestReplies     ChangeRequestRepliesService     // manages the replies to comments of a change request
	ChangeRequestReviews     ChangeRequestReviewsService     // manages the reviews of a change request
	Transfers                TransfersService                // shows the transfers of an organization, and takes them back
	Translations             TranslationsService             // manages translation settings
	Integrations             IntegrationsService             // publishes and finds integrations
	IntegrationInstallations IntegrationInstallationsService // manages the installations of integrations
	InstallationSpaces       InstallationSpacesService       // manages the spaces that installations are for
	InstallationSites        InstallationSitesService        // manages the sites that installations are for
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
		Teams:                    TeamsService{c},
		SAMLProviders:            SAMLProvidersService{c},
		Invites:                  InvitesService{c},
		LinkInvites:              LinkInvitesService{c},
		Collections:              CollectionsService{c},
		Spaces:                   SpacesService{c},
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
		IntegrationInstallations: IntegrationInstallationsService{c},
		InstallationSpaces:       InstallationSpacesService{c},
		InstallationSites:        InstallationSitesService{c},
		InstallationTokens:       InstallationTokensService{c},
		OpenAPISpecs:             OpenAPISpecsService{c},
	}
}
