package store

import (
	"strings"

	"docspace.dev/wsd/client/api"
	"docspace.dev/wsd/store/redis"
	"docspace.dev/wsd/store/txn"
)

// OpenAPISpecDocument is the document of an OpenAPI specification. Its record is named by its slug, which never
// changes.
type OpenAPISpecDocument = Document[api.OpenAPISpecFields, OpenAPISpecPrivate]

// OpenAPISpecPrivate is the server-side part of a specification.
type OpenAPISpecPrivate struct {
	Text string `json:"text,omitzero"` // manifest of an uploaded source, among the specification's objects
	Hash string `json:"hash,omitzero"` // hash of the source of the last version

	FetchedFiles []FetchedFile `json:"fetched,omitzero"`  // documents of the last version with an ETag
	Failures     int           `json:"failures,omitzero"` // consecutive failed fetches

	// By is the user who set the source and is charged for fetches; "" if stored by an older build.
	By        string `json:"by,omitzero"`
	SlowFetch bool   `json:"slow,omitzero"` // the last fetch was slow

	IsLatestPublic bool `json:"public,omitzero"` // the latest version is public

	// WaitingSpaces is the number of spaces whose quota does not admit a revision with the last version.
	WaitingSpaces int `json:"waiting,omitzero"`
}

// FetchedFile is a document of the last version of a specification, with the ETag that its server returned.
type FetchedFile struct {
	URL      string `json:"url"`
	ETag     string `json:"etag"`
	Manifest string `json:"manifest"`
}

// OpenAPIVersionDocument is the document of a version of a specification.
type OpenAPIVersionDocument = Document[api.OpenAPISpecVersionFields, OpenAPIVersionPrivate]

// OpenAPIVersionPrivate is the server-side part of a version.
type OpenAPIVersionPrivate struct {
	Spec   string        `json:"spec"`   // id of the specification to whose objects the manifests belong
	Bundle string        `json:"bundle"` // manifest of the bundled document
	Files  []OpenAPIFile `json:"files"`  // documents in the given order, the entry document first
}

// OpenAPIFile is one document of a version.
type OpenAPIFile struct {
	Path     string `json:"path"`
	Manifest string `json:"manifest"`
}

// Identifiers and indexes of specifications.
const (
	OpenAPISpecPrefix    = "spec_"
	OpenAPIVersionPrefix = "specv_"
	IndexOpenAPISpecs    = "specs"
	IndexOpenAPIVersions = "spec-versions"
	IndexOpenAPIPending  = "spec-pending"
)

// Kinds of specification jobs: fetching one and updating spaces with its newest version, both named by slug, and
// removing the data of a deleted one, named by id.
const (
	OpenAPIReadKind   = "spec"
	OpenAPISpacesKind = "spec-spaces"
	OpenAPIRemoveKind = "spec-remove"
)

// OpenAPISpecsKey returns the key of the index of an organization's specifications. Its members are made by OpenAPISpecMember.
func OpenAPISpecsKey(org string) redis.Key { return IndexKey(org, IndexOpenAPISpecs, org) }

// OpenAPIPendingKey returns the key of the index by slug of the specifications of an organization with a pending fetch request.
func OpenAPIPendingKey(org string) redis.Key { return IndexKey(org, IndexOpenAPIPending, org) }

// OpenAPIVersionsKey returns the key of the index of the versions of a specification, given by its id.
func OpenAPIVersionsKey(org, spec string) redis.Key { return IndexKey(org, IndexOpenAPIVersions, spec) }

// OpenAPISpecMember returns the member of a specification in its index, which sorts by age and contains the slug.
func OpenAPISpecMember(id, slug string) string { return id + "!" + slug }

// UserFetchMember returns the member of a specification in UserFetchesKey.
func UserFetchMember(org, slug string) string { return org + "!" + slug }

// SplitUserFetchMember returns the parts of a member that UserFetchMember returned.
func SplitUserFetchMember(member string) (org, slug string) {
	org, slug, _ = strings.Cut(member, "!")
	return org, slug
}

// OpenAPISpecSlug returns the slug in a member made by OpenAPISpecMember.
func OpenAPISpecSlug(member string) string {
	_, slug, _ := strings.Cut(member, "!")
	return slug
}

// OpenAPISpec reads a specification.
func (tx *Tx) OpenAPISpec(org, slug string) (OpenAPISpecDocument, error) {
	return ReadDocument[api.OpenAPISpecFields, OpenAPISpecPrivate](tx, OpenAPISpecKey(org, slug))
}

// PutOpenAPISpec writes a specification with its indexes.
func (tx *Tx) PutOpenAPISpec(org string, d OpenAPISpecDocument) (txn.Record, error) {
	tx.Add(OpenAPISpecsKey(org), OpenAPISpecMember(d.Fields.ID, d.Fields.Slug))
	if d.Fields.ProcessingState == api.ProcessingComplete {
		tx.Remove(OpenAPIPendingKey(org), d.Fields.Slug)
	} else {
		tx.Add(OpenAPIPendingKey(org), d.Fields.Slug)
	}
	return putReusable(tx, OpenAPISpecKey(org, d.Fields.Slug), d)
}

// DeleteOpenAPISpec removes a specification. tx must have read it. A job removes its versions and objects.
func (tx *Tx) DeleteOpenAPISpec(org string, d OpenAPISpecDocument) {
	tx.Delete(OpenAPISpecKey(org, d.Fields.Slug))
	tx.Remove(OpenAPISpecsKey(org), OpenAPISpecMember(d.Fields.ID, d.Fields.Slug))
	tx.Remove(OpenAPIPendingKey(org), d.Fields.Slug)
	tx.Unschedule(org, txn.JobName(OpenAPIReadKind, d.Fields.Slug))
	tx.Unschedule(org, txn.JobName(OpenAPISpacesKind, d.Fields.Slug))
	tx.Schedule(org, txn.JobName(OpenAPIRemoveKind, d.Fields.ID), 0)
}

// OpenAPIVersion reads a version.
func (tx *Tx) OpenAPIVersion(org, id string) (OpenAPIVersionDocument, error) {
	return ReadDocument[api.OpenAPISpecVersionFields, OpenAPIVersionPrivate](tx, OpenAPIVersionKey(org, id))
}

// PutOpenAPIVersion writes a version with its index.
func (tx *Tx) PutOpenAPIVersion(org string, d OpenAPIVersionDocument) (txn.Record, error) {
	tx.Add(OpenAPIVersionsKey(org, d.Private.Spec), d.Fields.ID)
	return PutDocument(tx, OpenAPIVersionKey(org, d.Fields.ID), d)
}

// DeleteOpenAPIVersion removes a version. tx must have read it.
func (tx *Tx) DeleteOpenAPIVersion(org string, d OpenAPIVersionDocument) {
	tx.Delete(OpenAPIVersionKey(org, d.Fields.ID))
	tx.Remove(OpenAPIVersionsKey(org, d.Private.Spec), d.Fields.ID)
}
