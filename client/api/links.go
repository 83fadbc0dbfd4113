package api

// Routes of links.
var (
	ListSpaceLinks = get[ListLinksInput, LinkList]("spaces.list-links", "/v1/spaces/{spaceId}/links",
		"List the links of a space: ok, broken, or into the app.", withOperation("listSpaceLinks"))
	ListContentBacklinks = get[ListBacklinksInput, Page[Reference]]("content.list-backlinks",
		"/v1/spaces/{spaceId}/content/files/{fileId}/backlinks", "List the places that use a file.",
		withOperation("listSpaceFileBacklinks"))
	ListContentLinks = get[ListPageLinksInput, LinkList]("content.list-links",
		"/v1/spaces/{spaceId}/content/page/{pageId}/links", "List the links of a page.", withOperation("listPageLinksInSpace"))
	ListChangeRequestContentBacklinks = twin[ListChangeRequestBacklinksInput]("change-request-content.list-backlinks", ListContentBacklinks,
		withOperation("listChangeRequestFileBacklinks"), withSummary("List the places of the change request that use a file."))
	ListChangeRequestContentLinks = twin[ListChangeRequestLinksInput]("change-request-content.list-links", ListContentLinks,
		withOperation("listPageLinksInChangeRequest"), withSummary("List the links of a page of the change request."))
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

// Values of LinkStatus.
const (
	LinkOK     LinkStatus = "ok"
	LinkBroken LinkStatus = "broken"
	LinkInApp  LinkStatus = "in-app" // a URL of this server
)

// Values returns the values of LinkStatus.
func (LinkStatus) Values() []LinkStatus { return []LinkStatus{LinkOK, LinkBroken, LinkInApp} }

// LinkProblem is the reason why a link is broken.
type LinkProblem string

// Values of LinkProblem.
const (
	NoSuchPage       LinkProblem = "page_not_found"
	NoSuchAnchor     LinkProblem = "anchor_not_found"
	NoSuchFile       LinkProblem = "file_not_found"
	NoSuchSpace      LinkProblem = "space_not_found"
	NoSuchCollection LinkProblem = "collection_not_found"
	NoSuchSpec       LinkProblem = "specification_not_found"
	NoSuchVariable   LinkProblem = "variable_not_found"         // the expression remains as text
	NoSuchReusable   LinkProblem = "reusable_content_not_found" // the include remains as text
	NoRoom           LinkProblem = "no_room"                    // the expansion would be too long; the expression remains as text
)

// Values returns the problems.
func (LinkProblem) Values() []LinkProblem {
	return []LinkProblem{
		NoSuchPage, NoSuchAnchor, NoSuchFile, NoSuchSpace, NoSuchCollection, NoSuchSpec, NoSuchVariable, NoSuchReusable, NoRoom,
	}
}

// LinkMatch is the way in which a link was resolved whose literal target does not exist.
type LinkMatch string

// Values of LinkMatch.
const (
	MatchName LinkMatch = "name" // a single page or file of the source has the name
	MatchCase LinkMatch = "case" // a single page or file matches case-insensitively
)

// Values returns the ways of matching.
func (LinkMatch) Values() []LinkMatch { return []LinkMatch{MatchName, MatchCase} }

// LinkList is a page of links with statistics of all of them.
type LinkList struct {
	Page[Link]
	Stats LinkStats `json:"stats" doc:"Of all links, whatever the filter."`
}

// LinkStats are statistics of links.
type LinkStats struct {
	Total  int         `json:"total" doc:"Number of links."`
	Broken BrokenLinks `json:"broken"`
}

// BrokenLinks are statistics of broken links.
type BrokenLinks struct {
	Total         int  `json:"total" doc:"Number of broken links."`
	ChangeRequest *int `json:"changeRequest,omitzero" doc:"Those that are not broken where the change request started from."`
}

// Link is a link, image, include or other reference of a page.
type Link struct {
	Status    LinkStatus  `json:"status"`
	Relation  string      `json:"relation" enum:"reference" doc:"Kind of the reference."`
	Href      string      `json:"href" doc:"The destination as the page has it, or an expression that stands for nothing."`
	Problem   LinkProblem `json:"problem,omitzero" doc:"Why the link is broken."`
	Match     LinkMatch   `json:"match,omitzero" doc:"How the target was found where nothing lies at the destination as it is written."`
	Target    *Reference  `json:"targetReference,omitzero" doc:"Absent when the link is broken."`
	Locations []Reference `json:"locationReferences" doc:"Where the page uses it, one per block."`
}

var _ = declareColumns[Link]("status,href,problem,locationReferences.0.page.path=PAGE,locationReferences.0.internalLocation.node=NODE")

// ReferenceKind is the kind of a Reference.
type ReferenceKind string

// Values of ReferenceKind.
const (
	ReferenceFile       ReferenceKind = "file"
	ReferenceURL        ReferenceKind = "url"
	ReferencePage       ReferenceKind = "page"
	ReferenceSpace      ReferenceKind = "space"
	ReferenceCollection ReferenceKind = "collection"
	ReferenceOpenAPI    ReferenceKind = "openapi"
)

// Values returns the values of ReferenceKind.
func (ReferenceKind) Values() []ReferenceKind {
	return []ReferenceKind{ReferenceFile, ReferenceURL, ReferencePage, ReferenceSpace, ReferenceCollection, ReferenceOpenAPI}
}

// Reference is a location in content or an external URL. Its kind determines which members are set.
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

var _ = declareColumns[Reference]("kind,page.path=PAGE,page.title=TITLE,internalLocation.node=NODE")

// VersionContextType is the type of a VersionContext.
type VersionContextType string

// Values of VersionContextType.
const (
	ContextRevision      VersionContextType = "revision"
	ContextChangeRequest VersionContextType = "changeRequest"
)

// Values returns the values of VersionContextType.
func (VersionContextType) Values() []VersionContextType {
	return []VersionContextType{ContextRevision, ContextChangeRequest}
}

// VersionContext is the version of the content that contains a Reference.
type VersionContext struct {
	Type          VersionContextType `json:"type"`
	Revision      *RevisionSummary   `json:"revision,omitzero"`
	ChangeRequest *ChangeRequest     `json:"changeRequest,omitzero"`
}

// RevisionSummary is a Revision without the members that grow with the space: pages, files and reusable contents.
type RevisionSummary struct {
	Object           string            `json:"object" enum:"revision"`
	ID               string            `json:"id"`
	Type             RevisionType      `json:"type"`
	Parents          []string          `json:"parents" doc:"The revisions that it was made from: two after a merge."`
	Pages            []RevisionPage    `json:"pages" doc:"Always empty: a reference does not carry them."`
	Files            []File            `json:"files" doc:"Always empty: a reference does not carry them."`
	ReusableContents []ReusableContent `json:"reusableContents" doc:"Always empty: a reference does not carry them."`
	CreatedAt        Time              `json:"createdAt"`
	MergedFrom       *ChangeRequest    `json:"mergedFrom,omitzero" doc:"The change request whose merge made the revision: of the space that the links are in, for those who may see it."`
	URLs             RevisionURLs      `json:"urls"`
}

// InternalLocationType is the type of an InternalLocation.
type InternalLocationType string

// Values of InternalLocationType.
const (
	LocationAnchor InternalLocationType = "anchor"
	LocationNode   InternalLocationType = "node"
)

// Values returns the values of InternalLocationType.
func (InternalLocationType) Values() []InternalLocationType {
	return []InternalLocationType{LocationAnchor, LocationNode}
}

// InternalLocation is a location in a page: a fragment or a block.
type InternalLocation struct {
	Type   InternalLocationType `json:"type"`
	Anchor string               `json:"anchor,omitzero"`
	Node   string               `json:"node,omitzero" doc:"Id of the block."`
}
