package api

import "encoding/json"

// Routes of changes: those of a change request, and those between two revisions of a space. Their names and types
// follow the public API, except for text diffs, which it does not have.
var (
	GetChangeRequestChanges = get[ChangeRequestChangesInput, SemanticChanges]("change-requests.get-changes",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes", "Show what the change request changes, in the order of its "+
			"pages: its own changes, not those that the space made since.", withOperation("getChangeRequestChanges"))
	DiffChangeRequest = get[ChangeRequestDiffInput, ContentDiff]("change-requests.diff",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/diff", "Compare the texts that the change request changes, word by word; "+
			"format=unified answers a patch.", withPatch)
	GetRevisionChanges = get[RevisionChangesInput, SemanticChanges]("revisions.get-changes",
		"/v1/spaces/{spaceId}/revisions/{revisionId}/changes", "Show what changed in a revision, against its parent or another revision.",
		withOperation("getRevisionSemanticChanges"))
	DiffRevision = get[RevisionDiffInput, ContentDiff]("revisions.diff", "/v1/spaces/{spaceId}/revisions/{revisionId}/diff",
		"Compare the texts of a revision with those of its parent or another revision, word by word; format=unified answers a patch.",
		withPatch)
)

// MediaPatch is the media type of a unified diff.
const MediaPatch = "text/x-diff"

func withPatch(r *Row) { r.Text = MediaPatch }

// ChangesLimit is the default maximum number of changes and texts in a response. The response also has the number of omitted
// ones.
const ChangesLimit = 10

// ChangesOptions limits the changes in a response.
type ChangesOptions struct {
	Limit Optional[int] `query:"limit" range:"0..1000" default:"10" doc:"Changes to show; the answer says how many more there are."`
}

// ChangesDetail selects what is omitted from the changes of a revision.
type ChangesDetail struct {
	Metadata Optional[bool] `query:"metadata" default:"true" doc:"false leaves out the change request whose merge the revision is."`
	Computed Optional[bool] `query:"computed" default:"true" doc:"Either way the pages that computed pages stand for are no changes: no revision holds them."`
}

// Size returns the maximum number of changes.
func (o ChangesOptions) Size() int {
	if n, ok := o.Limit.Get(); ok {
		return n
	}
	return ChangesLimit
}

// DiffFormat is the format of a diff.
type DiffFormat string

// Values of DiffFormat.
const (
	DiffBlocks  DiffFormat = "blocks"  // JSON with blocks and words, for display
	DiffUnified DiffFormat = "unified" // patch in the unified format, for programs
)

// Values returns the formats.
func (DiffFormat) Values() []DiffFormat { return []DiffFormat{DiffBlocks, DiffUnified} }

// DiffOptions selects the texts to compare and the format of the diff.
type DiffOptions struct {
	Page   string        `query:"page" pattern:"id" doc:"Only this page, also where its text stayed the same; without, all texts that differ."`
	Format DiffFormat    `query:"format" default:"blocks" doc:"blocks is JSON, unified a patch of type text/x-diff, which git applies in the folder that content.export writes of the base."`
	Limit  Optional[int] `query:"limit" range:"0..100" default:"10" doc:"Texts to compare; the answer says how many more there are. Without it, 100 with format=unified."`
}

// Size returns the maximum number of texts to compare.
func (o DiffOptions) Size() int {
	if _, ok := o.Limit.Get(); !ok && o.Format == DiffUnified { // a part of a patch is rarely useful
		return 100
	}
	return ChangesOptions{o.Limit}.Size()
}

// SinceMyLastReview stands for the revision of the caller's last review of the change request.
const SinceMyLastReview = "my-last-review"

// SinceOptions selects the revision from which changes are reported.
type SinceOptions struct {
	Since string `query:"since" pattern:"id" doc:"Only what the change request changed since this one of its revisions, or since my-last-review; to who made no review all is new."`
}

// ChangeRequestChangesInput is the input of GetChangeRequestChanges.
type ChangeRequestChangesInput struct {
	ChangeRequestRef
	SinceOptions
	ChangesOptions
}

// ChangeRequestDiffInput is the input of DiffChangeRequest.
type ChangeRequestDiffInput struct {
	ChangeRequestRef
	SinceOptions
	DiffOptions
}

// RevisionRef identifies a revision of a space or of one of its change requests.
type RevisionRef struct {
	Space    string `path:"spaceId" pattern:"id"`
	Revision string `path:"revisionId" pattern:"id"`
}

// BaseOptions selects the revision to compare with.
type BaseOptions struct {
	Base string `query:"base" pattern:"id" doc:"Another revision of the space to compare with; without, the parent."`
}

// RevisionChangesInput is the input of GetRevisionChanges.
type RevisionChangesInput struct {
	RevisionRef
	BaseOptions
	ChangesOptions
	ChangesDetail
}

// RevisionDiffInput is the input of DiffRevision.
type RevisionDiffInput struct {
	RevisionRef
	BaseOptions
	DiffOptions
}

// SemanticChanges lists the changes between two revisions: pages in tree order, then files, reusable contents and
// variables.
type SemanticChanges struct {
	Base       string           `json:"base,omitzero" doc:"The revision that it is compared with; absent where there is none before."`
	Revision   string           `json:"revision" doc:"The revision with the changes."`
	MergedFrom *ChangeRequest   `json:"mergedFrom,omitzero" doc:"The change request whose merge the revision is."`
	Changes    []SemanticChange `json:"changes" doc:"The changed pages, files and reusable contents."`
	More       int              `json:"more,omitzero" doc:"Changes that are not shown for the limit."`
}

var _ = declareView[SemanticChanges](ViewChanges, "changes")

// SemanticChangeType is the kind of a change.
type SemanticChangeType string

// Values of SemanticChangeType.
const (
	PageCreated            SemanticChangeType = "page_created"
	PageEdited             SemanticChangeType = "page_edited"
	PageMoved              SemanticChangeType = "page_moved"
	PageDeleted            SemanticChangeType = "page_deleted"
	FileCreated            SemanticChangeType = "file_created"
	FileEdited             SemanticChangeType = "file_edited"
	FileDeleted            SemanticChangeType = "file_deleted"
	ReusableContentCreated SemanticChangeType = "reusable_content_created"
	ReusableContentEdited  SemanticChangeType = "reusable_content_edited"
	ReusableContentDeleted SemanticChangeType = "reusable_content_deleted"
	VariablesEdited        SemanticChangeType = "variables_edited"
)

// Values returns the values of SemanticChangeType.
func (SemanticChangeType) Values() []SemanticChangeType {
	return []SemanticChangeType{
		PageCreated, PageEdited, PageMoved, PageDeleted, FileCreated, FileEdited, FileDeleted,
		ReusableContentCreated, ReusableContentEdited, ReusableContentDeleted, VariablesEdited,
	}
}

// SemanticChange is a change. Its type determines which members are set.
type SemanticChange struct {
	Type            SemanticChangeType         `json:"type"`
	Page            *ChangedPage               `json:"page,omitzero" doc:"As it is now; a deleted one as it was."`
	Parent          *ParentChange              `json:"parent,omitzero" doc:"Of a page that moved; the same twice where it moved among its siblings."`
	Previous        *ParentChange              `json:"previous,omitzero" doc:"Of a page that moved: the sibling that it stood and stands behind; a side is absent where it is the first."`
	File            *ChangedFile               `json:"file,omitzero"`
	ReusableContent *ChangedReusableContent    `json:"reusableContent,omitzero"`
	Attributes      map[string]AttributeChange `json:"attributes,omitempty" doc:"By name: title, slug, document, ... For document, the ids of the texts. Of a page that is new, the settings that it was made with."`
	Variables       map[string]VariableChange  `json:"variables,omitempty" doc:"The variables of the space that changed, by name."`
}

var _ = declareColumns[SemanticChange](
	"type=CHANGE,page.id=PAGE,page.path=PATH,page.title=TITLE," +
		"file.name=FILE,reusableContent.title=REUSABLE CONTENT",
)

// ChangedPage holds the id, type, title and path of a changed page.
type ChangedPage struct {
	ID    string   `json:"id"`
	Type  PageType `json:"type"`
	Title string   `json:"title"`
	Path  string   `json:"path,omitzero"`
}

// ParentChange is the old and new parent or preceding sibling of a page. A side is absent at the root, or for a first
// page.
type ParentChange struct {
	Before *ChangedPage `json:"before,omitzero"`
	After  *ChangedPage `json:"after,omitzero"`
}

// ChangedFile holds the id, name and content type of a changed file, and a download URL.
type ChangedFile struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	DownloadURL string `json:"downloadURL" doc:"Valid for one hour, or until the space is deleted or transferred; needs no token."`
}

// ChangedReusableContent holds the id and title of a changed reusable content, and the id of its text.
type ChangedReusableContent struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Document string `json:"document,omitzero" doc:"The id of its text."`
}

// AttributeChange is the old and new value of an attribute. A side is absent if the attribute was not set.
type AttributeChange struct {
	Before json.RawMessage `json:"before,omitempty" doc:"The value before; absent if it was not set."`
	After  json.RawMessage `json:"after,omitempty" doc:"The value after; absent if it is no longer set."`
}

// VariableChange is the old and new value of a variable. A side is absent if the variable did not exist.
type VariableChange struct {
	Before *string `json:"before,omitzero" doc:"The value before; absent if it was not set."`
	After  *string `json:"after,omitzero" doc:"The value after; absent if it is no longer set."`
}

// ContentDiff is the word diff between two revisions: the texts of pages in tree order, then those of reusable
// contents, with the other changes.
type ContentDiff struct {
	Base      string           `json:"base,omitzero" doc:"The revision that it is compared with; absent where there is none before."`
	Revision  string           `json:"revision" doc:"The revision with the changes."`
	Documents []DocumentDiff   `json:"documents" doc:"Differences of the changed texts."`
	Changes   []SemanticChange `json:"changes" doc:"What changed beside the texts: settings, names and places of pages, files, variables."`
	More      int              `json:"more,omitzero" doc:"Texts that differ, and other changes, that are not shown for the limit, or because all together would be too large."`

	// Patch is the response with format=unified; all other members are then empty.
	Patch string `json:"-"`
}

var _ = declareView[ContentDiff](ViewDiff, "")

// SetText sets the value from a response that is not JSON.
func (d *ContentDiff) SetText(text string) { d.Patch = text }

// DocumentChange is the kind of change of a text.
type DocumentChange string

// Values of DocumentChange. A text that was only moved or renamed is unchanged.
const (
	DocumentCreated DocumentChange = "created"
	DocumentEdited  DocumentChange = "edited"
	DocumentDeleted DocumentChange = "deleted"
	DocumentSame    DocumentChange = "same"
)

// Values returns the kinds of change.
func (DocumentChange) Values() []DocumentChange {
	return []DocumentChange{DocumentCreated, DocumentEdited, DocumentDeleted, DocumentSame}
}

// DocumentDiff is the diff of the text of a page or a reusable content.
type DocumentDiff struct {
	Change          DocumentChange          `json:"change"`
	Page            *ChangedPage            `json:"page,omitzero" doc:"As it is now; a deleted one as it was."`
	ReusableContent *ChangedReusableContent `json:"reusableContent,omitzero"`
	Formatting      bool                    `json:"formatting,omitzero" doc:"Nothing changed that readers see: line breaks, list numbers, the alignment of tables."`
	Words           WordCount               `json:"words"`
	Blocks          []BlockDiff             `json:"blocks" doc:"The blocks of the new text in order, and the removed ones at their places."`
}
