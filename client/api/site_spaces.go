package api

import "net/http"

// Routes of the spaces of a site.
var (
	ListSiteSpaces = get[ListSiteSpacesInput, Page[SiteSpace]]("site-spaces.list", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces",
		"List the spaces that a docs site shows, in their order.", withOperation("listSiteSpaces"))
	CreateSiteSpace = create[CreateSiteSpaceInput, SiteSpace]("site-spaces.create", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces",
		"Show a space on a docs site.", withOperation("addSpaceToSite"))
	UpdateSiteSpace = patch[UpdateSiteSpaceInput, SiteSpace]("site-spaces.update",
		"/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}", "Change the path, the condition or the space of a site "+
			"space.", withOperation("updateSiteSpaceById"))
	DeleteSiteSpace = remove[SiteSpaceRef]("site-spaces.delete", "/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}",
		http.StatusResetContent, "Take a space off a docs site; the space itself stays.", withOperation("deleteSiteSpaceById"))
	MoveSiteSpace = post[MoveSiteSpaceInput, SiteSpace]("site-spaces.move",
		"/v1/orgs/{organizationId}/sites/{siteId}/site-spaces/{siteSpaceId}/move", "Move a site space next to another (deprecated: sites "+
			"sort-structure).", withOptionalBody, markDeprecated, withOperation("moveSiteSpace"), failsWith(ReasonNoChange))
)

// SiteSpaceRef identifies a site space.
type SiteSpaceRef struct {
	SiteRef
	SiteSpace string `path:"siteSpaceId" pattern:"id"`
}

// ListSiteSpacesInput is the input of ListSiteSpaces.
type ListSiteSpacesInput struct {
	SiteVisit
	ListOptions
	Default Optional[bool] `query:"default" doc:"Only site spaces that are shown first where they stand, or only the others."`
}

// CreateSiteSpaceInput is the input of CreateSiteSpace.
type CreateSiteSpaceInput struct {
	SiteRef
	Body SiteSpaceCreate
}

// SiteSpaceCreate is the body of CreateSiteSpace.
type SiteSpaceCreate struct {
	SpaceID   string `json:"spaceId" pattern:"id" doc:"Id of the space."`
	SectionID string `json:"sectionId,omitzero" pattern:"id" doc:"Default: the default section; in a site without sections there is no other place."`
}

// UpdateSiteSpaceInput is the input of UpdateSiteSpace.
type UpdateSiteSpaceInput struct {
	SiteSpaceRef
	Body SiteSpacePatch
}

// SiteSpacePatch is the body of UpdateSiteSpace.
type SiteSpacePatch struct {
	Path      Optional[string] `json:"path,omitzero" len:"1..100" pattern:"slug" doc:"No other site space of the section may have it."`
	Condition Optional[string] `json:"condition,omitzero" len:"1..1024" null:"true" doc:"Which visitors see it, as in visitor.claims.plan == \"pro\"; they have claims where the site has adaptiveContent enabled. null removes it: all do."`
	SpaceID   Optional[string] `json:"spaceId,omitzero" pattern:"id" doc:"The space to show instead."`
}

// MoveSiteSpaceInput is the input of MoveSiteSpace.
type MoveSiteSpaceInput struct {
	SiteSpaceRef
	Body SiteSpaceMove
}

// SiteSpaceMove is the body of MoveSiteSpace.
type SiteSpaceMove struct {
	Position SiteSpacePosition `json:"position,omitzero" doc:"Neither before nor after: the end."`
}

// SiteSpacePosition identifies the site spaces next to the new position of a site space.
type SiteSpacePosition struct {
	Before *SiteSpacePointer `json:"before,omitzero" doc:"Place it directly before this one."`
	After  *SiteSpacePointer `json:"after,omitzero" doc:"Place it directly after this one."`
}

// SiteSpacePointer identifies a site space.
type SiteSpacePointer struct {
	Type      string `json:"type" enum:"site-space"`
	SiteSpace string `json:"siteSpace" pattern:"id"`
}

// SiteSpaceFields holds the members of a SiteSpace that are set by its site.
type SiteSpaceFields struct {
	Object    string `json:"object" enum:"site-space"`
	ID        string `json:"id"`
	Title     string `json:"title" doc:"The space's."`
	Path      string `json:"path" len:"1..100"`
	Section   string `json:"section,omitzero" doc:"Id of the section; absent in a site without sections."`
	Default   bool   `json:"default" doc:"Whether it is shown first where it stands."`
	Condition string `json:"condition,omitzero" len:"1..1024" doc:"Expression over the claims of visitors; absent if everybody sees it."`

	HasAdvancedCustomizationFeature bool `json:"hasAdvancedCustomizationFeature" doc:"Always false: wsd sells nothing."`
}

// SiteSpace is a space as part of a site: the space with the path, section and published URLs that it has in the site.
type SiteSpace struct {
	SiteSpaceFields
	Space Space         `json:"space"`
	URLs  PublishedURLs `json:"urls"`
}

var _ = declareColumns[SiteSpace]("id,title,path,section,default,space.id=SPACE,urls.published=URL")
