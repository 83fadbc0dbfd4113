package api

import "encoding/json"

// Rows of what changed: in a change request, and between two revisions of a space. Names and shapes are those of the
// public API; the diff of texts is ours.
var (
	GetChangeRequestChanges = get[ChangeRequestChangesInput, SemanticChanges]("change-requests.get-changes", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/changes", "Show what the change request changes, in the order of its pages: its own changes, not those that the space made since.", as("getChangeRequestChanges"))
	DiffChangeRequest       = get[ChangeRequestDiffInput, ContentDiff]("change-requests.diff", "/v1/spaces/{spaceId}/change-requests/{changeRequestId}/diff", "Compare the texts that the change request changes, word by word; format=unified answers a patch.", patchText)
	GetRevisionChanges      = get[RevisionChangesInput, SemanticChanges]("revisions.get-changes", "/v1/spaces/{spaceId}/revisions/{revisionId}/changes", "Show what changed in a revision, against its parent or another revision.", as("getRevisionSemanticChanges"))
	DiffRevision            = get[RevisionDiffInput, ContentDiff]("revisions.diff", "/v1/spaces/{spaceId}/revisions/{revisionId}/diff", "Compare the texts of a revision with those of its parent or another revision, word by word; format=unified answers a patch.", patchText)
)

// MediaPatch is the media type of a unified diff.
const MediaPatch = "text/x-diff"

func patchText(r *Row) { r.Text = MediaPatch }

// ChangesLimit is how many changes and texts are answered unless a limit says otherwise: the answer says how many more there are.
const ChangesLimit = 10

// ChangesOptions narrow what is shown of changes.
type ChangesOptions struct {
	Limit Optional[int] `query:"limit" range:"0..1000" default:"10" doc:"Changes to show; the answer says how many more there are."`
}

// ChangesDetail says what is left out of the changes of a revision.
type ChangesDetail struct {
	Metadata Optional[bool] `query:"metadata" default:"true" doc:"false leaves out the change request whose merge the revision is."`
	Computed Optional[bool] `query:"computed" default:"true" doc:"Either way the pages that computed pages stand for are no changes: no revision holds them."`
}

// Size returns the number of changes to show.
func (o ChangesOptions) Size() int {
	if n, ok := o.Limit.Get(); ok {
		return n
	}
	return ChangesLimit
}

// DiffFormat is the form of a diff.
type DiffFormat string

// The forms: JSON with blocks and words, for people's eyes, or a patch, for programs.
const (
	DiffBlocks  DiffFormat = "blocks"
	DiffUnified DiffFormat = "unified"
)

// Values returns the forms.
func (DiffFormat) Values() []DiffFormat { return []DiffFormat{DiffBlocks, DiffUnified} }

// DiffOptions say which texts are compared, and how they are shown.
type DiffOptions struct {
	Page   string        `query:"page" pattern:"id" doc:"Only this page, also where its text stayed the same; without, all texts that differ."`
	Format DiffFormat    `query:"format" default:"blocks" doc:"blocks is JSON, unified a patch of type text/x-diff."`
	Limit  Optional[int] `query:"limit" range:"0..100" default:"10" doc:"Texts to compare; the answer says how many more there are."`
}

// Size returns the number of texts to compare.
func (o DiffOptions) Size() int { return ChangesOptions{o.Limit}.Size() }

// SinceMyLastReview stands for the revision that the caller's last review of the change request saw.
const SinceMyLastReview = "my-last-review"

// SinceOptions say since when changes are of interest.
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

// RevisionRef names a revision of a space or of one of its change requests.
type RevisionRef struct {
	Space    string `path:"spaceId" pattern:"id"`
	Revision string `path:"revisionId" pattern:"id"`
}

// BaseOptions say what a revision is compared with.
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

// SemanticChanges are what changed between two revisions: pages in the order of their tree, then files, reusable
// contents and variables.
type SemanticChanges struct {
	Base       string           `json:"base,omitzero" doc:"The revision that it is compared with; absent where there is none before."`
	Revision   string           `json:"revision"`
	MergedFrom *ChangeRequest   `json:"mergedFrom,omitzero" doc:"The change request whose merge the revision is."`
	Changes    []SemanticChange `json:"changes"`
	More       int              `json:"more,omitzero" doc:"Changes that are not shown for the limit."`
}

var _ = shown[SemanticChanges](ViewChanges, "changes")

// SemanticChangeType says what was done to what.
type SemanticChangeType string

// The types of changes.
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

// Values returns the types.
func (SemanticChangeType) Values() []SemanticChangeType {
	return []SemanticChangeType{
		PageCreated, PageEdited, PageMoved, PageDeleted, FileCreated, FileEdited, FileDeleted,
		ReusableContentCreated, ReusableContentEdited, ReusableContentDeleted, VariablesEdited,
	}
}

// SemanticChange is one change, with the members that go with its type.
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

var _ = columns[SemanticChange]("type=CHANGE,page.id=PAGE,page.path=PATH,page.title=TITLE,file.name=FILE,reusableContent.title=REUSABLE CONTENT")

// ChangedPage is a page as changes name it.
type ChangedPage struct {
	ID    string   `json:"id"`
	Type  PageType `json:"type"`
	Title string   `json:"title"`
	Path  string   `json:"path,omitzero"`
}

// ParentChange is the page that another was and is below or behind; a side is absent where there is none: at the root, or
// of a first page.
type ParentChange struct {
	Before *ChangedPage `json:"before,omitzero"`
	After  *ChangedPage `json:"after,omitzero"`
}

// ChangedFile is a file as changes name it.
type ChangedFile struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	ContentType string `json:"contentType"`
	DownloadURL string `json:"downloadURL" doc:"Valid for one hour; needs no token."`
}

// ChangedReusableContent is a reusable content as changes name it.
type ChangedReusableContent struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Document string `json:"document,omitzero" doc:"The id of its text."`
}

// AttributeChange is what an attribute was and is; a side is absent where it was not set.
type AttributeChange struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// VariableChange is what a variable was and is; a side is absent where there was none.
type VariableChange struct {
	Before *string `json:"before,omitzero"`
	After  *string `json:"after,omitzero"`
}

// ContentDiff is what changed between two revisions, word by word in the texts: those of pages in the order of their tree,
// then those of reusable contents. What else changed stands beside them.
type ContentDiff struct {
	Base      string           `json:"base,omitzero" doc:"The revision that it is compared with; absent where there is none before."`
	Revision  string           `json:"revision"`
	Documents []DocumentDiff   `json:"documents"`
	Changes   []SemanticChange `json:"changes" doc:"What changed beside the texts: settings, names and places of pages, files, variables."`
	More      int              `json:"more,omitzero" doc:"Texts that differ, and other changes, that are not shown for the limit, or because all together would be too large."`

	// Patch is the answer with format=unified, which has nothing else.
	Patch string `json:"-"`
}

var _ = shown[ContentDiff](ViewDiff, "")

// SetText takes an answer that is not JSON.
func (d *ContentDiff) SetText(text string) { d.Patch = text }

// DocumentChange says what became of a text.
type DocumentChange string

// The fates of a text; one that was moved or renamed only is the same.
const (
	DocumentCreated DocumentChange = "created"
	DocumentEdited  DocumentChange = "edited"
	DocumentDeleted DocumentChange = "deleted"
	DocumentSame    DocumentChange = "same"
)

// Values returns the fates.
func (DocumentChange) Values() []DocumentChange {
	return []DocumentChange{DocumentCreated, DocumentEdited, DocumentDeleted, DocumentSame}
}

// DocumentDiff is what changed in the text of a page or of a reusable content.
type DocumentDiff struct {
	Change          DocumentChange          `json:"change"`
	Page            *ChangedPage            `json:"page,omitzero" doc:"As it is now; a deleted one as it was."`
	ReusableContent *ChangedReusableContent `json:"reusableContent,omitzero"`
	Formatting      bool                    `json:"formatting,omitzero" doc:"Nothing changed that readers see: line breaks, list numbers, the alignment of tables."`
	Words           WordCount               `json:"words"`
	Blocks          []BlockDiff             `json:"blocks"`
}
