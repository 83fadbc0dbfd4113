package api

// Routes of the search.
var (
	SearchSpace = get[SearchSpaceInput, Page[PageHit]]("spaces.search", "/v1/spaces/{spaceId}/search",
		"Find pages of a space; the last word may be unfinished.", withOperation("searchSpaceContent"))
	SearchOrganization = get[SearchOrganizationInput, Page[SpaceHit]]("organizations.search", "/v1/orgs/{organizationId}/search",
		"Find pages in all spaces that you can read, by space.", withOperation("searchOrganizationContent"))
	SearchSite = post[SearchSiteInput, Page[SiteHit]]("sites.search", "/v1/orgs/{organizationId}/sites/{siteId}/search",
		"Find pages in the spaces of a docs site that you can read, by space.", markReadOnly, withOperation("searchSiteContent"))
)

// SearchSpaceInput is the input of SearchSpace.
type SearchSpaceInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Query string `query:"query" len:"1..512" required:"true" doc:"Words; a page has to have all of them but little ones such as the."`
	ListOptions
}

// SearchOrganizationInput is the input of SearchOrganization.
type SearchOrganizationInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Query        string `query:"query" len:"1..512" required:"true" doc:"Words; a page has to have all of them but little ones such as the."`
	ListOptions
}

// PageHit is a page in the search results.
type PageHit struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Path     string       `json:"path"`
	Sections []SectionHit `json:"sections" doc:"The sections that have the most of the query; none where only the title has it."`
	URLs     PageURLs     `json:"urls"`
}

var _ = declareColumns[PageHit]("title,path,sections.0.title=SECTION,sections.0.body=TEXT")

// SectionHit is a section of a page in the search results.
type SectionHit struct {
	ID    string   `json:"id" doc:"The fragment that leads to it; the page's id for what stands before the first heading."`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Body  string   `json:"body" doc:"Text around what was found, without markup."`
	URLs  PageURLs `json:"urls"`
}

// SpaceHit is a space with its pages in the search results.
type SpaceHit struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Pages []PageHit `json:"pages" doc:"The best of them, up to ten; the space's own search has all."`
}

var _ = declareColumns[SpaceHit]("id,title=SPACE,pages.0.title=PAGE,pages.0.path=PATH,pages.0.sections.0.body=TEXT")

// SearchSiteInput is the input of SearchSite.
type SearchSiteInput struct {
	SiteRef
	ListOptions
	Body SiteSearch
}

// SiteSearch is the body of SearchSite: a query, and the spaces of the site to search. By default all spaces are
// searched.
type SiteSearch struct {
	Query        string           `json:"query" len:"1..512" doc:"Words; a page has to have all of them but little ones such as the."`
	Mode         SiteSearchMode   `json:"mode,omitzero" default:"all" doc:"Where to look; scope says more."`
	SiteSpaceID  string           `json:"siteSpaceId,omitzero" pattern:"id" doc:"Of mode current: the site space to look in."`
	SiteSpaceIDs []string         `json:"siteSpaceIds,omitzero" len:"1..100" each:"1..100" doc:"Of mode specific: the site spaces to look in."`
	Scope        *SiteSearchScope `json:"scope,omitzero"`
}

// SiteSearchMode selects the spaces of a site to search.
type SiteSearchMode string

// Values of SiteSearchMode.
const (
	SearchAll      SiteSearchMode = "all"      // every space of the site
	SearchSpecific SiteSearchMode = "specific" // the spaces of SiteSearch.SiteSpaceIDs
	SearchCurrent  SiteSearchMode = "current"  // the space of SiteSearch.SiteSpaceID
)

// Values returns the values of SiteSearchMode.
func (SiteSearchMode) Values() []SiteSearchMode {
	return []SiteSearchMode{SearchAll, SearchSpecific, SearchCurrent}
}

// SiteSearchScope selects the part of a site to search relative to the current space of a reader.
type SiteSearchScope struct {
	Mode             ScopeMode        `json:"mode"`
	CurrentSiteSpace string           `json:"currentSiteSpace,omitzero" pattern:"id" doc:"Of mode default: where the reader is."`
	RestrictTo       ScopeRestriction `json:"restrictTo,omitzero" doc:"Of mode default, with currentSiteSpace: look there alone, or everywhere else; in all site spaces without it."`
	SiteSpaceIDs     []string         `json:"siteSpaceIds,omitzero" len:"1..100" each:"1..100" doc:"Of mode specific: the site spaces to look in."`
}

// ScopeMode is the starting point of a SiteSearchScope.
type ScopeMode string

// Values of ScopeMode.
const (
	ScopeDefault  ScopeMode = "default"  // relative to the current site space
	ScopeSpecific ScopeMode = "specific" // the spaces of SiteSearchScope.SiteSpaceIDs
	ScopeAll      ScopeMode = "all"      // every space of the site
)

// Values returns the values of ScopeMode.
func (ScopeMode) Values() []ScopeMode { return []ScopeMode{ScopeDefault, ScopeSpecific, ScopeAll} }

// ScopeRestriction restricts a search to a part of a site.
type ScopeRestriction string

// Values of ScopeRestriction.
const (
	OnlyCurrent ScopeRestriction = "currentSiteSpace"
	OnlyOthers  ScopeRestriction = "otherSiteSpaces"
)

// Values returns the restrictions.
func (ScopeRestriction) Values() []ScopeRestriction {
	return []ScopeRestriction{OnlyCurrent, OnlyOthers}
}

// Validate checks that siteSpaceId, siteSpaceIds and the members of the scope are given only with their modes, and that mode
// and scope are not both given.
func (s SiteSearch) Validate() []FieldError {
	var f ruleViolations
	f.add(s.Mode == SearchCurrent && s.SiteSpaceID == "", "siteSpaceId", "is required for mode current")
	f.add(s.Mode != SearchCurrent && s.SiteSpaceID != "", "siteSpaceId", "goes with mode current")
	f.add(s.Mode == SearchSpecific && s.SiteSpaceIDs == nil, "siteSpaceIds", "is required for mode specific")
	f.add(s.Mode != SearchSpecific && s.SiteSpaceIDs != nil, "siteSpaceIds", "goes with mode specific")
	if scope := s.Scope; scope != nil {
		f.add(s.Mode != "", "scope", "does not go with mode")
		f.add(scope.Mode == ScopeSpecific && scope.SiteSpaceIDs == nil, "scope.siteSpaceIds", "is required for mode specific")
		f.add(scope.Mode != ScopeSpecific && scope.SiteSpaceIDs != nil, "scope.siteSpaceIds", "goes with mode specific")
		f.add(scope.Mode != ScopeDefault && scope.CurrentSiteSpace != "", "scope.currentSiteSpace", "goes with mode default")
		f.add(scope.RestrictTo != "" && scope.CurrentSiteSpace == "", "scope.restrictTo", "goes with currentSiteSpace")
	}
	return f
}

// SiteHit is a space of a site with its pages in the search results. Scores are comparable within a response only.
type SiteHit struct {
	Type  string        `json:"type" enum:"space"`
	ID    string        `json:"id"`
	Title string        `json:"title"`
	Score float64       `json:"score" doc:"That of its best page or its title."`
	Pages []SitePageHit `json:"pages" doc:"The best of them, up to ten; the space's own search has all."`
}

var _ = declareColumns[SiteHit]("id,title=SPACE,pages.0.title=PAGE,pages.0.path=PATH,pages.0.sections.0.body=TEXT")

// SitePageHit is a page of a site in the search results.
type SitePageHit struct {
	ID          string           `json:"id"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Path        string           `json:"path"`
	Score       float64          `json:"score" doc:"Relevance: higher is better. Scores of different searches cannot be compared."`
	Rank        int              `json:"rank" doc:"Its place among the pages of the space, from 0."`
	ResultType  string           `json:"resultType" enum:"page"`
	Sections    []SiteSectionHit `json:"sections" doc:"The sections that have the most of the query; none where only the title has it."`
	Ancestors   []PageAncestor   `json:"ancestors" doc:"The pages above it, the topmost first."`
	URLs        PageURLs         `json:"urls"`
}

// SiteSectionHit is a section of a page in the search results.
type SiteSectionHit struct {
	SectionHit
	Score      float64 `json:"score" doc:"That of its page."`
	ResultType string  `json:"resultType" enum:"section"`
}

// PageAncestor is an ancestor of a page.
type PageAncestor struct {
	Title string `json:"title"`
}
