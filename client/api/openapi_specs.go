package api

import "net/http"

// Routes of OpenAPI specifications and their versions.
var (
	ListOpenAPISpecs = get[ListOpenAPISpecsInput, Page[OpenAPISpec]]("openapi-specs.list", "/v1/orgs/{organizationId}/openapi",
		"List the OpenAPI specifications of an organization.", withOperation("listOpenAPISpecs"))
	CreateOpenAPISpec = create[CreateOpenAPISpecInput, OpenAPISpec]("openapi-specs.create", "/v1/orgs/{organizationId}/openapi",
		"Add an OpenAPI specification, by its address or its text.", withBodyLimit(SpecBodyLimit), withOperation("createOpenAPISpec"))
	GetOpenAPISpec = get[OpenAPISpecRef, OpenAPISpec]("openapi-specs.get", "/v1/orgs/{organizationId}/openapi/{specSlug}",
		"Show an OpenAPI specification.", withOperation("getOpenAPISpecBySlug"))
	PutOpenAPISpec = put[PutOpenAPISpecInput, OpenAPISpec]("openapi-specs.put",
		"/v1/orgs/{organizationId}/openapi/{specSlug}", "Add an OpenAPI specification, or read it again from a source.",
		withBodyLimit(SpecBodyLimit), withOperation("createOrUpdateOpenAPISpecBySlug"))
	UpdateOpenAPISpec = patch[UpdateOpenAPISpecInput, OpenAPISpec]("openapi-specs.update",
		"/v1/orgs/{organizationId}/openapi/{specSlug}", "Say who may fetch an OpenAPI specification.",
		withOperation("updateOpenAPISpecBySlug"))
	DeleteOpenAPISpec = remove[DeleteOpenAPISpecInput]("openapi-specs.delete", "/v1/orgs/{organizationId}/openapi/{specSlug}",
		http.StatusResetContent, "Delete an OpenAPI specification with all its versions.", withOperation("deleteOpenAPISpecBySlug"),
		failsWith(ReasonInUse))
	ListOpenAPISpecVersions = get[ListOpenAPISpecVersionsInput, Page[OpenAPISpecVersion]]("openapi-specs.list-versions",
		"/v1/orgs/{organizationId}/openapi/{specSlug}/versions", "List the versions of an OpenAPI specification.",
		withOperation("listOpenAPISpecVersions"))
	GetOpenAPISpecLatestVersion = get[OpenAPISpecRef, OpenAPISpecVersion]("openapi-specs.get-latest-version",
		"/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest", "Show the latest version of an OpenAPI specification.",
		withOperation("getLatestOpenAPISpecVersion"))
	GetOpenAPISpecLatestContent = get[OpenAPISpecRef, OpenAPISpecContent]("openapi-specs.get-latest-content",
		"/v1/orgs/{organizationId}/openapi/{specSlug}/versions/latest/content", "Show the documents of the latest version.",
		withOperation("getLatestOpenAPISpecVersionContent"))
	GetOpenAPISpecVersion = get[OpenAPISpecVersionRef, OpenAPISpecVersion]("openapi-specs.get-version",
		"/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}", "Show a version of an OpenAPI specification.",
		withOperation("getOpenAPISpecVersionById"))
	GetOpenAPISpecVersionContent = get[OpenAPISpecVersionRef, OpenAPISpecContent]("openapi-specs.get-version-content",
		"/v1/orgs/{organizationId}/openapi/{specSlug}/versions/{versionId}/content", "Show the documents of a version.",
		withOperation("getOpenAPISpecVersionContentById"))
)

// ListOpenAPISpecsInput is the input of ListOpenAPISpecs.
type ListOpenAPISpecsInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	ListOptions
}

// OpenAPISpecRef identifies an OpenAPI specification by its slug.
type OpenAPISpecRef struct {
	Organization string `path:"organizationId" pattern:"id"`
	Spec         string `path:"specSlug" len:"1..100" pattern:"specSlug"`
}

// DeleteOpenAPISpecInput is the input of DeleteOpenAPISpec.
type DeleteOpenAPISpecInput struct {
	OpenAPISpecRef
	Force Optional[bool] `query:"force" default:"false" doc:"true deletes one that computed pages are made of: they stay at the version that they have."`
}

// OpenAPISpecVersionRef identifies a version of an OpenAPI specification.
type OpenAPISpecVersionRef struct {
	OpenAPISpecRef
	Version string `path:"versionId" pattern:"id"`
}

// CreateOpenAPISpecInput is the input of CreateOpenAPISpec.
type CreateOpenAPISpecInput struct {
	Organization string `path:"organizationId" pattern:"id"`
	Body         OpenAPISpecCreate
}

// OpenAPISpecCreate is the body of CreateOpenAPISpec.
type OpenAPISpecCreate struct {
	Slug   string        `json:"slug" len:"1..100" pattern:"specSlug"`
	Source OpenAPISource `json:"source"`
}

// PutOpenAPISpecInput is the input of PutOpenAPISpec.
type PutOpenAPISpecInput struct {
	OpenAPISpecRef
	Body OpenAPISpecPut
}

// OpenAPISpecPut is the body of PutOpenAPISpec.
type OpenAPISpecPut struct {
	Source OpenAPISource `json:"source"`
}

// UpdateOpenAPISpecInput is the input of UpdateOpenAPISpec.
type UpdateOpenAPISpecInput struct {
	OpenAPISpecRef
	Body OpenAPISpecPatch
}

// OpenAPISpecPatch is the body of UpdateOpenAPISpec.
type OpenAPISpecPatch struct {
	Visibility SpecVisibility `json:"visibility" doc:"public: anybody may fetch the latest version, at urls.public."`
}

// SpecVisibility is the audience of a specification.
type SpecVisibility string

// Values of SpecVisibility.
const (
	SpecPrivate SpecVisibility = "private" // visible to members of the organization
	SpecPublic  SpecVisibility = "public"  // visible to everyone
)

// Values returns the visibilities.
func (SpecVisibility) Values() []SpecVisibility { return []SpecVisibility{SpecPrivate, SpecPublic} }

// OpenAPISource is the source of a specification. Exactly one member is set.
type OpenAPISource struct {
	URL  string `json:"url,omitzero" len:"1..2048" format:"uri" doc:"Fetched in the background, with what it refers to."`
	Text string `json:"text,omitzero" len:"1..10485760" format:"text" doc:"The document itself, JSON or YAML."`
}

func (s OpenAPISource) validate() []FieldError {
	switch {
	case s.URL == "" && s.Text == "":
		return []FieldError{{Path: "source", Message: "must have url or text"}}
	case s.URL != "" && s.Text != "":
		return []FieldError{{Path: "source", Message: "must have url or text, not both"}}
	}
	return nil
}

// Validate checks that the source has either a URL or a text.
func (c OpenAPISpecCreate) Validate() []FieldError { return c.Source.validate() }

// Validate checks that the source has either a URL or a text.
func (p OpenAPISpecPut) Validate() []FieldError { return p.Source.validate() }

// ListOpenAPISpecVersionsInput is the input of ListOpenAPISpecVersions.
type ListOpenAPISpecVersionsInput struct {
	OpenAPISpecRef
	ListOptions
}

// ProcessingState is the progress of processing a specification.
type ProcessingState string

// Values of ProcessingState. There is no state for failures; see OpenAPISpec.LastProcessErrorCode.
const (
	ProcessingPending  ProcessingState = "pending"
	ProcessingProgress ProcessingState = "progress"
	ProcessingComplete ProcessingState = "complete"
)

// Values returns the values of ProcessingState.
func (ProcessingState) Values() []ProcessingState {
	return []ProcessingState{ProcessingPending, ProcessingProgress, ProcessingComplete}
}

// ProcessErrorCode is the reason why a specification could not be processed.
type ProcessErrorCode string

// Values of ProcessErrorCode.
const (
	ProcessFetchTimeout ProcessErrorCode = "FETCH_TIMEOUT"
	ProcessFetchError   ProcessErrorCode = "FETCH_ERROR"
	ProcessParseError   ProcessErrorCode = "PARSE_ERROR"
)

// Values returns the values of ProcessErrorCode.
func (ProcessErrorCode) Values() []ProcessErrorCode {
	return []ProcessErrorCode{ProcessFetchTimeout, ProcessFetchError, ProcessParseError}
}

// OpenAPISpecFields holds the stored members of OpenAPISpec.
type OpenAPISpecFields struct {
	Object               string           `json:"object" enum:"openapi-spec"`
	ID                   string           `json:"id"`
	Slug                 string           `json:"slug" len:"1..100" pattern:"specSlug"`
	SourceURL            string           `json:"sourceURL,omitzero" len:"1..2048" format:"uri" doc:"Address that it is read from; absent if it was uploaded."`
	CreatedAt            Time             `json:"createdAt"`
	UpdatedAt            Time             `json:"updatedAt"`
	ProcessingState      ProcessingState  `json:"processingState"`
	LastVersion          string           `json:"lastVersion,omitzero" doc:"Id of the newest version."`
	LastProcessedAt      Time             `json:"lastProcessedAt,omitzero" doc:"When the last version was read."`
	LastProcessErrorCode ProcessErrorCode `json:"lastProcessErrorCode,omitzero"`
	LastProcessError     string           `json:"lastProcessError,omitzero" doc:"Says what is wrong, when there is an error code."`
}

// OpenAPISpec is an OpenAPI specification.
type OpenAPISpec struct {
	OpenAPISpecFields
	Visibility  SpecVisibility         `json:"visibility"`
	Permissions OpenAPISpecPermissions `json:"permissions"`
	URLs        OpenAPISpecURLs        `json:"urls"`
}

// OpenAPISpecURLs are the URLs of a specification.
type OpenAPISpecURLs struct {
	AppURLs
	Public string `json:"public,omitzero" doc:"The latest version as one JSON document, for everybody; absent of a private one."`
}

var _ = declareColumns[OpenAPISpec](
	"slug,processingState=STATE,lastProcessErrorCode=ERROR,lastVersion=VERSION,lastProcessedAt=READ,sourceURL=SOURCE")

// OpenAPISpecPermissions are the permissions of the caller on a specification.
type OpenAPISpecPermissions struct {
	View bool `json:"view"`
	Edit bool `json:"edit"`
}

// OpenAPISpecVersionFields holds the stored members of OpenAPISpecVersion.
type OpenAPISpecVersionFields struct {
	Object    string `json:"object" enum:"openapi-spec-version"`
	ID        string `json:"id"`
	CreatedAt Time   `json:"createdAt"`
}

// OpenAPISpecVersion is a version of a specification.
type OpenAPISpecVersion struct {
	OpenAPISpecVersionFields
	URL  string       `json:"url" len:"1..2048" format:"uri" doc:"The whole specification as one JSON document, for an hour."`
	URLs LocationURLs `json:"urls"`
}

// OpenAPISpecContent are the documents of a version.
type OpenAPISpecContent struct {
	Filesystem map[string]OpenAPIFile `json:"filesystem" doc:"The documents as they were given, by path."`
	URL        string                 `json:"url" doc:"The whole specification as one JSON document, for an hour."`
}

// OpenAPIFile is a document of a version.
type OpenAPIFile struct {
	Content string `json:"content" doc:"Text of the file."`
	Entry   bool   `json:"entry" doc:"Whether it is the specification itself, and not what it refers to."`
}
