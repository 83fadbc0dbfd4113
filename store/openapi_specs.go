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

// OpenAPISpecPrivate is what only the server reads of a specification.
type OpenAPISpecPrivate struct {
	Text string `json:"text,omitzero"` // manifest of a source that was handed in, among the specification's objects
	Hash string `json:"hash,omitzero"` // of what the last version was made of

	Fetched  []FetchedFile `json:"fetched,omitzero"`  // documents of the last version that can be asked for by ETag
	Failures int           `json:"failures,omitzero"` // readings in a row that failed

	// By is the user who set the source, for whom it is read; "" where an earlier build has stored it.
	By   string `json:"by,omitzero"`
	Slow bool   `json:"slow,omitzero"` // the last reading took long

	Public bool `json:"public,omitzero"` // anybody may fetch the latest version

	// Waiting says how many spaces have no room for a revision with the last version.
	Waiting int `json:"waiting,omitzero"`
}

// FetchedFile is a document of the last version of a specification as the server it came from names it.
type FetchedFile struct {
	URL      string `json:"url"`
	ETag     string `json:"etag"`
	Manifest string `json:"manifest"`
}

// OpenAPIVersionDocument is the document of a version of a specification.
type OpenAPIVersionDocument = Document[api.OpenAPISpecVersionFields, OpenAPIVersionPrivate]

// OpenAPIVersionPrivate is what only the server reads of a version.
type OpenAPIVersionPrivate struct {
	Spec   string        `json:"spec"`   // id of the specification, whose objects the manifests are
	Bundle string        `json:"bundle"` // manifest of the bundled document
	Files  []OpenAPIFile `json:"files"`  // as given, the entry first
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

// The kinds of jobs of specifications: reading one and bringing its newest version into spaces, both named by slug, and
// removing what belonged to one, named by id.
const (
	OpenAPIReadKind   = "spec"
	OpenAPISpacesKind = "spec-spaces"
	OpenAPIRemoveKind = "spec-remove"
)

// OpenAPISpecsKey is the index of an organization's specifications. Its members are made by OpenAPISpecMember.
func OpenAPISpecsKey(org string) redis.Key { return IndexKey(org, IndexOpenAPISpecs, org) }

// OpenAPIPendingKey is the index of those specifications of an organization, by slug, that somebody waits for.
func OpenAPIPendingKey(org string) redis.Key { return IndexKey(org, IndexOpenAPIPending, org) }

// OpenAPIVersionsKey is the index of the versions of a specification, given by its id.
func OpenAPIVersionsKey(org, spec string) redis.Key { return IndexKey(org, IndexOpenAPIVersions, spec) }

// OpenAPISpecMember is the member of a specification in its index: by age, and leading to its record.
func OpenAPISpecMember(id, slug string) string { return id + "!" + slug }

// AskedMember is the member of a specification in AskedKey.
func AskedMember(org, slug string) string { return org + "!" + slug }

// AskedSpec takes a member of AskedKey apart.
func AskedSpec(member string) (org, slug string) {
	org, slug, _ = strings.Cut(member, "!")
	return org, slug
}

// OpenAPISpecSlug is the slug in a member of the index.
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
	return PutDocument(tx, OpenAPISpecKey(org, d.Fields.Slug), d)
}

// DeleteOpenAPISpec removes a specification that was read. Its versions and objects are left to a job.
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

// DeleteOpenAPIVersion removes a version that was read.
func (tx *Tx) DeleteOpenAPIVersion(org string, d OpenAPIVersionDocument) {
	tx.Delete(OpenAPIVersionKey(org, d.Fields.ID))
	tx.Remove(OpenAPIVersionsKey(org, d.Private.Spec), d.Fields.ID)
}
