package api

// Rows of links.
var (
	ListSpaceLinks                    = get[ListLinksInput, LinkList]("spaces.list-links", "/v1/spaces/{spaceId}/links", "List the links of a space: ok, broken, or into the app.", as("listSpaceLinks"))
	ListContentBacklinks              = get[ListBacklinksInput, Page[Reference]]("content.list-backlinks", "/v1/spaces/{spaceId}/content/files/{fileId}/backlinks", "List the places that use a file.", as("listSpaceFileBacklinks"))
	ListContentLinks                  = get[ListPageLinksInput, LinkList]("content.list-links", "/v1/spaces/{spaceId}/content/page/{pageId}/links", "List the links of a page.", as("listPageLinksInSpace"))
	ListChangeRequestContentBacklinks = get[ListChangeRequestBacklinksInput, Page[Reference]]("change-request-content.list-backlinks", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/files/{fileId}/backlinks", "List the places of the change request that use a file.", as("listChangeRequestFileBacklinks"), twinOf(ListContentBacklinks.Row))
	ListChangeRequestContentLinks     = get[ListChangeRequestLinksInput, LinkList]("change-request-content.list-links", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/links", "List the links of a page of the change request.", as("listPageLinksInChangeRequest"), twinOf(ListContentLinks.Row))
)

// ListLinksInput is the input of ListSpaceLinks.
type ListLinksInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
	Status LinkStatus `query:"status" doc:"Only links in this state."`
}

// ListPageLinksInput is the input of ListContentLinks.
type ListPageLinksInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Page  string `path:"pageId" pattern:"id"`
	ListOptions
	Status LinkStatus `query:"status" doc:"Only links in this state."`
}

// ListBacklinksInput is the input of ListContentBacklinks.
type ListBacklinksInput struct {
	Space string `path:"spaceId" pattern:"id"`
	File  string `path:"fileId" pattern:"id"`
	ListOptions
}

// ListChangeRequestBacklinksInput is the input of ListChangeRequestContentBacklinks.
type ListChangeRequestBacklinksInput struct {
	ChangeRequestRef
	File string `path:"fileId" pattern:"id"`
	ListOptions
}

// ListChangeRequestLinksInput is the input of ListChangeRequestContentLinks.
type ListChangeRequestLinksInput struct {
	ChangeRequestRef
	Page string `path:"pageId" pattern:"id"`
	ListOptions
}

// LinkStatus is the state of a link.
type LinkStatus string

// The states of a link.
const (
	LinkOK     LinkStatus = "ok"
	LinkBroken LinkStatus = "broken"
	LinkInApp  LinkStatus = "in-app" // a URL that leads into this server
)

// Values returns the states.
func (LinkStatus) Values() []LinkStatus { return []LinkStatus{LinkOK, LinkBroken, LinkInApp} }

// LinkProblem says why a link is broken.
type LinkProblem string

// The problems of links.
const (
	NoSuchPage       LinkProblem = "page_not_found"
	NoSuchAnchor     LinkProblem = "anchor_not_found"
	NoSuchFile       LinkProblem = "file_not_found"
	NoSuchSpace      LinkProblem = "space_not_found"
	NoSuchCollection LinkProblem = "collection_not_found"
	NoSuchSpec       LinkProblem = "specification_not_found"
	NoSuchVariable   LinkProblem = "variable_not_found"         // its expression stays as text
	NoSuchReusable   LinkProblem = "reusable_content_not_found" // as above
	NoRoom           LinkProblem = "no_room"                    // what the expression stands for is too long here: it stays as text
)

// Values returns the problems.
func (LinkProblem) Values() []LinkProblem {
	return []LinkProblem{NoSuchPage, NoSuchAnchor, NoSuchFile, NoSuchSpace, NoSuchCollection, NoSuchSpec, NoSuchVariable, NoSuchReusable, NoRoom}
}

// LinkMatch says how a link finds its target although nothing lies where it leads as it is written.
type LinkMatch string

// The ways.
const (
	MatchName LinkMatch = "name" // only one page or file of the same source is called so
	MatchCase LinkMatch = "case" // only one lies there, or is called so, whatever the case of its letters
)

// Values returns the ways.
func (LinkMatch) Values() []LinkMatch { return []LinkMatch{MatchName, MatchCase} }

// LinkList is a list of links with what it knows of all of them.
type LinkList struct {
	Page[Link]
	Stats LinkStats `json:"stats" doc:"Of all links, whatever the filter."`
}

// LinkStats counts links.
type LinkStats struct {
	Total  int         `json:"total"`
	Broken BrokenLinks `json:"broken"`
}

// BrokenLinks counts broken links.
type BrokenLinks struct {
	Total         int  `json:"total"`
	ChangeRequest *int `json:"changeRequest,omitzero" doc:"Those that are not broken where the change request started from."`
}

// Link is something that a page uses.
type Link struct {
	Status    LinkStatus  `json:"status"`
	Relation  string      `json:"relation" enum:"reference"`
	Href      string      `json:"href" doc:"The destination as the page has it, or an expression that stands for nothing."`
	Problem   LinkProblem `json:"problem,omitzero" doc:"Why the link is broken."`
	Match     LinkMatch   `json:"match,omitzero" doc:"How the target was found where nothing lies at the destination as it is written."`
	Target    *Reference  `json:"targetReference,omitzero" doc:"Absent when the link is broken."`
	Locations []Reference `json:"locationReferences" doc:"Where the page uses it, one per block."`
}

var _ = columns[Link]("status,href,problem,locationReferences.0.page.path=PAGE,locationReferences.0.internalLocation.node=NODE")

// ReferenceKind is the kind of thing that a Reference names.
type ReferenceKind string

// The kinds of references.
const (
	ReferenceFile       ReferenceKind = "file"
	ReferenceURL        ReferenceKind = "url"
	ReferencePage       ReferenceKind = "page"
	ReferenceSpace      ReferenceKind = "space"
	ReferenceCollection ReferenceKind = "collection"
	ReferenceOpenAPI    ReferenceKind = "openapi"
)

// Values returns the kinds.
func (ReferenceKind) Values() []ReferenceKind {
	return []ReferenceKind{ReferenceFile, ReferenceURL, ReferencePage, ReferenceSpace, ReferenceCollection, ReferenceOpenAPI}
}

// Reference is a place in the content, or something outside. Which members are there depends on its kind.
type Reference struct {
	Kind             ReferenceKind     `json:"kind"`
	Organization     *Organization     `json:"organization,omitzero"`
	Space            *Space            `json:"space,omitzero"`
	VersionContext   *VersionContext   `json:"versionContext,omitzero"`
	Page             *RevisionPage     `json:"page,omitzero" doc:"Its pages are always empty: a reference does not carry them."`
	InternalLocation *InternalLocation `json:"internalLocation,omitzero"`
	File             *File             `json:"file,omitzero"`
	Collection       *Collection       `json:"collection,omitzero"`
	OpenAPISpec      *OpenAPISpec      `json:"openAPISpec,omitzero"`
	URL              string            `json:"url,omitzero"`
}

var _ = columns[Reference]("kind,page.path=PAGE,page.title=TITLE,internalLocation.node=NODE")

// VersionContextType is the kind of state that a Reference was found in.
type VersionContextType string

// The kinds of states.
const (
	ContextRevision      VersionContextType = "revision"
	ContextChangeRequest VersionContextType = "changeRequest"
)

// Values returns the kinds.
func (VersionContextType) Values() []VersionContextType {
	return []VersionContextType{ContextRevision, ContextChangeRequest}
}

// VersionContext is the state of the content that a Reference was found in.
type VersionContext struct {
	Type          VersionContextType `json:"type"`
	Revision      *RevisionSummary   `json:"revision,omitzero"`
	ChangeRequest *ChangeRequest     `json:"changeRequest,omitzero"`
}

// RevisionSummary is a Revision without what grows with the space: a reference does not carry its pages, files and
// reusable contents.
type RevisionSummary struct {
	Object           string            `json:"object" enum:"revision"`
	ID               string            `json:"id"`
	Type             RevisionType      `json:"type"`
	Parents          []string          `json:"parents"`
	Pages            []RevisionPage    `json:"pages" doc:"Always empty: a reference does not carry them."`
	Files            []File            `json:"files" doc:"Always empty: a reference does not carry them."`
	ReusableContents []ReusableContent `json:"reusableContents" doc:"Always empty: a reference does not carry them."`
	CreatedAt        Time              `json:"createdAt"`
	MergedFrom       *ChangeRequest    `json:"mergedFrom,omitzero" doc:"The change request whose merge made the revision: of the space that the links are in, for those who may see it."`
	URLs             RevisionURLs      `json:"urls"`
}

// InternalLocationType is the kind of a place inside a page.
type InternalLocationType string

// The kinds of places inside a page.
const (
	LocationAnchor InternalLocationType = "anchor"
	LocationNode   InternalLocationType = "node"
)

// Values returns the kinds.
func (InternalLocationType) Values() []InternalLocationType {
	return []InternalLocationType{LocationAnchor, LocationNode}
}

// InternalLocation is a place inside a page: a fragment, or a block of its text.
type InternalLocation struct {
	Type   InternalLocationType `json:"type"`
	Anchor string               `json:"anchor,omitzero"`
	Node   string               `json:"node,omitzero"`
}
