package api

// Rows of the search.
var (
	SearchSpace        = get[SearchSpaceInput, Page[PageHit]]("spaces.search", "/v1/spaces/{spaceId}/search", "Find pages of a space; the last word may be unfinished.", as("searchSpaceContent"))
	SearchOrganization = get[SearchOrganizationInput, Page[SpaceHit]]("organizations.search", "/v1/orgs/{organizationId}/search", "Find pages in all spaces that you can read, by space.", as("searchOrganizationContent"))
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

// PageHit is a page that was found.
type PageHit struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Path     string       `json:"path"`
	Sections []SectionHit `json:"sections" doc:"The sections that have the most of the query; none where only the title has it."`
	URLs     PageURLs     `json:"urls"`
}

var _ = columns[PageHit]("title,path,sections.0.title=SECTION,sections.0.body=TEXT")

// SectionHit is a section of a page that was found.
type SectionHit struct {
	ID    string   `json:"id" doc:"The fragment that leads to it; the page's id for what stands before the first heading."`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Body  string   `json:"body" doc:"Text around what was found, without markup."`
	URLs  PageURLs `json:"urls"`
}

// SpaceHit is a space with pages that were found.
type SpaceHit struct {
	ID    string    `json:"id"`
	Title string    `json:"title"`
	Pages []PageHit `json:"pages" doc:"The best of them, up to ten; the space's own search has all."`
}

var _ = columns[SpaceHit]("id,title=SPACE,pages.0.title=PAGE,pages.0.path=PATH,pages.0.sections.0.body=TEXT")
