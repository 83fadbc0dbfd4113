package api

// Routes of the structure of a site.
var (
	GetSiteStructure = get[SiteVisit, SiteStructure]("sites.get-structure", "/v1/orgs/{organizationId}/sites/{siteId}/structure",
		"Show the sections and spaces of a docs site, in their order.", withOperation("getSiteStructure"))
	SortSiteStructure = patch[SortSiteStructureInput, SiteStructureItem]("sites.sort-structure",
		"/v1/orgs/{organizationId}/sites/{siteId}/structure/sort", "Move a section, a section group or a site space next to another one.",
		withOperation("sortSiteStructure"), failsWith(ReasonNoChange))
)

// SiteStructureType is the type of the structure of a site.
type SiteStructureType string

// The types of a site's structure.
const (
	StructureSections   SiteStructureType = "sections"
	StructureSiteSpaces SiteStructureType = "siteSpaces"
)

// Values returns the values of SiteStructureType.
func (SiteStructureType) Values() []SiteStructureType {
	return []SiteStructureType{StructureSections, StructureSiteSpaces}
}

// SiteStructure is the structure of a site in order: sections and section groups or, if it has none, site spaces.
type SiteStructure struct {
	Type      SiteStructureType   `json:"type"`
	Structure []SiteStructureItem `json:"structure" doc:"Sections, section groups or site spaces, in order."`
}

var _ = declareView[SiteStructure](ViewTable, "structure")

// SiteStructureItem is a SiteSection, a SiteSectionGroup or a SiteSpace, as given by object.
type SiteStructureItem struct {
	Object       string         `json:"object" enum:"site-section,site-section-group,site-space"`
	ID           string         `json:"id"`
	Title        string         `json:"title"`
	Description  string         `json:"description,omitzero"`
	Default      *bool          `json:"default,omitzero" doc:"Whether visitors without a path see it."`
	Path         string         `json:"path,omitzero"`
	Condition    string         `json:"condition,omitzero" doc:"Expression over the claims of visitors; absent if everybody sees it."`
	SectionGroup string         `json:"sectionGroup,omitzero" doc:"Id of the section group; absent outside of one."`
	Icon         string         `json:"icon,omitzero"`
	SiteSpaces   *[]SiteSpace   `json:"siteSpaces,omitzero" doc:"Of a section."`
	Sections     *[]SiteSection `json:"sections,omitzero" doc:"Of a group."`
	Section      string         `json:"section,omitzero" doc:"Of a site space."`
	Space        *Space         `json:"space,omitzero" doc:"Of a site space."`
	URLs         *PublishedURLs `json:"urls,omitzero"`

	HasAdvancedCustomizationFeature *bool `json:"hasAdvancedCustomizationFeature,omitzero" doc:"Of a site space; always false: wsd sells nothing."`
}

var _ = declareColumns[SiteStructureItem]("title,object=KIND,id,path,default,condition,urls.published=URL")

// SortSiteStructureInput is the input of SortSiteStructure.
type SortSiteStructureInput struct {
	SiteRef
	Body SiteSort
}

// SiteSort is the body of SortSiteStructure.
type SiteSort struct {
	Item     SitePointer  `json:"item"`
	Position SitePosition `json:"position" doc:"Neither before nor after: the end of where it stands."`
}

// SitePosition identifies the neighbours of the new position. A section moved next to one in a group joins the group;
// a site space moved next to one in another section joins that section.
type SitePosition struct {
	Before *SitePointer `json:"before,omitzero" doc:"Place it directly before this one."`
	After  *SitePointer `json:"after,omitzero" doc:"Place it directly after this one."`
}

// SitePointerType is the type of the target of a SitePointer.
type SitePointerType string

// Values of SitePointerType.
const (
	PointerSiteSpace        SitePointerType = "site-space"
	PointerSiteSection      SitePointerType = "site-section"
	PointerSiteSectionGroup SitePointerType = "site-section-group"
)

// Values returns the values of SitePointerType.
func (SitePointerType) Values() []SitePointerType {
	return []SitePointerType{PointerSiteSpace, PointerSiteSection, PointerSiteSectionGroup}
}

// SitePointer identifies a part of a site by its type and id.
type SitePointer struct {
	Type SitePointerType `json:"type"`
	ID   string          `json:"id" pattern:"id"`
}
