package api

// Routes of import runs.
var (
	ListImportRuns = get[ListImportRunsInput, Page[ImportRun]]("import-runs.list", "/v1/org/{organizationId}/imports",
		"List the imports that run in the background, or did, the newest first: those into what you may edit.",
		withOperation("listImportRuns"))
	CreateImportRun = create[CreateImportRunInput, ImportRun]("import-runs.create", "/v1/org/{organizationId}/imports",
		"Import a website in the background: the answer comes before anything is fetched.", withOperation("startImportRun"),
		failsWith(ReasonSpaceLocked))
	GetImportRun = get[ImportRunRef, ImportRun]("import-runs.get", "/v1/org/{organizationId}/imports/{importRunId}",
		"Show an import run and, once it is completed, its pages.", withOperation("getImportRun"))
	CancelImportRun = post[ImportRunRef, ImportRun]("import-runs.cancel", "/v1/org/{organizationId}/imports/{importRunId}/cancel",
		"Cancel an import run: nothing that it has fetched comes in any more.", withOperation("cancelImportRun"))
)

// ImportRunRef identifies an import run.
type ImportRunRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	ImportRun    string `path:"importRunId" pattern:"id"`
}

// ListImportRunsInput is the input of ListImportRuns.
type ListImportRunsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
	Space         string          `query:"space" pattern:"id" doc:"Only those into this space, or a change request of it."`
	ChangeRequest string          `query:"changeRequest" pattern:"id" doc:"Only those into this change request."`
	Site          string          `query:"site" pattern:"id" doc:"Only those for this site."`
	Status        ImportRunFilter `query:"status" doc:"Only those in this state; active is pending or in progress."`
}

// ImportRunStatus is the state of an import run.
type ImportRunStatus string

// Values of ImportRunStatus. RunCompleted, RunFailed and RunCancelled are final.
const (
	RunPending    ImportRunStatus = "pending"
	RunInProgress ImportRunStatus = "in-progress"
	RunCompleted  ImportRunStatus = "completed"
	RunFailed     ImportRunStatus = "failed"
	RunCancelled  ImportRunStatus = "cancelled"
)

// Values returns the values of ImportRunStatus.
func (ImportRunStatus) Values() []ImportRunStatus {
	return []ImportRunStatus{RunPending, RunInProgress, RunCompleted, RunFailed, RunCancelled}
}

// Active reports whether a run in this state may still import pages.
func (s ImportRunStatus) Active() bool { return s == RunPending || s == RunInProgress }

// ImportRunFilter selects one or more states of import runs.
type ImportRunFilter string

// RunsActive selects the runs that are pending or in progress.
const RunsActive ImportRunFilter = "active"

// Values returns the filters.
func (ImportRunFilter) Values() []ImportRunFilter {
	filters := []ImportRunFilter{RunsActive}
	for _, status := range ImportRunStatus("").Values() {
		filters = append(filters, ImportRunFilter(status))
	}
	return filters
}

// Passes reports whether the filter selects s.
func (f ImportRunFilter) Passes(s ImportRunStatus) bool {
	return f == "" || f == RunsActive && s.Active() || string(f) == string(s)
}

// CreateImportRunInput is the input of CreateImportRun.
type CreateImportRunInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         ImportRunCreate
}

// ImportRunCreate is the body of CreateImportRun.
type ImportRunCreate struct {
	Source  ImportRunSource `json:"source"`
	Target  ImportRunTarget `json:"target"`
	Site    string          `json:"site,omitzero" pattern:"id" doc:"The site that it is for; kept with the run."`
	Enhance bool            `json:"enhance,omitzero" doc:"Only false: texts come in as they are."`
}

// Validate rejects files as a source and enhance, which wsd does not support, and requires the URL of a website.
func (b ImportRunCreate) Validate() (wrong []FieldError) {
	refuse := func(path, message string) { wrong = append(wrong, FieldError{Path: path, Message: message}) }
	switch source := b.Source; {
	case source.Type == RunOfFiles || len(source.Files) > 0:
		refuse("source.files", "are not imported: wsd keeps no uploads. Send an archive or a document to content.import.")
	case source.URL == "":
		refuse("source.url", "is required")
	}
	if b.Enhance {
		refuse("enhance", "must be false: wsd has nothing that rewrites texts")
	}
	return wrong
}

// ImportRunSourceType is the type of the source of an import run.
type ImportRunSourceType string

// Values of ImportRunSourceType.
const (
	RunOfWebsite ImportRunSourceType = "website"
	RunOfFiles   ImportRunSourceType = "file"
)

// Values returns the values of ImportRunSourceType.
func (ImportRunSourceType) Values() []ImportRunSourceType {
	return []ImportRunSourceType{RunOfWebsite, RunOfFiles}
}

// ImportRunSource is the source of an import run.
type ImportRunSource struct {
	Type  ImportRunSourceType `json:"type" doc:"Only website; an archive of Markdown comes in by content.import."`
	URL   string              `json:"url,omitzero" len:"1..2048" format:"uri" doc:"Of a website: where it begins. Links below its directory are followed."`
	Files []string            `json:"files,omitzero" len:"0..50" each:"1..2048" doc:"Refused: wsd keeps no uploads."`
}

// ImportRunTarget is the target of an import run.
type ImportRunTarget struct {
	Space         string `json:"space" pattern:"id" doc:"A space that you may edit."`
	ChangeRequest string `json:"changeRequest,omitzero" pattern:"id" doc:"A change request of it. Into a locked space without one, the run makes a draft and names it here."`
	Page          string `json:"page,omitzero" pattern:"id" doc:"The page that what comes in is put below."`
}

// ImportRunFields holds the stored members of an ImportRun.
type ImportRunFields struct {
	Object      string          `json:"object" enum:"import-run"`
	ID          string          `json:"id"`
	Status      ImportRunStatus `json:"status"`
	Reason      string          `json:"reason,omitzero" doc:"Why it failed."`
	Source      ImportRunSource `json:"source"`
	Target      ImportRunTarget `json:"target"`
	Site        string          `json:"site,omitzero" doc:"Id of the site; absent if the import is not for a site."`
	CreatedBy   string          `json:"createdBy" doc:"User."`
	CreatedAt   Time            `json:"createdAt"`
	UpdatedAt   Time            `json:"updatedAt"`
	StartedAt   Time            `json:"startedAt,omitzero" doc:"When it started; absent while it waits."`
	CompletedAt Time            `json:"completedAt,omitzero" doc:"When it ended, however it did."`
}

// ImportRun is an import that runs in the background.
type ImportRun struct {
	ImportRunFields
	Pages []ImportRunPage `json:"pages,omitempty" doc:"What came in, in order; only in the answer about one run that is completed."`
	URLs  LocationURLs    `json:"urls"`
}

var _ = declareColumns[ImportRun]("id,status,source.url=URL,target.space=SPACE,target.changeRequest=CHANGE REQUEST,createdAt,reason")

// ImportRunPageType is the type of an imported page.
type ImportRunPageType string

// Values of ImportRunPageType.
const (
	RunPage   ImportRunPageType = "page"
	RunFolder ImportRunPageType = "folder"
)

// Values returns the values of ImportRunPageType.
func (ImportRunPageType) Values() []ImportRunPageType { return []ImportRunPageType{RunPage, RunFolder} }

// ImportRunPage is an imported page.
type ImportRunPage struct {
	ID        string            `json:"id"`
	SourceURL string            `json:"sourceURL,omitzero" doc:"Where it was read; a heading of the navigation has no address."`
	Type      ImportRunPageType `json:"type"`
	Status    string            `json:"status" enum:"complete" doc:"What became of the page."`
}
