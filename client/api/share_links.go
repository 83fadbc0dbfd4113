package api

import "net/http"

// Routes of the share links of a site.
var (
	ListShareLinks = get[ListShareLinksInput, Page[ShareLink]]("share-links.list", "/v1/orgs/{organizationId}/sites/{siteId}/share-links",
		"List the share links of a docs site; their URLs hold the keys.", withOperation("listSiteShareLinks"))
	CreateShareLink = create[CreateShareLinkInput, ShareLink]("share-links.create", "/v1/orgs/{organizationId}/sites/{siteId}/share-links",
		"Create a share link: whoever has its URL can read the published site.", markSecret, withOperation("createSiteShareLink"))
	UpdateShareLink = patch[UpdateShareLinkInput, ShareLink]("share-links.update",
		"/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}", "Rename a share link, or switch it off or on.", markSecret,
		withOperation("updateSiteShareLinkById"))
	DeleteShareLink = remove[ShareLinkRef]("share-links.delete", "/v1/orgs/{organizationId}/sites/{siteId}/share-links/{shareLinkId}",
		http.StatusResetContent, "Delete a share link; its key stops at once.", withOperation("deleteSiteShareLinkById"))
)

// ShareLinkRef identifies a share link of a site.
type ShareLinkRef struct {
	SiteRef
	ShareLink string `path:"shareLinkId" pattern:"id"`
}

// ListShareLinksInput is the input of ListShareLinks.
type ListShareLinksInput struct {
	SiteRef
	ListOptions
	Search string `query:"search" len:"..50" doc:"Only share links with this in their name, in upper or lower case."`
}

// CreateShareLinkInput is the input of CreateShareLink.
type CreateShareLinkInput struct {
	SiteRef
	Body ShareLinkCreate
}

// ShareLinkCreate is the body of CreateShareLink.
type ShareLinkCreate struct {
	Name string `json:"name" len:"0..50"`
}

// UpdateShareLinkInput is the input of UpdateShareLink.
type UpdateShareLinkInput struct {
	ShareLinkRef
	Body ShareLinkPatch
}

// ShareLinkPatch is the body of UpdateShareLink.
type ShareLinkPatch struct {
	Active Optional[bool]   `json:"active,omitzero" doc:"Whether the link opens the site."`
	Name   Optional[string] `json:"name,omitzero" len:"0..50"`
}

// ShareLinkFields holds the stored members of a ShareLink.
type ShareLinkFields struct {
	Object    string `json:"object" enum:"share-link"`
	ID        string `json:"id"`
	CreatedAt Time   `json:"createdAt"`
	Name      string `json:"name" len:"0..50"`
	Active    bool   `json:"active" doc:"Whether the link opens the site."`
}

// ShareLink is a secret URL that gives read access to a site that is published with share links.
type ShareLink struct {
	ShareLinkFields
	URLs PublishedURLs `json:"urls"`
}

var _ = declareColumns[ShareLink]("id,name,active,createdAt")
