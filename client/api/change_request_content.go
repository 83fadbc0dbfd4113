package api

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Routes of the content of a change request.
var (
	GetChangeRequestContent = twin[ChangeRequestContentInput]("change-request-content.get", GetContent,
		withOperation("getRevisionOfChangeRequestById"), withSummary("Show the change request's revision."))
	EditChangeRequestContent = post[EditContentInput, ContentResult]("change-request-content.edit",
		"/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content", "Apply 1 to 50 content operations as one new revision, or none "+
			"of them.", withBodyLimit(ContentBodyLimit), withAlternative[ChangeRequest], withOperation("updateChangeRequestContent"))
	ImportChangeRequestContent = twin[ChangeRequestImportInput]("change-request-content.import", ImportContent,
		withOperation("importContentInChangeRequest"), withUpload[ChangeRequestImportUploadInput](importMedia...),
		withSummary("Import a website, an archive or a document into the change request."))
	ListChangeRequestContentPages = twin[ChangeRequestContentInput]("change-request-content.list-pages", ListContentPages,
		withOperation("listPagesInChangeRequest"))
	ListChangeRequestContentFiles = twin[ChangeRequestFilesInput]("change-request-content.list-files", ListContentFiles,
		withOperation("listFilesInChangeRequestById"))
	GetChangeRequestContentFile = twin[ChangeRequestFileInput]("change-request-content.get-file", GetContentFile,
		withOperation("getFileInChangeRequestById"))
	GetChangeRequestContentReusableContent = twin[ChangeRequestReusableContentInput]("change-request-content.get-reusable-content",
		GetContentReusableContent, withOperation("getReusableContentInChangeRequestById"))
	GetChangeRequestContentPage = twin[ChangeRequestPageInput]("change-request-content.get-page", GetContentPage,
		withOperation("getPageInChangeRequestById"))
	GetChangeRequestContentPageByPath = twin[ChangeRequestPagePathInput]("change-request-content.get-page-by-path", GetContentPageByPath,
		withOperation("getPageInChangeRequestByPath"))
)

// ChangeRequestContentInput is the input of operations that return the whole content.
type ChangeRequestContentInput struct {
	ChangeRequestRef
	ContentOptions
}

// ChangeRequestImportInput is the input of ImportChangeRequestContent.
type ChangeRequestImportInput struct {
	ChangeRequestRef
	Body Import
}

// ChangeRequestFilesInput is the input of ListChangeRequestContentFiles.
type ChangeRequestFilesInput struct {
	ChangeRequestRef
	ListOptions
	ContentOptions
}

// ChangeRequestFileInput is the input of GetChangeRequestContentFile.
type ChangeRequestFileInput struct {
	ChangeRequestRef
	File string `path:"fileId" pattern:"id"`
	ContentOptions
}

// ChangeRequestReusableContentInput is the input of GetChangeRequestContentReusableContent.
type ChangeRequestReusableContentInput struct {
	ChangeRequestRef
	ReusableContent string `path:"reusableContentId" pattern:"id"`
	ReusableContentOptions
}

// ChangeRequestPageInput is the input of GetChangeRequestContentPage.
type ChangeRequestPageInput struct {
	ChangeRequestRef
	Page string `path:"pageId" pattern:"id"`
	PageOptions
}

// ChangeRequestPagePathInput is the input of GetChangeRequestContentPageByPath.
type ChangeRequestPagePathInput struct {
	ChangeRequestRef
	PagePath string `path:"pagePath" len:"..4096" doc:"Slugs from the root, joined by slashes."`
	PageOptions
	CachedMetadata bool `query:"cachedMetadata" doc:"Either way the times are those that are stored."`
}

// EditContentInput is the input of EditChangeRequestContent.
type EditContentInput struct {
	ChangeRequestRef
	Compat Optional[bool] `query:"compat" default:"true" sent:"false" doc:"true answers the change request alone, false what each operation did, too."`
	Body   ContentEdit
}

// ContentEdit is the body of EditChangeRequestContent.
type ContentEdit struct {
	Changes []ContentChange `json:"changes" len:"1..50" doc:"Applied in order, all or none."`
	Source  *RevisionSource `json:"source,omitzero" doc:"Where the changes come from; kept in the revision that they make. Changes without an effect make none."`
}

// ContentOperation is the name of a content operation.
type ContentOperation string

// Values of ContentOperation. update_page with into or at moves a page. set_summary keeps the bytes of the SUMMARY.md of a
// source for exports, and changes no page.
const (
	InsertPage  ContentOperation = "insert_page"
	UpdatePage  ContentOperation = "update_page"
	DeletePage  ContentOperation = "delete_page"
	RevertPage  ContentOperation = "revert_page"
	InsertFiles ContentOperation = "insert_files"
	DeleteFiles ContentOperation = "delete_files"

	SetVariables          ContentOperation = "set_variables"
	InsertReusableContent ContentOperation = "insert_reusable_content"
	UpdateReusableContent ContentOperation = "update_reusable_content"
	DeleteReusableContent ContentOperation = "delete_reusable_content"

	SetSummary ContentOperation = "set_summary"
)

// Values returns the operations.
func (ContentOperation) Values() []ContentOperation {
	return []ContentOperation{
		InsertPage, UpdatePage, DeletePage, RevertPage, InsertFiles, DeleteFiles,
		SetVariables, InsertReusableContent, UpdateReusableContent, DeleteReusableContent, SetSummary,
	}
}

// ContentChange is a content operation. Validate checks which members go with which operation.
type ContentChange struct {
	Operation     ContentOperation        `json:"operation"`
	Page          string                  `json:"page,omitzero" pattern:"id" doc:"The page to update, delete or revert, or whose variables to set."`
	Ref           string                  `json:"ref,omitzero" len:"1..100" pattern:"id" doc:"A name for the new page or reusable content; other operations of the request use it as an id, and links to /pages/<ref> and includes of reusable:<ref> are rewritten."`
	Type          PageType                `json:"type,omitzero" doc:"Default document."`
	Title         Optional[string]        `json:"title,omitzero" len:"0..250" doc:"Wins over the text's front matter and first heading; empty goes back to them."`
	Slug          Optional[string]        `json:"slug,omitzero" len:"1..100" pattern:"slug" doc:"Unique among siblings; default from the title."`
	Emoji         Optional[string]        `json:"emoji,omitzero" len:"0..50" format:"emoji" doc:"Empty removes it."`
	Icon          Optional[string]        `json:"icon,omitzero" len:"0..50" doc:"Empty removes it."`
	Description   Optional[string]        `json:"description,omitzero" len:"0..1000" doc:"Empty removes it."`
	Hidden        Optional[bool]          `json:"hidden,omitzero" doc:"Whether the page is left out of the table of contents."`
	NoIndex       Optional[bool]          `json:"noIndex,omitzero" doc:"Whether search engines are asked not to index the page."`
	NoRobotsIndex Optional[bool]          `json:"noRobotsIndex,omitzero" doc:"Whether robots are asked not to index the page."`
	Condition     Optional[string]        `json:"condition,omitzero" len:"0..1000" doc:"Empty, as pages have none; any other is refused: what is for some visitors stands in {% if %} in the text."`
	Layout        Optional[PageLayout]    `json:"layout,omitzero" null:"true" doc:"null goes back to the default layout."`
	Cover         Optional[PageCover]     `json:"cover,omitzero" null:"true" doc:"null removes it."`
	MetaLinks     Optional[PageMetaLinks] `json:"metaLinks,omitzero" null:"true" doc:"Its canonical address and its alternates, all of them; null removes them."`
	Target        *ContentRef             `json:"target,omitzero" doc:"Where a link page leads."`
	Computed      *Computed               `json:"computed,omitzero" doc:"What a computed page is made of."`
	Document      *Document               `json:"document,omitzero" doc:"The whole text of the page or reusable content."`
	Into          Optional[string]        `json:"into,omitzero" null:"true" pattern:"id" doc:"The parent page; null is the root. Absent: the root for a new page, unchanged for another."`
	At            Optional[int]           `json:"at,omitzero" range:"0..100000" doc:"Index among the siblings; default the end."`
	SourceName    string                  `json:"sourceName,omitzero" len:"1..100" doc:"The source that the page or the files come from, or its id; a name that the space does not have is a new source."`
	Path          string                  `json:"path,omitzero" len:"1..1024" doc:"Where the page lies in its source: links of the source lead to it by this path, whatever becomes of the page."`
	Part          string                  `json:"part,omitzero" len:"1..1024" doc:"What this part of the document at path begins at, as in git.part, unique in the document. Absent: unchanged for a page that stays at its path, else the page is the first part."`
	Revision      string                  `json:"revision,omitzero" pattern:"id" doc:"Revert to this revision; default the one that the change request started from."`
	Block         []string                `json:"block,omitzero" len:"1..1000" each:"..100" doc:"Revert only these blocks."`
	Files         []FileInsert            `json:"files,omitzero" len:"1..20" doc:"The files of insert_files."`
	FileIDs       []string                `json:"fileIds,omitzero" len:"1..100" each:"..100" doc:"The files to delete."`

	Variables       map[string]*string `json:"variables,omitzero" len:"0..200" keys:"1..256" keyPattern:"variable" each:"..256" doc:"Variables by name, of the page or else of the space; null removes one, others stay."`
	ReusableContent string             `json:"reusableContent,omitzero" pattern:"id" doc:"The reusable content to update or delete."`
}

// Validate checks that every change has the members of its operation and no others.
func (e ContentEdit) Validate() []FieldError {
	var wrong []FieldError
	refs := map[string]bool{}
	for i, c := range e.Changes {
		path := fmt.Sprintf("changes[%d].", i)
		for _, v := range slices.Concat(c.checkMembers(), c.checkCondition(), c.checkSource(), c.checkFiles(refs), c.Document.validate()) {
			wrong = append(wrong, FieldError{Path: path + v.Path, Message: v.Message})
		}
		if c.Ref != "" && refs[c.Ref] {
			wrong = append(wrong, FieldError{Path: path + "ref", Message: "is used twice"})
		}
		refs[c.Ref] = true
	}
	return wrong
}

// pageFields are the members that describe a page.
var pageFields = []string{
	"title", "slug", "emoji", "icon", "description", "hidden", "noIndex", "noRobotsIndex", "condition", "layout", "cover", "metaLinks",
	"target", "computed", "document", "into", "at", "sourceName", "path", "part",
}

// contentFields lists the members that each operation may have and must have.
var contentFields = map[ContentOperation]struct{ optional, required []string }{
	InsertPage:  {optional: append([]string{"ref", "type"}, pageFields...)},
	UpdatePage:  {optional: pageFields, required: []string{"page"}},
	DeletePage:  {required: []string{"page"}},
	RevertPage:  {optional: []string{"revision", "block"}, required: []string{"page"}},
	InsertFiles: {optional: []string{"sourceName"}, required: []string{"files"}},
	DeleteFiles: {required: []string{"fileIds"}},

	SetVariables:          {optional: []string{"page"}, required: []string{"variables"}},
	InsertReusableContent: {optional: []string{"ref", "title", "document"}},
	UpdateReusableContent: {optional: []string{"title", "document"}, required: []string{"reusableContent"}},
	DeleteReusableContent: {required: []string{"reusableContent"}},

	SetSummary: {required: []string{"sourceName", "path", "document"}},
}

// checkMembers reports members that do not belong to the operation and required ones that are missing.
func (c ContentChange) checkMembers() []FieldError {
	fields := contentFields[c.Operation]
	var wrong []FieldError
	for _, m := range c.members() {
		required := slices.Contains(fields.required, m.name)
		switch {
		case m.isSet && !required && !slices.Contains(fields.optional, m.name):
			wrong = append(wrong, FieldError{Path: m.name, Message: "does not go with " + string(c.Operation)})
		case !m.isSet && required:
			wrong = append(wrong, FieldError{Path: m.name, Message: "is required for " + string(c.Operation)})
		}
	}
	return wrong
}

// checkCondition reports an error if a page has a condition.
func (c ContentChange) checkCondition() []FieldError {
	if condition, _ := c.Condition.Get(); condition == "" {
		return nil
	}
	return []FieldError{
		{
			Path: "condition", Message: "is not supported: pages are for all who may read their space; what is for some stands in {% if " +
				"%} in the text",
		},
	}
}

type memberPresence struct {
	name  string
	isSet bool
}

func (c ContentChange) members() []memberPresence {
	return []memberPresence{
		{"page", c.Page != ""},
		{"ref", c.Ref != ""},
		{"type", c.Type != ""},
		{"title", !c.Title.IsZero()},
		{"slug", !c.Slug.IsZero()},
		{"emoji", !c.Emoji.IsZero()},
		{"icon", !c.Icon.IsZero()},
		{"description", !c.Description.IsZero()},
		{"hidden", !c.Hidden.IsZero()},
		{"noIndex", !c.NoIndex.IsZero()},
		{"noRobotsIndex", !c.NoRobotsIndex.IsZero()},
		{"condition", !c.Condition.IsZero()},
		{"layout", !c.Layout.IsZero()},
		{"cover", !c.Cover.IsZero()},
		{"metaLinks", !c.MetaLinks.IsZero()},
		{"target", c.Target != nil},
		{"computed", c.Computed != nil},
		{"document", c.Document != nil},
		{"into", !c.Into.IsZero()},
		{"at", !c.At.IsZero()},
		{"sourceName", c.SourceName != ""},
		{"path", c.Path != ""},
		{"part", c.Part != ""},
		{"revision", c.Revision != ""},
		{"block", c.Block != nil},
		{"files", c.Files != nil},
		{"fileIds", c.FileIDs != nil},
		{"variables", c.Variables != nil},
		{"reusableContent", c.ReusableContent != ""},
	}
}

// checkSource checks that source and path are given together.
func (c ContentChange) checkSource() []FieldError {
	var wrong []FieldError
	together := func(at, path string) {
		switch {
		case (path == "") == (c.SourceName == ""):
		case path == "":
			wrong = append(wrong, FieldError{Path: at, Message: "is required with sourceName"})
		default:
			wrong = append(wrong, FieldError{Path: at, Message: "goes with sourceName"})
		}
	}
	if c.Operation != InsertFiles {
		together("path", c.Path)
	}
	if c.Part != "" && c.Path == "" {
		wrong = append(wrong, FieldError{Path: "part", Message: "goes with path"})
	}
	for j, f := range c.Files {
		together(fmt.Sprintf("files[%d].path", j), f.Path)
	}
	return wrong
}

// checkFiles checks that each file has exactly one source, and adds its ref to refs.
func (c ContentChange) checkFiles(refs map[string]bool) []FieldError {
	var wrong []FieldError
	for j, f := range c.Files {
		path := fmt.Sprintf("files[%d].", j)
		switch {
		case (f.URL == "") == (f.Base64 == ""):
			wrong = append(wrong, FieldError{Path: path + "url", Message: "exactly one of url and base64 is required"})
		case f.Base64 != "" && f.ContentType == "":
			wrong = append(wrong, FieldError{Path: path + "contentType", Message: "is required with base64"})
		}
		if f.Ref != "" && refs[f.Ref] {
			wrong = append(wrong, FieldError{Path: path + "ref", Message: "is used twice"})
		}
		refs[f.Ref] = true
	}
	return wrong
}

// MaxVariableLength is the maximum length of the name and of the value of a variable.
const MaxVariableLength = 256

// Document is a text as Markdown or as a document. If neither member is set, an update leaves the text unchanged.
type Document struct {
	Markdown Optional[string] `json:"markdown,omitzero" len:"..1048576" format:"markdown" doc:"Stored byte for byte."`
	Document JSONObject       `json:"document,omitzero" len:"..10" keys:"..100" each:"..8388608" doc:"A document, as format=document answers it. Written back to the page that it was read from, what did not change keeps its bytes, and what others changed meanwhile stays."`
}

// validate checks that the text is not given in both formats.
func (d *Document) validate() []FieldError {
	if d == nil {
		return nil
	}
	return checkSingleFormat("document.", d.Markdown, d.Document)
}

// checkSingleFormat reports an error if a text is given in both formats.
func checkSingleFormat(path string, markdown Optional[string], document JSONObject) []FieldError {
	if markdown.IsZero() || document == nil {
		return nil
	}
	return []FieldError{{Path: path + "document", Message: "does not go with markdown"}}
}

// FileInsert is a file to add, given by exactly one of url and base64.
type FileInsert struct {
	Name        string `json:"name" len:"1..256"`
	Ref         string `json:"ref,omitzero" len:"1..100" pattern:"id" doc:"Links to /files/<ref> in texts of the same request are rewritten."`
	ContentType string `json:"contentType,omitzero" len:"1..127" doc:"Needed with base64."`
	URL         string `json:"url,omitzero" len:"1..2048" format:"uri" doc:"Fetched by the server."`
	Base64      string `json:"base64,omitzero" len:"..13981016" format:"base64" doc:"At most 10 MiB of data."`
	Path        string `json:"path,omitzero" len:"1..1024" doc:"Where it lies in the source that sourceName names. A file that lies there already gets the new bytes under its id."`
	Replaces    string `json:"replaces,omitzero" pattern:"id" doc:"The file of the change request that gets the new name, bytes and path, and keeps its id."`
}

// ContentResult is the result of EditChangeRequestContent. With compat it is encoded as the change request alone.
type ContentResult struct {
	Object        string          `json:"object" enum:"content-result"`
	ChangeRequest ChangeRequest   `json:"changeRequest"`
	Changes       []ContentEffect `json:"changes" doc:"One per operation on pages, reusable contents or variables, in order."`
	InsertedFiles []InsertedFile  `json:"insertedFiles,omitempty" doc:"The files that insert_files added, in the order of the request."`
}

var _ = declareView[ContentResult](ViewEdit, "changes")

// UnmarshalJSON implements json.Unmarshaler. It also accepts the encoding with compat.
func (r *ContentResult) UnmarshalJSON(data []byte) error {
	var answer struct {
		Object string `json:"object"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return err
	}
	if answer.Object == "change-request" {
		return json.Unmarshal(data, &r.ChangeRequest)
	}
	type whole ContentResult
	return json.Unmarshal(data, (*whole)(r))
}

// ContentEffect is the effect of an operation on a page, a reusable content, or the variables of the space.
type ContentEffect struct {
	Object          string              `json:"object" enum:"created_page,updated_page,deleted_page,created_reusable_content,updated_reusable_content,deleted_reusable_content,updated_variables"`
	Ref             string              `json:"ref,omitzero" doc:"The ref of the operation, as sent."`
	Page            *PageRef            `json:"page,omitzero"`
	ReusableContent *ReusableContentRef `json:"reusableContent,omitzero"`
}

var _ = declareColumns[ContentEffect]("object=CHANGE,page.id=PAGE,reusableContent.id=REUSABLE CONTENT,ref")

// PageRef identifies a page in a response.
type PageRef struct {
	Object string       `json:"object" enum:"page"`
	ID     string       `json:"id"`
	URLs   LocationURLs `json:"urls"`
}

// ReusableContentRef identifies a reusable content in a response.
type ReusableContentRef struct {
	Object string       `json:"object" enum:"reusable-content"`
	ID     string       `json:"id"`
	URLs   LocationURLs `json:"urls"`
}

// InsertedFile is a file added by insert_files.
type InsertedFile struct {
	Ref  string `json:"ref,omitzero" doc:"The ref of the file, as sent."`
	File File   `json:"file"`
}
