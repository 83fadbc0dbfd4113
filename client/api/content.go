package api

// Routes of the published content of a space.
var (
	GetContent = get[GetContentInput, Revision]("content.get", "/v1/spaces/{spaceId}/content",
		"Show the current revision: its page tree, files and variables.", withOperation("getCurrentRevision"))
	ListContentPages = get[GetContentInput, PageTree]("content.list-pages", "/v1/spaces/{spaceId}/content/pages",
		"Show the page tree.", withOperation("listPages"))
	ListContentFiles = get[ListFilesInput, Page[File]]("content.list-files", "/v1/spaces/{spaceId}/content/files",
		"List the files.", withOperation("listFiles"))
	GetContentFile = get[FileInput, File]("content.get-file", "/v1/spaces/{spaceId}/content/files/{fileId}",
		"Show a file and where to download it.", withOperation("getFileById"))
	GetContentReusableContent = get[ReusableContentInput, ReusableContent]("content.get-reusable-content",
		"/v1/spaces/{spaceId}/content/reusable-contents/{reusableContentId}", "Show a reusable content; format=markdown adds its text.",
		withOperation("getReusableContentById"))
	GetContentPage = get[PageInput, RevisionPage]("content.get-page", "/v1/spaces/{spaceId}/content/page/{pageId}",
		"Show a page; format=markdown or format=document adds its text.", withOperation("getPageById"))
	GetContentPageByPath = get[PagePathInput, RevisionPage]("content.get-page-by-path", "/v1/spaces/{spaceId}/content/path/{pagePath...}",
		"Show the page at a path.", withOperation("getPageByPath"))
	ImportContent = create[ImportInput, ImportResult]("content.import", "/v1/spaces/{spaceId}/content/import",
		"Import a website, an archive or a document; all of it becomes one new revision, or nothing does.",
		markSlow, withBodyLimit(ResolutionsBodyLimit), withUpload[ImportUploadInput](importMedia...),
		withOperation("importContent"), failsWith(ReasonSpaceLocked))
)

// ContentOptions are the query parameters of operations that return content.
type ContentOptions struct {
	Metadata Optional[bool] `query:"metadata" default:"true" doc:"false leaves out when pages were created and updated."`
	Computed Optional[bool] `query:"computed" default:"true" doc:"false leaves computed pages as they are: what they stand for is not there."`
}

// GetContentInput is the input of GetContent and ListContentPages.
type GetContentInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ContentOptions
}

// ListFilesInput is the input of ListContentFiles.
type ListFilesInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
	ContentOptions
}

// FileInput is the input of GetContentFile.
type FileInput struct {
	Space string `path:"spaceId" pattern:"id"`
	File  string `path:"fileId" pattern:"id"`
	ContentOptions
}

// Format is the format of text in a response.
type Format string

// Values of Format. By default a page has no text and a comment has Markdown.
const (
	FormatDocument Format = "document"
	FormatMarkdown Format = "markdown"
)

// Values returns the formats.
func (Format) Values() []Format { return []Format{FormatDocument, FormatMarkdown} }

// PageOptions are the query parameters of operations that return a page.
type PageOptions struct {
	Format Format       `query:"format" doc:"Add the text of the page, in this format."`
	Refs   MarkdownRefs `query:"format.markdown.refs" default:"relative" doc:"With format=markdown: stable writes links by the ids of what they lead to, relative as they are stored."`
	TextOptions
	ContentOptions
}

// PageInput is the input of GetContentPage.
type PageInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Page  string `path:"pageId" pattern:"id"`
	PageOptions
}

// PagePathInput is the input of GetContentPageByPath.
type PagePathInput struct {
	Space    string `path:"spaceId" pattern:"id"`
	PagePath string `path:"pagePath" len:"..4096" doc:"Slugs from the root, joined by slashes."`
	PageOptions
	CachedMetadata bool `query:"cachedMetadata" doc:"Either way the times are those that are stored."`
}

// ReusableContentOptions are the query parameters of operations that return a reusable content.
type ReusableContentOptions struct {
	Format Format `query:"format" enum:"markdown" doc:"Add the text, in this format."`
	ContentOptions
}

// ReusableContentInput is the input of GetContentReusableContent.
type ReusableContentInput struct {
	Space           string `path:"spaceId" pattern:"id"`
	ReusableContent string `path:"reusableContentId" pattern:"id"`
	ReusableContentOptions
}

// ImportSource is the type of the content at the URL of an import.
type ImportSource string

// Values of ImportSource.
const (
	ImportWebsite  ImportSource = "website"
	ImportMarkdown ImportSource = "markdown"
	ImportHTML     ImportSource = "html"
	ImportZip      ImportSource = "zip"
)

// Values returns the sources.
func (ImportSource) Values() []ImportSource {
	return []ImportSource{ImportWebsite, ImportMarkdown, ImportHTML, ImportZip}
}

// ImportInput is the input of ImportContent.
type ImportInput struct {
	Space string `path:"spaceId" pattern:"id"`
	Body  Import
}

// Import is the body of the import operations.
type Import struct {
	URL         string       `json:"url" len:"1..2048" format:"uri" doc:"What to import."`
	Source      ImportSource `json:"source" doc:"website follows the links of the same site; zip is an archive of Markdown, with SUMMARY.md if it has one."`
	Name        string       `json:"name,omitzero" len:"1..100" doc:"The source that it belongs to, or its id: what was imported under it before is brought up to date. Without a name, nothing that is there is touched."`
	Delete      bool         `json:"delete,omitzero" doc:"Take out what the source does not have any more, unless somebody has edited, discussed or used it."`
	Revision    string       `json:"revision,omitzero" len:"1..100" pattern:"id" doc:"The revision of the target that the content is based on: its head or one before it. Merges begin there, not at the last import of the source."`
	Force       bool         `json:"force,omitzero" doc:"Go on although less than half of what the source had is found again."`
	Adopt       bool         `json:"adopt,omitzero" doc:"Take over pages of no source that stand at the same place with the same text."`
	Resolutions []Resolution `json:"resolutions,omitzero" len:"0..1000" doc:"Decide conflicts that an earlier answer told: one per conflict of a page. Other pages in conflict stay as they are."`
}

// Validate rejects delete, force, resolutions and a revision without the name of a source: a new source has nothing to remove,
// force, resolve or be based on.
func (i Import) Validate() []FieldError {
	var wrong []FieldError
	for _, member := range []struct {
		path  string
		given bool
	}{{"delete", i.Delete}, {"revision", i.Revision != ""}, {"force", i.Force}, {"resolutions", len(i.Resolutions) > 0}} {
		if member.given && i.Name == "" {
			wrong = append(wrong, FieldError{Path: member.path, Message: "goes with the name of a source"})
		}
	}
	return wrong
}

// ImportResult is the result of the import operations.
type ImportResult struct {
	Revision          string   `json:"revision" doc:"The revision that the import made."`
	ImportedResources int      `json:"importedResources" doc:"Pages and files that came in."`
	TotalResources    int      `json:"totalResources" doc:"Pages and files that were found."`
	Notes             []string `json:"notes,omitempty" doc:"What was left out or converted, and why."`

	Source      string             `json:"source" doc:"The id of the source, which name takes the next time."`
	Created     []ImportedResource `json:"created" doc:"What is new."`
	Updated     []ImportedResource `json:"updated" doc:"What the source has changed since its last import."`
	Conflicting []ImportedResource `json:"conflicting" doc:"What has been changed in the source and here, and stays as it is until conflicts are decided."`
	Gone        []ImportedResource `json:"gone" doc:"What the source does not have any more: with delete it was taken out."`
	Kept        []ImportedResource `json:"kept" doc:"What the source does not have any more and was not taken out, and why."`
	Conflicts   []Conflict         `json:"conflicts" doc:"Ours is what is here, theirs what the source has now, base what it had."`
	Undone      []UndonePage       `json:"undone" doc:"Pages that lose sentences which others have imported since your last import of the source, at most 100; empty if revision is given."`
	UndoneMore  int                `json:"undoneMore,omitzero" doc:"Further pages of this kind."`
	BrokenLinks map[string]int     `json:"brokenLinks" doc:"How many links of the source's pages lead nowhere, by problem."`
}

// MaxUndonePages is the maximum number of pages in ImportResult.Undone.
const MaxUndonePages = 100

// UndonePage is a page whose sentences of an earlier import, made by somebody else, an import takes out.
type UndonePage struct {
	Page  string `json:"page"`
	Title string `json:"title"`
	Path  string `json:"path" doc:"Where it lies in the source."`
	By    string `json:"by" doc:"The user who made the earlier import."`
	At    Time   `json:"at" doc:"When that was."`
}

var _ = declareView[ImportResult](ViewImport, "")

// RevisionType is the origin of a revision.
type RevisionType string

// Values of RevisionType.
const (
	RevisionEdits    RevisionType = "edits"
	RevisionMerge    RevisionType = "merge"
	RevisionRollback RevisionType = "rollback"
	RevisionUpdate   RevisionType = "update"
	RevisionComputed RevisionType = "computed"
)

// Values returns the values of RevisionType.
func (RevisionType) Values() []RevisionType {
	return []RevisionType{RevisionEdits, RevisionMerge, RevisionRollback, RevisionUpdate, RevisionComputed}
}

// Revision is an immutable state of the content of a space.
type Revision struct {
	Object           string            `json:"object" enum:"revision"`
	ID               string            `json:"id"`
	Type             RevisionType      `json:"type"`
	Parents          []string          `json:"parents" doc:"The revisions that it was made from: two after a merge."`
	Pages            []RevisionPage    `json:"pages" doc:"The pages at the top level, with those below them."`
	Files            []File            `json:"files" doc:"The files of the revision."`
	ReusableContents []ReusableContent `json:"reusableContents" doc:"The reusable contents of the revision."`
	Variables        map[string]string `json:"variables" doc:"Variables of the space by name."`
	CreatedAt        Time              `json:"createdAt"`
	MergedFrom       *ChangeRequest    `json:"mergedFrom,omitzero" doc:"The change request whose merge made this revision, for those who may see it."`
	Source           *RevisionSource   `json:"source,omitzero" doc:"Where it was pushed from, for those who may see change requests."`
	Git              *GitCommit        `json:"git,omitzero" doc:"Never there: wsd synchronizes with no git."`
	URLs             RevisionURLs      `json:"urls"`
}

// RevisionURLs are the URLs of a revision. Published and Public are set only for the revision that readers see, and Public only
// if everybody may see it.
type RevisionURLs struct {
	App       string `json:"app"`
	Published string `json:"published,omitzero" doc:"Of the revision that readers see."`
	Public    string `json:"public,omitzero" doc:"Of the revision that readers see, where anybody may."`
}

// ReusableContent is a text that pages include with {% include "reusable:ID" %} on a line of its own.
type ReusableContent struct {
	ID        string     `json:"id"`
	Title     string     `json:"title"`
	Document  string     `json:"document,omitzero" doc:"Names the text; equal texts have equal ids."`
	Git       *GitObject `json:"git,omitzero" doc:"Where it lies in the source that it was imported from, and git's hash of what came."`
	CreatedAt Time       `json:"createdAt,omitzero"`
	UpdatedAt Time       `json:"updatedAt,omitzero"`
	Markdown  *string    `json:"markdown,omitzero" doc:"The text, byte for byte as it was sent."`
}

// PageTree is the result of operations that return only the pages.
type PageTree struct {
	Pages []RevisionPage `json:"pages" doc:"The pages at the top level, with those below them."`
}

// PageType is the type of a page.
type PageType string

// Values of PageType.
const (
	PageDocument PageType = "document" // page with a text
	PageGroup    PageType = "group"    // heading in the navigation
	PageLink     PageType = "link"     // link in the navigation
	PageComputed PageType = "computed" // placeholder for pages generated from another source, such as an OpenAPI specification
)

// Values returns the values of PageType.
func (PageType) Values() []PageType {
	return []PageType{PageDocument, PageGroup, PageLink, PageComputed}
}

// RevisionPage is a page of a revision. Its type determines which members are set.
type RevisionPage struct {
	ID            string            `json:"id"`
	Title         string            `json:"title"`
	Emoji         string            `json:"emoji,omitzero"`
	Icon          string            `json:"icon,omitzero"`
	Type          PageType          `json:"type"`
	Kind          string            `json:"kind,omitzero" doc:"Deprecated: sheet, group or link; a computed page has none."`
	Slug          string            `json:"slug,omitzero" doc:"Last segment of its path."`
	Path          string            `json:"path,omitzero"`
	Description   string            `json:"description,omitzero"`
	Markdown      *string           `json:"markdown,omitzero" doc:"The text, byte for byte as it was sent."`
	Document      *JSONDocument     `json:"document,omitzero" doc:"The text as a tree."`
	DocumentID    string            `json:"documentId,omitzero" doc:"Names the text; equal texts have equal ids."`
	CreatedAt     Time              `json:"createdAt,omitzero"`
	UpdatedAt     Time              `json:"updatedAt,omitzero"`
	Layout        *PageLayout       `json:"layout,omitzero"`
	Cover         *PageCover        `json:"cover,omitzero"`
	MetaLinks     *PageMetaLinks    `json:"metaLinks,omitzero" doc:"Its canonical address and its alternates, where they are set."`
	Variables     map[string]string `json:"variables,omitempty" doc:"Variables of the page by name."`
	Hidden        bool              `json:"hidden,omitzero" doc:"Whether the page is left out of the table of contents."`
	NoIndex       bool              `json:"noIndex,omitzero" doc:"Whether search engines are asked not to index the page."`
	NoRobotsIndex bool              `json:"noRobotsIndex,omitzero" doc:"Whether robots are asked not to index the page."`
	Target        *ContentRef       `json:"target,omitzero" doc:"Where a link page leads."`
	Href          string            `json:"href,omitzero" doc:"Target of a link page that is an address."`
	Computed      *Computed         `json:"computed,omitzero" doc:"What a computed page, or one below it, is made of."`
	ComputedSeed  string            `json:"computedSeed,omitzero" doc:"Changes when what it is made of does."`
	Git           *GitObject        `json:"git,omitzero" doc:"Where it lies in the source that it was imported from, and git's hash of what came."`
	URLs          PageURLs          `json:"urls"`
	Pages         []RevisionPage    `json:"pages,omitzero" doc:"The pages below; always there but for links."`
	Blocks        []Block           `json:"blocks,omitempty" doc:"The blocks of the text, in order; comments name them as node. Only with a format."`
}

var _ = declareColumns[RevisionPage]("id,title,type,path")

// Block is a block of the text of a page that keeps its id across edits.
type Block struct {
	ID    string `json:"id"`
	Kind  string `json:"kind" doc:"Kind of the block, such as paragraph."`
	Start int    `json:"start" doc:"Byte offset in the Markdown."`
	End   int    `json:"end" doc:"Position of its end in the Markdown of the page, in bytes."`

	Aliases []string       `json:"aliases,omitempty" doc:"The names by which the source of the page links to the block, beside what the text says."`
	Offsets map[string]int `json:"offsets,omitempty" doc:"Where names lead that do not lead to the beginning of the block: byte offsets in the Markdown."`
}

// ComputedType is the generator of a computed page.
type ComputedType string

// ComputedOpenAPI generates pages for the operations and models of an OpenAPI specification.
const ComputedOpenAPI ComputedType = "builtin:openapi"

// Values returns the values of ComputedType.
func (ComputedType) Values() []ComputedType { return []ComputedType{ComputedOpenAPI} }

// Computed is the definition of a computed page.
type Computed struct {
	Type         ComputedType         `json:"type"`
	Dependencies ComputedDependencies `json:"dependencies"`
	Props        *ComputedProps       `json:"props,omitzero"`
}

// ComputedDependencies are the sources of a computed page.
type ComputedDependencies struct {
	Spec ComputedSpec `json:"spec"`
}

// ComputedSpec is an OpenAPI specification of the organization.
type ComputedSpec struct {
	Ref SpecRef `json:"ref"`
}

// SpecRef identifies an OpenAPI specification by its slug or id.
type SpecRef struct {
	Kind string `json:"kind" enum:"openapi" doc:"Kind of the specification."`
	Spec string `json:"spec" len:"1..100" pattern:"id"`
}

// ComputedProps selects the parts of the source of a computed page.
type ComputedProps struct {
	Doc    string `json:"doc,omitzero" enum:"info,operations,models" doc:"Only this part; default info and operations."`
	Models bool   `json:"models,omitzero" doc:"Show the models, too."`
}

// PageURLs are the URLs of a page.
type PageURLs struct {
	App string `json:"app"`
}

// PageLayout selects the visible parts of a page.
type PageLayout struct {
	Width           string `json:"width" enum:"default,wide"`
	Cover           bool   `json:"cover"`
	CoverSize       string `json:"coverSize" enum:"hero,full"`
	Title           bool   `json:"title"`
	Description     bool   `json:"description"`
	TableOfContents bool   `json:"tableOfContents"`
	Outline         bool   `json:"outline"`
	Pagination      bool   `json:"pagination"`
	Metadata        bool   `json:"metadata"`
}

// DefaultLayout returns the layout of a page without a layout of its own.
func DefaultLayout() PageLayout {
	return PageLayout{
		Width: "default", Cover: true, CoverSize: "hero", Title: true, Description: true,
		TableOfContents: true, Outline: true, Pagination: true, Metadata: true,
	}
}

// PageCover is the cover image of a page.
type PageCover struct {
	Ref     ContentRef  `json:"ref"`
	RefDark *ContentRef `json:"refDark,omitzero"`
	YPos    float64     `json:"yPos" range:"-100000..100000" doc:"Vertical position of the picture."`
}

// RefKind is the kind of the target of a ContentRef.
type RefKind string

// Values of RefKind.
const (
	RefURL        RefKind = "url"
	RefPage       RefKind = "page"
	RefAnchor     RefKind = "anchor"
	RefFile       RefKind = "file"
	RefSpace      RefKind = "space"
	RefCollection RefKind = "collection"
	RefOpenAPI    RefKind = "openapi"
)

// Values returns the values of RefKind.
func (RefKind) Values() []RefKind {
	return []RefKind{RefURL, RefPage, RefAnchor, RefFile, RefSpace, RefCollection, RefOpenAPI}
}

// ContentRef is the target of a link in content: {kind: url, url}, {kind: page, page, space?}, {kind: anchor, anchor,
// page?, space?}, {kind: file, file}, {kind: space, space}, {kind: collection, collection}, {kind: openapi, spec}.
type ContentRef struct {
	Kind       RefKind `json:"kind"`
	URL        string  `json:"url,omitzero" len:"1..2048" format:"uri"`
	Page       string  `json:"page,omitzero" pattern:"id"`
	Anchor     string  `json:"anchor,omitzero" len:"1..500"`
	File       string  `json:"file,omitzero" pattern:"id"`
	Space      string  `json:"space,omitzero" pattern:"id"`
	Collection string  `json:"collection,omitzero" pattern:"id"`
	Spec       string  `json:"spec,omitzero" len:"1..100" pattern:"specSlug" doc:"The slug of an OpenAPI specification."`
}

// Validate checks that the members of the kind are set and no others.
func (r ContentRef) Validate() []FieldError {
	members := []struct {
		name, value string
		allowed     bool
	}{
		{"url", r.URL, r.Kind == RefURL},
		{"page", r.Page, r.Kind == RefPage || r.Kind == RefAnchor},
		{"anchor", r.Anchor, r.Kind == RefAnchor},
		{"file", r.File, r.Kind == RefFile},
		{"space", r.Space, r.Kind == RefSpace || r.Kind == RefPage || r.Kind == RefAnchor},
		{"collection", r.Collection, r.Kind == RefCollection},
		{"spec", r.Spec, r.Kind == RefOpenAPI},
	}
	var wrong []FieldError
	for _, m := range members {
		switch {
		case (m.name == string(r.Kind) || m.name == "spec" && r.Kind == RefOpenAPI) && m.value == "":
			wrong = append(wrong, FieldError{Path: m.name, Message: "is required for kind " + string(r.Kind)})
		case m.value != "" && !m.allowed:
			wrong = append(wrong, FieldError{Path: m.name, Message: "does not go with kind " + string(r.Kind)})
		}
	}
	return wrong
}

// File is a file of a space.
type File struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	ContentType string      `json:"contentType"`
	Size        int64       `json:"size" doc:"Bytes."`
	DownloadURL string      `json:"downloadURL" doc:"Valid for one hour, or until the space is deleted or transferred; needs no token."`
	Dimensions  *Dimensions `json:"dimensions,omitzero" doc:"Of a raster image, in pixels."`
	Git         *GitObject  `json:"git,omitzero" doc:"Where it lies in the source that it was imported from, and git's hash of what came."`
}

var _ = declareColumns[File]("id,name,contentType,size")

// Dimensions are the size of an image in pixels.
type Dimensions struct {
	Width  int `json:"width" doc:"In pixels."`
	Height int `json:"height" doc:"In pixels."`
}
