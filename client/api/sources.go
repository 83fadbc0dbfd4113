package api

// Routes of the sources of a space.
var (
	ListSources = get[ListSourcesInput, Page[Source]]("sources.list", "/v1/spaces/{spaceId}/sources",
		"List what the pages and files of a space were imported from.")
)

// ListSourcesInput is the input of ListSources.
type ListSourcesInput struct {
	Space string `path:"spaceId" pattern:"id"`
	ListOptions
}

// ImportedResource is a page or file of a source.
type ImportedResource struct {
	Page   string `json:"page,omitzero"`
	File   string `json:"file,omitzero"`
	Title  string `json:"title" doc:"The title of the page, the name of the file."`
	Path   string `json:"path" doc:"Where it lies in the source."`
	Reason string `json:"reason,omitzero" doc:"Why it was kept."`
}

// SourceKind is the kind of a source.
type SourceKind string

// Values of SourceKind. All but SourcePush are the sources of imports.
const (
	SourceWebsite  SourceKind = "website"
	SourceMarkdown SourceKind = "markdown"
	SourceHTML     SourceKind = "html"
	SourceZip      SourceKind = "zip"
	SourcePush     SourceKind = "push" // an external service that pushes content with content operations
)

// Values returns the values of SourceKind.
func (SourceKind) Values() []SourceKind {
	return []SourceKind{SourceWebsite, SourceMarkdown, SourceHTML, SourceZip, SourcePush}
}

// Source is the origin of imported pages and files of a space.
type Source struct {
	Object     string     `json:"object" enum:"source"`
	ID         string     `json:"id"`
	Name       string     `json:"name,omitzero" doc:"Absent for an import that nobody named: its id names it."`
	Kind       SourceKind `json:"kind"`
	URL        string     `json:"url,omitzero" doc:"What was imported the last time, without user and query; for those who may edit. Absent for content that was sent."`
	ImportedAt Time       `json:"importedAt" doc:"When it changed something the last time."`
	ImportedBy User       `json:"importedBy"`
	Pages      int        `json:"pages" doc:"How many pages of it are there."`
	Files      int        `json:"files" doc:"How many files of it are there."`
}

var _ = declareColumns[Source]("id,name,kind,pages,files,importedAt,url")
