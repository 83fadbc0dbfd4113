package api

// Resource is a resource of the contract: a noun to which the names of rows belong.
type Resource struct {
	Name    string // plural, as in the names of rows: spaces
	Purpose string // of its operations, as a predicate: manages spaces
}

// Resources returns the resources in the order of the fields of the client. A new resource needs an entry here.
func Resources() []Resource {
	return []Resource{
		{"server", "shows the version of the server"},
		{"user", "shows the caller"},
		{"users", "shows users"},
		{"tokens", "manages the caller's tokens"},
		{"organizations", "manages organizations"},
		{"email-domains", "shows the verification of the e-mail domains of organizations"},
		{"subdomains", "finds organizations by their subdomain"},
		{"members", "manages the members of organizations"},
		{"member-tokens", "lists the tokens of members, and ends them"},
		{"service-accounts", "manages service accounts, the users for programs, and creates their tokens"},
		{"teams", "manages teams and their members"},
		{"saml-providers", "manages the SAML providers of organizations"},
		{"oidc-providers", "manages the OIDC providers of organizations"},
		{"identities", "manages the identities of providers by which members sign in"},
		{"invites", "manages invites by e-mail address"},
		{"link-invites", "manages invite links"},
		{"collections", "manages collections"},
		{"spaces", "manages spaces"},
		{"names", "finds spaces, collections, sites, teams and members by name"},
		{"events", "lists what has happened in an organization, and follows it"},
		{"audit", "shows who has changed what in an organization"},
		{"trash", "lists deleted resources that can be restored"},
		{"collection-permissions", "manages the permissions of collections"},
		{"space-permissions", "manages the permissions of spaces"},
		{"content", "shows and imports the published content of a space"},
		{"sources", "lists the import sources of a space"},
		{"import-runs", "manages imports that run in the background"},
		{"pages", "shows the history of pages"},
		{"sites", "manages docs sites"},
		{"site-permissions", "manages the permissions of docs sites"},
		{"site-sections", "manages the sections of docs sites"},
		{"site-section-groups", "manages the section groups of docs sites"},
		{"site-spaces", "manages the spaces that docs sites show"},
		{"share-links", "manages the share links of docs sites"},
		{"comments", "manages the comments of a space"},
		{"replies", "manages the replies to comments of a space"},
		{"revisions", "reads and restores the revisions of a space"},
		{"change-requests", "manages change requests"},
		{"change-request-content", "shows, edits and imports the content of a change request"},
		{"change-request-comments", "manages the comments of a change request"},
		{"change-request-replies", "manages the replies to comments of a change request"},
		{"change-request-reviews", "manages the reviews of a change request"},
		{"transfers", "shows the transfers of an organization, and takes them back"},
		{"translations", "manages translation settings"},
		{"integrations", "publishes and finds integrations"},
		{"integration-events", "shows what has happened to the installations of integrations"},
		{"integration-installations", "manages the installations of integrations"},
		{"installation-spaces", "manages the installations of integrations on spaces"},
		{"installation-sites", "manages the installations of integrations on sites"},
		{"installation-tokens", "makes tokens for installations"},
		{"openapi-specs", "manages OpenAPI specifications"},
	}
}
