package api

// Routes of the history of a space, a change request and a page, including authorship.
var (
	ListSpaceRevisions = get[SpaceRevisionsInput, Page[HistoryEntry]]("spaces.list-revisions", "/v1/spaces/{spaceId}/revisions",
		"List the revisions of a space, newest first; of a source, those among the newest 1,000.")
	ListChangeRequestRevisions = get[ChangeRequestRevisionsInput, Page[HistoryEntry]]("change-requests.list-revisions",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/revisions", "List the revisions that were made in a change request, "+
			"newest first; of a source, those among the newest 1,000.")
	ListPageRevisions = get[PageRevisionsInput, Page[HistoryEntry]]("pages.list-revisions",
		"/v1/spaces/{spaceId}/content/page/{pageId}/revisions", "List the revisions of a space that changed a page, newest first; the "+
			"newest 1,000 of the space are looked at.")
	BlamePage = get[BlamePageInput, PageBlame]("pages.blame", "/v1/spaces/{spaceId}/content/page/{pageId}/blame",
		"Show which revision wrote each block of a page, by whom and in which change request.")
	GetRevision = get[RevisionInput, Revision]("revisions.get", "/v1/spaces/{spaceId}/revisions/{revisionId}",
		"Show a revision: its page tree, files and variables.", withOperation("getRevisionById"))
	ListRevisionPages = get[RevisionInput, PageTree]("revisions.list-pages", "/v1/spaces/{spaceId}/revisions/{revisionId}/pages",
		"Show the page tree of a revision.", withOperation("listPagesInRevisionById"))
	GetRevisionPage = get[RevisionPageInput, RevisionPage]("revisions.get-page",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/page/{pageId}", "Show a page as it was in a revision; format=markdown or "+
			"format=document adds its text.", withOperation("getPageInRevisionById"))
	GetRevisionPageByPath = get[RevisionPagePathInput, RevisionPage]("revisions.get-page-by-path",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/path/{pagePath...}", "Show the page that was at a path in a revision.",
		withOperation("getPageInRevisionByPath"))
	ListRevisionFiles = get[RevisionFilesInput, Page[File]]("revisions.list-files", "/v1/spaces/{spaceId}/revisions/{revisionId}/files",
		"List the files of a revision.", withOperation("listFilesInRevisionById"))
	GetRevisionFile = get[RevisionFileInput, File]("revisions.get-file", "/v1/spaces/{spaceId}/revisions/{revisionId}/files/{fileId}",
		"Show a file of a revision and where to download it.", withOperation("getFileInRevisionById"))
	RollbackRevision = post[RevisionRef, HistoryEntry]("revisions.rollback", "/v1/spaces/{spaceId}/revisions/{revisionId}/rollback",
		"Give a space the content of an earlier revision, as a new one; nothing is lost.", failsWith(ReasonNoChange))
)

// SpaceRevisionsInput is the input of ListSpaceRevisions.
type SpaceRevisionsInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
	RevisionSourceFilter
}

// ChangeRequestRevisionsInput is the input of ListChangeRequestRevisions.
type ChangeRequestRevisionsInput struct {
	ChangeRequestRef
	ListOptions
	RevisionSourceFilter
}

// RevisionSourceFilter selects revisions by their source. All given filters must match.
type RevisionSourceFilter struct {
	Source string `query:"source" len:"1..100" doc:"Only revisions with a source of this name."`
	Branch string `query:"branch" len:"1..250" doc:"Only revisions with a source of this branch."`
}

// RevisionSource is the state of a folder or repository that the content of a revision was pushed from. A merge has that of
// the last revision of the change request that has one.
type RevisionSource struct {
	Name   string `json:"name" len:"1..100" doc:"Of the folder or repository."`
	Branch string `json:"branch,omitzero" len:"1..250" doc:"The branch that was checked out."`
	Commit string `json:"commit,omitzero" len:"40..64" pattern:"commit" doc:"The commit that was checked out: 40 or 64 hexadecimal digits in lower case."`
	Dirty  bool   `json:"dirty,omitzero" doc:"The content is not that of the commit: it has other changes, or only a part was sent."`
}

// PageRevisionsInput is the input of ListPageRevisions.
type PageRevisionsInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Page  string `path:"pageId" pattern:"id"`
	ListOptions
}

// BlamePageInput is the input of BlamePage.
type BlamePageInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Page  string `path:"pageId" pattern:"id"`
}

// RevisionInput is the input of GetRevision and ListRevisionPages.
type RevisionInput struct {
	RevisionRef
	ContentOptions
}

// RevisionPageInput is the input of GetRevisionPage.
type RevisionPageInput struct {
	RevisionRef
	Page string `path:"pageId" pattern:"id"`
	PageOptions
}

// RevisionPagePathInput is the input of GetRevisionPageByPath.
type RevisionPagePathInput struct {
	RevisionRef
	PagePath string `path:"pagePath" len:"..4096" doc:"Slugs from the root, joined by slashes."`
	PageOptions
	CachedMetadata bool `query:"cachedMetadata" doc:"Either way the times are those that are stored."`
}

// RevisionFilesInput is the input of ListRevisionFiles.
type RevisionFilesInput struct {
	RevisionRef
	ListOptions
	ContentOptions
}

// RevisionFileInput is the input of GetRevisionFile.
type RevisionFileInput struct {
	RevisionRef
	File string `path:"fileId" pattern:"id"`
	ContentOptions
}

// HistoryEntry is a revision without its content: author, time and origin.
type HistoryEntry struct {
	Object     string          `json:"object" enum:"revision"`
	ID         string          `json:"id"`
	Type       RevisionType    `json:"type"`
	Number     int             `json:"number" doc:"How many revisions led to it, itself included."`
	Parents    []string        `json:"parents" doc:"The revisions that it was made from: two after a merge."`
	Author     User            `json:"author"`
	CreatedAt  Time            `json:"createdAt"`
	MergedFrom *HistoryRequest `json:"mergedFrom,omitzero" doc:"The change request whose merge made it."`
	Source     *RevisionSource `json:"source,omitzero" doc:"Where it was pushed from."`
	Lost       bool            `json:"lost,omitzero" doc:"It could not be read and was given up in a repair: what stands here is what is known of it otherwise."`
	URLs       LocationURLs    `json:"urls"`
}

var _ = declareColumns[HistoryEntry]("number,id,type,author.displayName=BY,createdAt,mergedFrom.number=REQUEST," +
	"mergedFrom.subject=SUBJECT,source.name=SOURCE,source.branch=BRANCH")

// HistoryRequest is the change request that a revision was merged from.
type HistoryRequest struct {
	ID      string `json:"id"`
	Number  int    `json:"number" doc:"Number in the space, from 1."`
	Subject string `json:"subject"`
}

// PageBlame is the result of BlamePage.
type PageBlame struct {
	Blocks []BlamedBlock `json:"blocks" doc:"The blocks of the page, in order."`
}

// BlamedBlock is a block of the text of a page with the origin of its words. It is computed from the revisions and
// never stored. Words older than the latest 1,000 revisions of the page have no revision.
type BlamedBlock struct {
	Block
	Preview       string          `json:"preview" doc:"The beginning of the block."`
	Revision      string          `json:"revision,omitzero" doc:"The one that gave the block its words."`
	Author        *User           `json:"author,omitzero" doc:"Who wrote them: of a suggestion, who made it."`
	AppliedBy     *User           `json:"appliedBy,omitzero" doc:"Who applied the suggestion that they come from."`
	CreatedAt     Time            `json:"createdAt,omitzero" doc:"Time of the revision."`
	ChangeRequest *HistoryRequest `json:"changeRequest,omitzero" doc:"The one that the words came with."`
	Source        *RevisionSource `json:"source,omitzero" doc:"Where the revision was pushed from."`
}

var _ = declareColumns[BlamedBlock]("author.displayName=BY,createdAt=WHEN,changeRequest.number=REQUEST,revision,kind,preview=TEXT")
