package api

import "net/http"

// Routes of the sections of a site.
var (
	ListSiteSections = get[ListSiteSectionsInput, Page[SiteSection]]("site-sections.list",
		"/v1/orgs/{organizationId}/sites/{siteId}/sections", "List the sections of a docs site, in their order.",
		withOperation("listSiteSections"))
	CreateSiteSection = create[CreateSiteSectionInput, SiteSection]("site-sections.create",
		"/v1/orgs/{organizationId}/sites/{siteId}/sections", "Add a section with a space to a docs site; the first one takes over the "+
			"site's spaces.", withOperation("addSectionToSite"))
	UpdateSiteSection = patch[UpdateSiteSectionInput, SiteSection]("site-sections.update",
		"/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}", "Change a section of a docs site.",
		withOperation("updateSiteSectionById"))
	DeleteSiteSection = remove[SiteSectionRef]("site-sections.delete", "/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}",
		http.StatusResetContent, "Remove a section from a docs site; its spaces stay.", withOperation("deleteSiteSectionById"))
	MoveSiteSection = post[MoveSiteSectionInput, SiteSection]("site-sections.move",
		"/v1/orgs/{organizationId}/sites/{siteId}/sections/{siteSectionId}/move", "Move a section next to another (deprecated: sites "+
			"sort-structure).", withOptionalBody, markDeprecated, withOperation("moveSiteSection"), failsWith(ReasonNoChange))
)

// SiteSectionRef identifies a section of a site.
type SiteSectionRef struct {
	SiteRef
	SiteSection string `path:"siteSectionId" pattern:"id"`
}

// ListSiteSectionsInput is the input of ListSiteSections.
type ListSiteSectionsInput struct {
	SiteVisit
	ListOptions
}

// CreateSiteSectionInput is the input of CreateSiteSection.
type CreateSiteSectionInput struct {
	SiteRef
	Body SiteSectionCreate
}

// SiteSectionCreate is the body of CreateSiteSection.
type SiteSectionCreate struct {
	SpaceID      string           `json:"spaceId" pattern:"id" doc:"The space that the section shows."`
	Title        Optional[string] `json:"title,omitzero" len:"2..128" null:"true" doc:"Default: the space's title."`
	Icon         Optional[string] `json:"icon,omitzero" len:"0..50" null:"true" doc:"Name of an icon."`
	SectionGroup string           `json:"siteSectionGroupId,omitzero" pattern:"id" doc:"The group to put it into, at the end; default: none."`
}

// UpdateSiteSectionInput is the input of UpdateSiteSection.
type UpdateSiteSectionInput struct {
	SiteSectionRef
	Body SiteSectionPatch
}

// SiteSectionPatch is the body of UpdateSiteSection.
type SiteSectionPatch struct {
	Title            Optional[string] `json:"title,omitzero" len:"2..128"`
	Path             Optional[string] `json:"path,omitzero" len:"1..100" pattern:"slug" doc:"No other section of the site may have it."`
	DefaultSiteSpace Optional[string] `json:"defaultSiteSpace,omitzero" pattern:"id" doc:"The site space of the section that is shown first."`
	Condition        Optional[string] `json:"condition,omitzero" len:"1..1024" null:"true" doc:"Which visitors see the section, as in visitor.claims.plan == \"pro\"; they have claims where the site has adaptiveContent enabled. null removes it: all do."`
	Icon             Optional[string] `json:"icon,omitzero" len:"0..50" null:"true"`
	Description      Optional[string] `json:"description,omitzero" len:"0..256" null:"true"`
	SectionGroup     Optional[string] `json:"siteSectionGroupId,omitzero" pattern:"id" null:"true" doc:"The group to put it into, at the end; null takes it out."`
}

// MoveSiteSectionInput is the input of MoveSiteSection.
type MoveSiteSectionInput struct {
	SiteSectionRef
	Body SiteSectionMove
}

// SiteSectionMove is the body of MoveSiteSection.
type SiteSectionMove struct {
	Position SiteSectionPosition `json:"position,omitzero" doc:"Neither before nor after: the end."`
}

// SiteSectionPosition identifies the sections next to the new position of a section.
type SiteSectionPosition struct {
	Before *SiteSectionPointer `json:"before,omitzero" doc:"Place it directly before this one."`
	After  *SiteSectionPointer `json:"after,omitzero" doc:"Place it directly after this one."`
}

// SiteSectionPointer identifies a section.
type SiteSectionPointer struct {
	Type        string `json:"type" enum:"site-section"`
	SiteSection string `json:"siteSection" pattern:"id"`
}

// SiteSectionFields holds the stored members of a SiteSection.
type SiteSectionFields struct {
	Object       string `json:"object" enum:"site-section"`
	ID           string `json:"id"`
	Title        string `json:"title" len:"2..128"`
	Description  string `json:"description,omitzero" len:"0..256"`
	Default      bool   `json:"default" doc:"Whether it is shown first."`
	Path         string `json:"path" len:"1..100"`
	Condition    string `json:"condition,omitzero" len:"1..1024" doc:"Expression over the claims of visitors; absent if everybody sees it."`
	SectionGroup string `json:"sectionGroup,omitzero" doc:"Id of the section group; absent outside of one."`
	Icon         string `json:"icon,omitzero" len:"0..50"`
}

// SiteSection is a section of a site: a space, or several spaces as variants.
type SiteSection struct {
	SiteSectionFields
	SiteSpaces []SiteSpace   `json:"siteSpaces" doc:"Variants of the section."`
	URLs       PublishedURLs `json:"urls"`
}

var _ = declareColumns[SiteSection]("id,title,path,default,sectionGroup=GROUP,urls.published=URL")
