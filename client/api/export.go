package api

// Routes that return content as a folder of Markdown.
var (
	ExportContent = get[ExportInput, Archive]("content.export", "/v1/spaces/{spaceId}/content/export",
		"Download the content as an archive: Markdown at its source paths, files, SUMMARY.md, and a manifest with ids and hashes.",
		markSlow, withArchive)
	ExportChangeRequestContent = twin[ChangeRequestExportInput]("change-request-content.export", ExportContent)
	ExportRevision             = get[ExportRevisionInput, Archive]("revisions.export", "/v1/spaces/{spaceId}/revisions/{revisionId}/export",
		"Download the content of a revision as an archive, as content.export does.", markSlow, withArchive)
)

// withArchive marks a row whose response is an archive.
func withArchive(r *Row) { r.Text = "application/zip" }

// ExportInput is the input of ExportContent.
type ExportInput struct {
	Space string `path:"spaceId" pattern:"id"`
}

// ChangeRequestExportInput is the input of ExportChangeRequestContent.
type ChangeRequestExportInput struct{ ChangeRequestRef }

// ExportRevisionInput is the input of ExportRevision.
type ExportRevisionInput struct{ RevisionRef }

// Archive is a zip archive.
type Archive struct{ data string }

// SetText sets the bytes of the archive. The client calls it.
func (a *Archive) SetText(data string) { a.data = data }

// Data returns the bytes of the archive.
func (a *Archive) Data() string { return a.data }

// ManifestName is the path of the ExportManifest in an archive.
const ManifestName = "wsctl.manifest.json"

// ExportManifest lists the files of an exported folder.
type ExportManifest struct {
	Version       int            `json:"version"` // 1
	Space         string         `json:"space"`
	Title         string         `json:"title"`
	ChangeRequest int            `json:"changeRequest,omitzero"` // number, 0 for the space itself
	Revision      string         `json:"revision"`
	Number        int            `json:"number"` // of the revision
	CreatedAt     Time           `json:"createdAt"`
	Entries       []ExportEntry  `json:"entries"` // sorted by path
	Pages         []ExportedPage `json:"pages"`   // all pages, in reading order
	Notes         []string       `json:"notes,omitempty"`
}

// ExportKind is the kind of a file of an exported folder.
type ExportKind string

// Values of ExportKind.
const (
	ExportPage     ExportKind = "page"
	ExportFile     ExportKind = "file"
	ExportSummary  ExportKind = "summary"
	ExportReusable ExportKind = "reusable"
)

// Values returns the kinds.
func (ExportKind) Values() []ExportKind {
	return []ExportKind{ExportPage, ExportFile, ExportSummary, ExportReusable}
}

// ExportEntry is a file of an exported folder.
type ExportEntry struct {
	Path   string     `json:"path"`
	Kind   ExportKind `json:"kind"`
	IDs    []string   `json:"ids,omitempty"`   // of the page, and of the later parts of its document; of the file; of the reusable content
	Parts  []int      `json:"parts,omitempty"` // offsets in bytes at which the later parts begin
	Source string     `json:"source,omitzero"` // id of the source that it belongs to
	Size   int        `json:"size"`
	SHA256 string     `json:"sha256,omitzero"` // in hexadecimal; "" if the content is lost and the archive does not have it
}

// ExportedPage is a page of the tree of an exported folder.
type ExportedPage struct {
	ID     string   `json:"id"`
	Parent string   `json:"parent,omitzero"` // id, "" at the root
	Type   PageType `json:"type"`
	Title  string   `json:"title"`
	Slug   string   `json:"slug,omitzero"`
	Path   string   `json:"path,omitzero"` // of its document, "" for a page without one
	ExportedSettings
}

// ExportedSettings are the settings of a page beside its text.
type ExportedSettings struct {
	Icon          string `json:"icon,omitzero"`
	Emoji         string `json:"emoji,omitzero"`
	Description   string `json:"description,omitzero"`
	Hidden        bool   `json:"hidden,omitzero"`
	NoIndex       bool   `json:"noIndex,omitzero"`
	NoRobotsIndex bool   `json:"noRobotsIndex,omitzero"`
}
