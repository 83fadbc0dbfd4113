package api

import "net/http"

// Routes of the groups of sections of a site.
var (
	ListSiteSectionGroups = get[ListSiteSectionGroupsInput, Page[SiteSectionGroup]]("site-section-groups.list",
		"/v1/orgs/{organizationId}/sites/{siteId}/section-groups", "List the section groups of a docs site, in their order.",
		withOperation("listSiteSectionGroups"))
	CreateSiteSectionGroup = create[CreateSiteSectionGroupInput, SiteSectionGroup]("site-section-groups.create",
		"/v1/orgs/{organizationId}/sites/{siteId}/section-groups", "Group sections of a docs site under a title.",
		withOperation("addSectionGroupToSite"))
	UpdateSiteSectionGroup = patch[UpdateSiteSectionGroupInput, SiteSectionGroup]("site-section-groups.update",
		"/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", "Change a section group's title or icon.",
		withOperation("updateSiteSectionGroupById"))
	DeleteSiteSectionGroup = remove[SiteSectionGroupRef]("site-section-groups.delete",
		"/v1/orgs/{organizationId}/sites/{siteId}/section-groups/{siteSectionGroupId}", http.StatusResetContent,
		"Dissolve a section group; its sections stay, at the end.", withOperation("deleteSiteSectionGroupById"))
)

// SiteSectionGroupRef identifies a section group of a site.
type SiteSectionGroupRef struct {
	SiteRef
	SiteSectionGroup string `path:"siteSectionGroupId" pattern:"id"`
}

// ListSiteSectionGroupsInput is the input of ListSiteSectionGroups.
type ListSiteSectionGroupsInput struct {
	SiteRef
	ListOptions
}

// CreateSiteSectionGroupInput is the input of CreateSiteSectionGroup.
type CreateSiteSectionGroupInput struct {
	SiteRef
	Body SiteSectionGroupCreate
}

// SiteSectionGroupCreate is the body of CreateSiteSectionGroup.
type SiteSectionGroupCreate struct {
	Title    string           `json:"title" len:"1..100"`
	Icon     Optional[string] `json:"icon,omitzero" len:"0..50" null:"true" doc:"Name of an icon."`
	Sections []string         `json:"sections,omitempty" len:"0..100" each:"..100" doc:"The sections to put into it, in this order."`
}

// UpdateSiteSectionGroupInput is the input of UpdateSiteSectionGroup.
type UpdateSiteSectionGroupInput struct {
	SiteSectionGroupRef
	Body SiteSectionGroupPatch
}

// SiteSectionGroupPatch is the body of UpdateSiteSectionGroup.
type SiteSectionGroupPatch struct {
	Title Optional[string] `json:"title,omitzero" len:"1..100"`
	Icon  Optional[string] `json:"icon,omitzero" len:"0..50" null:"true"`
}

// SiteSectionGroupFields holds the stored members of a SiteSectionGroup.
type SiteSectionGroupFields struct {
	Object string `json:"object" enum:"site-section-group"`
	ID     string `json:"id"`
	Title  string `json:"title" len:"1..100"`
	Icon   string `json:"icon,omitzero" len:"0..50"`
}

// SiteSectionGroup is a titled group of sections of a site.
type SiteSectionGroup struct {
	SiteSectionGroupFields
	Sections []SiteSection `json:"sections" doc:"Sections of the group, in order."`
}

var _ = declareColumns[SiteSectionGroup]("id,title,icon")
